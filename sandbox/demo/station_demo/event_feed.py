"""What the station's programs hear: the events, as plingsctl prints them."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .program import Deadline, Program

Event = dict[str, Any]

LOOK_EVERY = 0.2
"""Seconds between two looks whether all programs still run."""


class EventFeed:
    """All events since the station's first, collected from `plingsctl watch --json`."""

    def __init__(self, command: list[str | Path], folder: Path,
                 look_after: Callable[[], None]) -> None:
        """`look_after` is called while waiting, and fails where a program has died."""
        self._look_after = look_after
        self._record = folder / "events.jsonl"
        self._events: list[Event] = []
        self._news = threading.Condition()
        self.program = Program("plingsctl watch --json", command, folder / "plingsctl.log",
                               stdout=subprocess.PIPE)
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def events(self) -> list[Event]:
        """Those that came until now."""
        with self._news:
            return list(self._events)

    def wait(self, seconds: float, enough: Callable[[list[Event]], bool]) -> bool:
        """Waits until the events are enough; false where they are not in time."""
        deadline = Deadline(seconds)
        with self._news:
            while not enough(self._events):
                if deadline.remaining == 0:
                    return False
                self._look_after()
                self._news.wait(min(LOOK_EVERY, deadline.remaining))
        return True

    def _read(self) -> None:
        with self._record.open("wb") as record:
            for line in self.program.output:
                record.write(line)
                record.flush()
                with self._news:
                    self._events.append(json.loads(line))
                    self._news.notify_all()
