"""What a client did that it must not do."""
from typing import Any

from .collection import Collection
from .database import Database

KEPT = 10_000


class Violations:
    """The newest `KEPT` broken rules, each with the number of the request that broke it."""

    def __init__(self, database: Database) -> None:
        self._kept = Collection(database, "violations")

    def add(self, kind: str, seq: int, **details: Any) -> None:
        """Notes that a request broke a rule."""
        self._kept.append({"kind": kind, "seq": seq, **details})
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]

    def as_list(self) -> list[dict[str, Any]]:
        """The violations, oldest first."""
        return list(self._kept.values())

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forgets them."""
        self._kept.clear()
