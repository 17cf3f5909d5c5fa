"""A subscriber that resumes after every kill, and remembers all that it was told."""

from __future__ import annotations

import time

from harness import Client, Station
from killing import Tap, of_tap


class Witness:
    """Every event that was told, in its order, with the time at which it arrived."""

    def __init__(self, station: Station) -> None:
        self.station = station
        self.seen: list[tuple[int, dict]] = []
        self.cursor = 0

    def subscribe(self) -> Client:
        client = self.station.client(since=self.cursor)
        if self.cursor and (gap := client.subscribed.get("gap")):
            raise SystemExit(f"a gap after a kill: {gap}")
        return client

    def take(self, at: int, event: dict) -> dict:
        self.cursor = event["seq"]
        self.seen.append((at, event))
        return event

    def look(self, client: Client) -> None:
        """Takes what has arrived up to now."""
        while (entry := client.event(0)) is not None:
            self.take(*entry)

    def told(self, since: int) -> list[dict]:
        return [event for _, event in self.seen[since:]]

    def await_told(self, client: Client, since: int, what: str, check, seconds=20.0) -> None:
        """Takes events until the check holds for those since an index."""
        end = time.monotonic() + seconds
        while not check(self.told(since)):
            entry = client.event(max(0.0, end - time.monotonic()))
            if entry is None:
                raise SystemExit(f"not told within {seconds} s: {what}")
            self.take(*entry)

    def await_scan(self, client: Client, since: int, tap: Tap) -> None:
        self.await_told(
            client, since, f"the scan of {tap.uid}",
            lambda events: of_tap(events, tap, "scan"))

    def scan_of(self, tap: Tap) -> str:
        """The scan that a tap gave; empty where none was told."""
        scan = of_tap(self.told(0), tap, "scan")
        return scan["scan"] if scan else ""
