"""Tags that come and go on a reader by themselves."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

from harness import ROOT, Lines, at_exit


@dataclass
class Passed:
    """A tag that came and went by itself."""

    uid: str
    uri: str
    came: int
    went: int
    # How many commands it answered.
    answered: int


class Passing:
    """Tags that come and go on a reader by themselves, each with a UID of its own."""

    def __init__(self, port: int, uris: list[str]) -> None:
        self.uris = uris
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "sandbox/readers/tags.py"), "--port", str(port), "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        at_exit(self.process.kill)
        self.lines = Lines(self.process.stdout)
        cards = [{"kind": "ntag213", "uri": uri} for uri in uris]
        order = {"cards": cards, "hold_ms": 250, "gap_ms": 150, "jitter_ms": 150}
        self.process.stdin.write(json.dumps({"taps": order}) + "\n")
        self.process.stdin.flush()

    def stop(self) -> list[Passed]:
        """Ends it; returns the tags that were there."""
        self.process.terminate()
        self.process.wait(10)
        found: list[Passed] = []
        came, count = None, 0
        while (entry := self.lines.next(2)) is not None:
            event = entry[1]
            if event["ev"] == "insert":
                came, uri = event, self.uris[count % len(self.uris)]
                count += 1
            elif event["ev"] == "remove" and came:
                found.append(Passed(came["uid"], uri, came["ns"], event["ns"], event["apdus"]))
        return found
