"""The scan events, in the order in which they arrived."""
from typing import Any

from .database import Database

COLUMNS = {
    "id": "TEXT", "request_seq": "INTEGER", "received_at": "REAL", "received_boot_ns": "INTEGER",
    "timestamp": "TEXT", "identifier_type": "TEXT", "identifier": "TEXT", "path": "TEXT",
    "class_pointer": "TEXT", "outcome": "TEXT", "object_id": "TEXT", "geo": "INTEGER",
    "latitude": "REAL", "longitude": "REAL", "accuracy": "REAL", "consent": "INTEGER",
    "scanning_user": "TEXT", "owner_at_time_of_scan": "TEXT",
    "scanned_known_identifier": "INTEGER", "valid": "INTEGER", "ip_hash": "TEXT",
    "user_agent": "TEXT", "idempotency_key": "TEXT",
}
"""What is kept of a scan; sandbox/api/README.md explains the fields."""

TRUTHS = ("geo", "consent", "scanned_known_identifier", "valid")
TABLE = f"""
CREATE TABLE IF NOT EXISTS scan_events (
    seq INTEGER PRIMARY KEY, {", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())});
CREATE INDEX IF NOT EXISTS scan_events_by_identifier ON scan_events (identifier, timestamp);
CREATE INDEX IF NOT EXISTS scan_events_by_key ON scan_events (idempotency_key);
"""
INSERT = (f"INSERT INTO scan_events ({', '.join(COLUMNS)}) "
          f"VALUES ({', '.join('?' * len(COLUMNS))})")


class ScanEvents:
    """An append-only table: a scan costs one row, however many there are."""

    def __init__(self, database: Database) -> None:
        database.script(TABLE)
        self._database = database
        self.changes = 0

    def append(self, event: dict[str, Any]) -> None:
        """Adds an event that has every field of `COLUMNS`."""
        self._database.execute(INSERT, (event[name] for name in COLUMNS))
        self.changes += 1

    def select(self, identifier: str | None = None, key: str | None = None, since: int = 0,
               limit: int | None = None) -> list[dict[str, Any]]:
        """The events after number `since` of one identifier, of one Idempotency-Key, or all."""
        where, values = condition(identifier, key, since)
        rows = self._database.execute(
            f"SELECT seq, {', '.join(COLUMNS)} FROM scan_events {where} ORDER BY seq LIMIT ?",
            [*values, -1 if limit is None else limit])
        return [described(row) for row in rows]

    def count(self, identifier: str | None = None, key: str | None = None,
              since: int = 0) -> dict[str, int]:
        """How many there are, how many different Idempotency-Keys they carry, how many none."""
        where, values = condition(identifier, key, since)
        count, keyed, distinct = self._database.execute(
            "SELECT count(*), count(idempotency_key), count(DISTINCT idempotency_key) "
            f"FROM scan_events {where}", values).fetchone()
        return {"count": count, "distinct_keys": distinct, "without_key": count - keyed}

    def knows(self, identifier: str) -> bool:
        """Whether this identifier was ever scanned."""
        return self._database.execute(
            "SELECT 1 FROM scan_events WHERE identifier = ? LIMIT 1", (identifier,)
        ).fetchone() is not None

    def same_scan(self) -> list[dict[str, Any]]:
        """Scans of one identifier, at one time, by one user, of which there are several."""
        rows = self._database.execute(
            "SELECT identifier, timestamp, group_concat(id) FROM scan_events "
            "GROUP BY identifier, timestamp, scanning_user HAVING count(*) > 1 ORDER BY min(seq)")
        return [{"identifier": identifier, "timestamp": timestamp, "ids": ids.split(",")}
                for identifier, timestamp, ids in rows]

    def same_key(self) -> list[dict[str, Any]]:
        """Idempotency-Keys that came with more than one event."""
        rows = self._database.execute(
            "SELECT idempotency_key, group_concat(id) FROM scan_events "
            "WHERE idempotency_key IS NOT NULL GROUP BY idempotency_key HAVING count(*) > 1")
        return [{"idempotency_key": key, "ids": ids.split(",")} for key, ids in rows]

    def clear(self) -> None:
        """Removes every event."""
        self._database.execute("DELETE FROM scan_events")


def condition(identifier: str | None, key: str | None, since: int) -> tuple[str, list[Any]]:
    """The WHERE clause for these filters, and its values."""
    wanted = {"identifier = ?": identifier, "idempotency_key = ?": key, "seq > ?": since or None}
    chosen = {text: value for text, value in wanted.items() if value is not None}
    return ("WHERE " + " AND ".join(chosen) if chosen else ""), list(chosen.values())


def described(row: tuple[Any, ...]) -> dict[str, Any]:
    """A row as the control answers it: numbers that stand for true and false become those."""
    event = dict(zip(("seq", *COLUMNS), row))
    for name in TRUTHS:
        event[name] = None if event[name] is None else bool(event[name])
    return event
