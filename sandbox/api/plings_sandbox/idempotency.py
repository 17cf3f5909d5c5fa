"""First answers by Idempotency-Key, for the switch that makes the API honour such keys."""
import json

from .database import Database
from .exchange import Reply

TABLE = """
CREATE TABLE IF NOT EXISTS first_answers (
    caller TEXT NOT NULL, key TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (caller, key)) WITHOUT ROWID;
"""


class FirstAnswers:
    """The answers that repeats get; they survive a restart."""

    def __init__(self, database: Database) -> None:
        database.script(TABLE)
        self._database = database

    def find(self, caller: str | None, key: str) -> Reply | None:
        """The answer this caller got when it first sent this key."""
        row = self._database.execute(
            "SELECT status, body FROM first_answers WHERE caller = ? AND key = ?",
            (caller or "", key)).fetchone()
        return row and Reply(row[0], json.loads(row[1]), [("idempotent-replayed", "true")])

    def keep(self, caller: str | None, key: str, reply: Reply) -> None:
        """Keeps the answer for repeats."""
        self._database.execute("INSERT OR IGNORE INTO first_answers VALUES (?, ?, ?, ?)",
                               (caller or "", key, reply.status, json.dumps(reply.body)))

    def clear(self) -> None:
        """Forgets them."""
        self._database.execute("DELETE FROM first_answers")
