"""Carries out a script: JSON lines that say which tag comes and goes where and when."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterable
from typing import Any

from .events import tell
from .kinds import make_tag
from .transport import ReaderPort

MEMBERS = {"id", "port", "at_ms", "wait_ms", "insert", "remove", "taps", "wait_gone"}
TAPS_MEMBERS = {"count", "hold_ms", "gap_ms", "jitter_ms", "cards", "background"}


class Script:
    """Drives any number of readers' ports, line by line, in the lines' order."""

    def __init__(self, port: int, reader: str | None = None) -> None:
        """`port` and `reader` hold for lines that don't name their own."""
        self.default_port, self.default_reader = port, reader
        self.ports: dict[int, ReaderPort] = {}
        self.background: list[threading.Thread] = []
        self.ending = threading.Event()
        self.failed = False
        self.begun = time.monotonic()

    def run(self, lines: Iterable[bytes | str]) -> None:
        """Carries out the lines, each as soon as it can be read.

        Each is answered by one `ack`, or one `error` with its number; empty lines and comments
        (#) by nothing.
        """
        self.begun = time.monotonic()
        for number, line in enumerate(lines, 1):
            text = line.decode() if isinstance(line, bytes) else line
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            self._carry_out(number, text)

    def finish(self) -> None:
        """Waits for the taps that go on in the background."""
        for thread in self.background:
            thread.join()

    def end(self) -> None:
        """Takes all tags away."""
        self.ending.set()
        for port in list(self.ports.values()):
            port.remove("end")

    def _carry_out(self, number: int, text: str) -> None:
        members: dict[str, Any] = {"line": number}
        try:
            step = json.loads(text)
            if "id" in step:
                members["id"] = step["id"]
            members["port"] = step.get("port", self.default_port)
            self._perform(step, members["port"])
        except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
            self.failed = True
            why = f"no {error}" if isinstance(error, KeyError) else str(error)
            tell("error", **members, why=why)
        else:
            tell("ack", **members)

    def _perform(self, step: dict[str, Any], number: int) -> None:
        if unknown := set(step) - MEMBERS:
            raise ValueError(f"a line has no {', '.join(sorted(unknown))}")
        if "at_ms" in step:
            self.ending.wait(max(0, self.begun + step["at_ms"] / 1000 - time.monotonic()))
        if "wait_ms" in step:
            self.ending.wait(step["wait_ms"] / 1000)
        port = self.ports.setdefault(number, ReaderPort(number))
        if step.get("remove"):
            port.remove("script")
        if "insert" in step:
            port.insert(make_tag(self._completed(step["insert"])))
        if "taps" in step:
            self._start_taps(step["taps"], port)
        if step.get("wait_gone"):
            port.wait_gone()

    def _completed(self, spec: dict[str, Any]) -> dict[str, Any]:
        return {"reader": self.default_reader, **spec} if self.default_reader else spec

    def _start_taps(self, taps: dict[str, Any], port: ReaderPort) -> None:
        if unknown := set(taps) - TAPS_MEMBERS:
            raise ValueError(f"taps have no {', '.join(sorted(unknown))}")
        for spec in taps["cards"]:
            make_tag(self._completed(spec))  # what makes no sense is refused before the first tap
        if not taps.get("background"):
            self._tap(taps, port)
            return
        thread = threading.Thread(target=self._tap, args=(taps, port), daemon=True)
        self.background.append(thread)
        thread.start()

    def _tap(self, taps: dict[str, Any], port: ReaderPort) -> None:
        """Taps until the count is reached; a reader that is away costs a tap, not the rest."""
        cards, count, done = taps["cards"], taps.get("count", 0), 0
        while (not count or done < count) and not self.ending.is_set():
            try:
                port.insert(make_tag(self._completed(cards[done % len(cards)])))
            except OSError as error:
                self.failed = True
                tell("error", port=port.port, why=str(error))
            self._pause(taps.get("hold_ms", 500), taps)
            port.remove("script")
            self._pause(taps.get("gap_ms", 500), taps)
            done += 1
        tell("taps", port=port.port, count=done)

    def _pause(self, milliseconds: float, taps: dict[str, Any]) -> None:
        self.ending.wait((milliseconds + random.uniform(0, taps.get("jitter_ms", 0))) / 1000)
