"""Where a kill falls on the path of one tag, and how it is led there.

A process is killed at a random moment, or stopped (SIGSTOP), looked at, let go for some
microseconds, and killed once it stands where it is wanted. What the place was is found out after
the kill, from what is on disk, what the subscriber had, and what the API had.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import time
from dataclasses import dataclass, field
from pathlib import Path

# For plingsd, in the order in which a tag goes through them.
IDLE = "no tag there, nothing to do"
UNASKED = "tag there, no command sent to it yet"
READING = "while the tag is read"
READ = "read, not yet stored"
STORED = "scan stored, not yet told"
TOLD = "scan told, not yet sent to the API"
SENT = "sent to the API, answer not yet stored"
ANSWERED = "answered, the tag lies still"
TAKEN = "tag taken away, departure not yet stored"
GONE = "departure stored, not yet told"
AFTER = "departure told"
STATION_PLACES = [IDLE, UNASKED, READING, READ, STORED, TOLD, SENT, ANSWERED, TAKEN, GONE]

# For the reader program.
READ_UNTOLD = "read, the station has not told it yet"
LYING = "told, the tag lies still"
TAKEN_UNTOLD = "tag taken away, the station has not told it yet"
READER_PLACES = [IDLE, UNASKED, READING, READ_UNTOLD, LYING, TAKEN_UNTOLD]


@dataclass
class Tap:
    """One tag that is put down."""

    uid: str
    uri: str
    # How many commands it takes to read it whole.
    commands: int
    inserted: int = 0
    removed: int | None = None
    killed: int | None = None
    answered: int = field(default=0)


def spin(seconds: float) -> None:
    """Waits without sleeping, which would take longer."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


class Stopped:
    """A process that is stopped and let go again for moments."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def stop(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)
        while Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            pass

    def go(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def step(self, seconds: float) -> None:
        self.go()
        spin(seconds)
        self.stop()


class Disk:
    """What a store holds, read from a copy: nothing of the station's is opened."""

    def __init__(self, store: Path, folder: Path) -> None:
        self.store, self.copy = store, folder / "copy"

    def read(self, after: int) -> tuple[list[dict], set[str]]:
        """The events after a seq, and the scans that are still to be delivered."""
        shutil.rmtree(self.copy, ignore_errors=True)
        self.copy.mkdir()
        # The index of the write-ahead log is left out: SQLite makes it anew from the log.
        for name in ("station.sqlite", "station.sqlite-wal"):
            if (self.store / name).exists():
                shutil.copy(self.store / name, self.copy / name)
        database = sqlite3.connect(self.copy / "station.sqlite")
        rows = database.execute(
            "SELECT seq, body FROM event WHERE seq > ? ORDER BY seq", (after,)).fetchall()
        queued = database.execute("SELECT id FROM outbox WHERE state = 'queued'").fetchall()
        database.close()
        return [{"seq": seq, **json.loads(body)} for seq, body in rows], {id for id, in queued}


def of_tap(events: list[dict], tap: Tap, kind: str) -> dict | None:
    """The event of that type that belongs to a tap."""
    scan = next(
        (e for e in events if e["type"] == "scan" and
         e.get("tag", {}).get("uid") == tap.uid.lower()), None)
    if scan is None or kind == "scan":
        return scan
    return next((e for e in events if e["type"] == kind and e["scan"] == scan["scan"]), None)


def station_place(
    tap: Tap | None, on_disk: list[dict], told: list[dict], sent: set[str], queued: set[str]
) -> str:
    """Where plingsd was killed.

    `on_disk` and `told` begin before the tap; `sent` are the scans that the API has got.
    """
    if tap is None:
        return IDLE
    scan = of_tap(on_disk, tap, "scan")
    if scan is None:
        if tap.answered == 0:
            return UNASKED
        return READING if tap.answered < tap.commands else READ
    if tap.removed is not None:
        if of_tap(on_disk, tap, "departure") is None:
            return TAKEN
        return AFTER if of_tap(told, tap, "departure") else GONE
    if of_tap(told, tap, "scan") is None:
        return STORED
    if "identifier" not in scan:
        return ANSWERED
    if scan["scan"] not in queued:
        return ANSWERED
    return SENT if scan["scan"] in sent else TOLD


def reader_place(tap: Tap | None, told: list[dict]) -> str:
    """Where the reader program was killed; `told` is what the subscriber had before the kill."""
    if tap is None:
        return IDLE
    if of_tap(told, tap, "scan") is None:
        if tap.answered == 0:
            return UNASKED
        return READING if tap.answered < tap.commands else READ_UNTOLD
    if tap.removed is None:
        return LYING
    return AFTER if of_tap(told, tap, "departure") else TAKEN_UNTOLD


def card(tap: Tap, aim: str, choices: random.Random) -> dict:
    """The tag as it has to behave for an aim: slow where a kill is to fall in between."""
    spec = {"kind": "ntag213", "uid": tap.uid, "uri": tap.uri, "trace": True}
    if aim == READING:
        spec["fault"] = {"delay_ms": choices.uniform(1, 6)}
    elif aim == UNASKED and choices.random() < 0.5:
        spec["fault"] = {"slow_atr_ms": 30}
    return spec
