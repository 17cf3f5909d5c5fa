"""One SQLite database for everything the sandbox keeps.

With a file, what was committed survives a kill of the process: the write-ahead log is handed to
the kernel at each commit. It isn't flushed to the disk, so a power cut is not covered. Without a
file SQLite uses a nameless temporary one, so a long log costs disk, not memory.
"""
import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

FORMAT = 1


class StateUnusable(Exception):
    """The state file can't be used; the text says why."""


class Database:
    """The connection. All use is from the event loop's thread."""

    def __init__(self, file: Path | None = None) -> None:
        try:
            self._connection = sqlite3.connect(file or "", isolation_level=None, timeout=0.2)
            for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = OFF"):
                self.execute("PRAGMA " + pragma)
            self.execute("BEGIN EXCLUSIVE")
            self._check_format(file)
            self.execute("COMMIT")
        except sqlite3.Error as error:
            reason = "it is in use by another process" if "locked" in str(error) else str(error)
            raise StateUnusable(f"state file {file}: {reason}") from error

    def _check_format(self, file: Path | None) -> None:
        found = self.execute("PRAGMA user_version").fetchone()[0]
        tables = self.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if found != (FORMAT if tables else 0):
            raise StateUnusable(f"state file {file}: not written by this version of the sandbox")
        self.execute(f"PRAGMA user_version = {FORMAT}")

    def execute(self, sql: str, values: Iterable[object] = ()) -> sqlite3.Cursor:
        """Runs one statement; a commit of its own unless inside `transaction`."""
        return self._connection.execute(sql, tuple(values))

    def script(self, sql: str) -> None:
        """Runs several statements, as used to create tables."""
        self._connection.executescript(sql)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Groups the statements inside into one commit; nested uses join the outer one.

        It commits whatever happens inside: the resolvers check before they write, and what they
        hold in memory could not be taken back.
        """
        if self._connection.in_transaction:
            yield
            return
        self.execute("BEGIN")
        try:
            yield
        finally:
            self.execute("COMMIT")

    def close(self) -> None:
        """Closes the file, after folding the write-ahead log into it."""
        self._connection.close()
