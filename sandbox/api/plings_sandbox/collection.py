"""Documents in memory, each also a row, so that they survive the process."""
import json
from collections.abc import Iterator, MutableMapping
from typing import Any

from .database import Database

Document = dict[str, Any]

TABLE = """
CREATE TABLE IF NOT EXISTS documents (
    number INTEGER PRIMARY KEY, collection TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL,
    UNIQUE (collection, key));
"""
PUT = """
INSERT INTO documents (collection, key, body) VALUES (?, ?, ?)
ON CONFLICT (collection, key) DO UPDATE SET body = excluded.body
"""


class Collection(MutableMapping[str, Any]):
    """A dictionary of JSON values in the order they were added.

    Assigning and deleting reach the database. A change inside a value doesn't: follow it with
    `amend`, or assign anew.
    """

    def __init__(self, database: Database, name: str) -> None:
        database.script(TABLE)
        self._database = database
        self._name = name
        rows = database.execute(
            "SELECT key, body FROM documents WHERE collection = ? ORDER BY number", (name,))
        self._values: dict[str, Any] = {key: json.loads(body) for key, body in rows}

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._values[key] = value
        self._database.execute(PUT, (self._name, key, json.dumps(value)))

    def __delitem__(self, key: str) -> None:
        del self._values[key]
        self._database.execute(
            "DELETE FROM documents WHERE collection = ? AND key = ?", (self._name, key))

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def clear(self) -> None:
        """Removes every document, in one statement."""
        self._values.clear()
        self._database.execute("DELETE FROM documents WHERE collection = ?", (self._name,))

    def amend(self, key: str, **fields: Any) -> None:
        """Sets these fields of one document."""
        self[key] = {**self._values[key], **fields}

    def append(self, value: Any) -> str:
        """Adds a document under the next number, and returns that as its key."""
        key = str(int(next(reversed(self._values), "0")) + 1)
        self[key] = value
        return key
