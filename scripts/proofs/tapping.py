"""Tags that are put down and taken away one by one, and how far each was read."""

from __future__ import annotations

import random

import killing
from harness import Readers, wait_until
from killing import Tap

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
FOREIGN = "https://example.org/"
FRESH = "fresh"


class Tapping:
    """The tags of one reader."""

    def __init__(self, readers: Readers, uris: list[str]) -> None:
        self.readers, self.uris = readers, uris
        # How many commands it takes to read a tag with such an address.
        self.commands: dict[str, int] = {}
        self.taps: list[Tap] = []

    def new_tap(self, choices: random.Random, kind: str | None = None) -> Tap:
        """Another tag: one of a few, now and then not ours; or with an address of that kind.

        FRESH is an identifier that no tag has had before.
        """
        kind = kind or (FOREIGN if choices.random() < 0.1 else choices.choice(self.uris))
        uri = kind
        if kind == FRESH:
            key = "".join(choices.choice(LETTERS) for _ in range(44))
            uri = f"https://s.plings.io/?t=n&i={key}&p=1.1.777"
        tap = Tap(f"04{len(self.taps) + 1:012X}", uri, self.commands.get(kind, 0))
        self.taps.append(tap)
        return tap

    def put_down(self, tap: Tap, aim: str, choices: random.Random) -> None:
        tap.inserted = self.readers.insert(killing.card(tap, aim, choices))["ns"]

    def answered(self, tap: Tap, before: int | None = None) -> int:
        """How many commands the tag has answered, at most up to a time."""
        self.readers.catch_up()
        return sum(
            1 for event in self.readers.history
            if event["ev"] == "apdu" and event["port"] == self.readers.port
            and event["ns"] >= tap.inserted and (before is None or event["ns"] <= before))

    def await_answered(self, tap: Tap, count: int) -> None:
        wait_until(f"{count} commands to the tag", lambda: self.answered(tap) >= count)

    def take_away(self, tap: Tap) -> None:
        if tap.removed is None:
            tap.removed = self.readers.remove()["ns"]
            self.readers.history.clear()
