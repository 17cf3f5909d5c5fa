"""Every request to the API, whatever became of it. No token is ever in it."""
import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .database import Database
from .timestamps import boot_ns, now_iso

KEPT = 200_000
TRIM_EVERY = 1_000
VARIABLES_LIMIT = 64 * 1024
"""Longer variables are logged as their length and hash."""

TABLE = """
CREATE TABLE IF NOT EXISTS requests (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, ops TEXT NOT NULL, kind TEXT, fingerprint TEXT,
    applied INTEGER NOT NULL, changed INTEGER NOT NULL, faulted INTEGER NOT NULL,
    outcome TEXT, received_at REAL NOT NULL, connection INTEGER NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS requests_by_op ON requests (ops, applied, faulted);
CREATE INDEX IF NOT EXISTS requests_by_fingerprint
    ON requests (fingerprint, kind, seq, applied, changed);
CREATE INDEX IF NOT EXISTS requests_by_connection ON requests (connection);
"""
INSERT = """
INSERT INTO requests (ops, applied, changed, faulted, received_at, connection, body)
VALUES ('', 0, 0, 0, ?, ?, '')
"""
UPDATE = """
UPDATE requests SET ops = ?, kind = ?, fingerprint = ?, applied = ?, changed = ?, faulted = ?,
    outcome = ?, body = ? WHERE seq = ?
"""
FINGERPRINTED = """
SELECT fingerprint, seq, ops, outcome, received_at FROM requests
WHERE fingerprint IS NOT NULL ORDER BY seq
"""
REPEATED = """
SELECT fingerprint, seq, applied, changed FROM requests WHERE fingerprint IN (
    SELECT fingerprint FROM requests WHERE kind = 'mutation' AND fingerprint IS NOT NULL
    GROUP BY fingerprint HAVING count(*) > 1) ORDER BY seq
"""


@dataclass
class Entry:
    """One request; the fields stand in the log under the same names."""

    method: str
    path: str
    peer: str
    connection: int
    request_on_connection: int
    http_version: str
    headers: dict[str, str]
    bytes: int
    seq: int = 0
    received_at: float = field(default_factory=time.time)
    received_iso: str = field(default_factory=now_iso)
    received_boot_ns: int = field(default_factory=boot_ns)
    finished_at: float | None = None
    ops: list[str] = field(default_factory=list)
    kind: str | None = None
    operationName: str | None = None
    variables: Any = None
    multipart: bool = False
    fingerprint: str | None = None
    idempotency_key: str | None = None
    replayed: bool = False
    auth: str | None = None
    auth_hash: str | None = None
    user: str | None = None
    queue_in_flight: int = 0
    fault: dict[str, Any] | None = None
    applied: bool = False
    changed: bool = False
    http_status: int | None = None
    errors: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    outcome: str | None = None

    def conclude(self) -> None:
        """Says in one word what became of the request, and when."""
        self.finished_at = time.time()
        self.outcome = "applied" if self.applied else (
            (self.fault or {}).get("kind") or ",".join(self.errors) or str(self.http_status))


class RequestLog:
    """The newest `KEPT` requests; a request is in it from its arrival on."""

    def __init__(self, database: Database) -> None:
        database.script(TABLE)
        self._database = database

    def begin(self, entry: Entry) -> None:
        """Gives the request its number and adds it."""
        cursor = self._database.execute(INSERT, (entry.received_at, entry.connection))
        entry.seq = cursor.lastrowid or 0
        self.update(entry)
        if entry.seq % TRIM_EVERY == 0:
            self._database.execute("DELETE FROM requests WHERE seq <= ?", (entry.seq - KEPT,))

    def update(self, entry: Entry) -> None:
        """Writes down what is known about the request by now.

        A request from before a reset has no row any more, and gets none.
        """
        self._database.execute(UPDATE, (
            ",".join(entry.ops), entry.kind, entry.fingerprint, entry.applied, entry.changed,
            entry.fault is not None, entry.outcome, json.dumps(vars(entry)), entry.seq))

    def select(self, op: str | None = None, since: int = 0, applied: bool = False,
               limit: int | None = None) -> Iterator[str]:
        """The requests after number `since`, oldest first, as JSON texts."""
        rows = self._database.execute(
            "SELECT body FROM requests WHERE seq > ? AND applied >= ? "
            "AND (? IS NULL OR instr(',' || ops || ',', ',' || ? || ',')) ORDER BY seq LIMIT ?",
            (since, applied, op, op, -1 if limit is None else limit))
        return (body for (body,) in rows)

    def entry(self, seq: int) -> dict[str, Any]:
        """One request."""
        row = self._database.execute("SELECT body FROM requests WHERE seq = ?", (seq,)).fetchone()
        return json.loads(row[0])

    def last_seq(self) -> int:
        """The number of the newest request since the last reset; 0 when there is none."""
        row = self._database.execute("SELECT max(seq) FROM requests").fetchone()
        return row[0] or 0

    def totals(self) -> dict[str, dict[str, int]]:
        """Received, applied and faulted requests by operation."""
        totals: dict[str, dict[str, int]] = {}
        for ops, *counts in self._database.execute(
                "SELECT ops, count(*), sum(applied), sum(faulted) FROM requests GROUP BY ops"):
            for op in filter(None, ops.split(",")):
                total = totals.setdefault(op, {"received": 0, "applied": 0, "faulted": 0})
                for name, count in zip(total, counts):
                    total[name] += count
        return totals

    def connections(self) -> int:
        """How many connections the requests came over."""
        return self._database.execute(
            "SELECT count(DISTINCT connection) FROM requests").fetchone()[0]

    def last_connection(self) -> int:
        """The highest connection number in the log; 0 when there is none."""
        return self._database.execute("SELECT max(connection) FROM requests").fetchone()[0] or 0

    def fingerprinted(self) -> Iterator[tuple[Any, ...]]:
        """Fingerprint, number, operations, outcome and arrival of each parsed request."""
        return self._database.execute(FINGERPRINTED)

    def repeated(self) -> Iterator[tuple[Any, ...]]:
        """Fingerprint, number, applied and changed of mutations that came more than once."""
        return self._database.execute(REPEATED)

    def clear(self) -> None:
        """Removes every request; the numbers go on, so that a late one finds no other's row."""
        self._database.execute("DELETE FROM requests")


def shown_variables(variables: Any) -> Any:
    """The variables as the log keeps them: very long ones as their length and hash."""
    text = json.dumps(variables)
    if len(text) <= VARIABLES_LIMIT:
        return variables
    return {"omitted": {"characters": len(text), "sha256": digest(text)}}


def digest(text: str, length: int = 64) -> str:
    """The first hexadecimal digits of the text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:length]
