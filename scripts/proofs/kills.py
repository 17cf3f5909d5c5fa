"""Kills of plingsd and of its reader program on the path of one tag, each led or by chance."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter

import killing
from harness import Client, Folder, Readers, Sandbox, Station, wait_until
from killing import Disk, Stopped, Tap, spin
from tapping import FOREIGN, FRESH, Tapping
from weather import Weather
from witness import Witness

# How long a tag may be out of sight before it counts as gone: the station's default, in seconds.
GRACE = 0.3
# How long before a kill a passing tag must have gone for its scan to be sure, in seconds.
LEISURE = 0.5


class Kills:
    """A station, its readers, the API and its trouble; each call kills a process once."""

    def __init__(self, rounds: int, seed: int) -> None:
        self.rounds, self.seed = rounds, seed
        self.random = random.Random(seed)
        self.aims = {
            "plingsd": self.plan(killing.STATION_PLACES),
            "plings-pcsc": self.plan(killing.READER_PLACES)}
        self.folder = Folder()
        self.sandbox = Sandbox(self.folder.path)
        self.readers = Readers(self.folder.path, 3)
        self.station = Station(
            self.folder.path, self.sandbox, self.readers, scans_per_minute=6000,
            answer_patience="200ms", timeout="1s")
        self.disk = Disk(self.station.store, self.folder.path)
        self.weather = Weather(self.sandbox, self.station)
        fixtures = self.sandbox.control("fixtures")
        self.tapping = Tapping(self.readers, [
            fixtures[label]["nfc"] for label in ("bike", "drill", "box", "new-bike")])
        self.witness = Witness(self.station)
        self.sent: set[str] = set()
        self.requests = 0
        self.excused: set[str] = set()
        self.submitted: set[str] = set()
        # When everything was up, from and to, by CLOCK_MONOTONIC.
        self.up: list[tuple[int, int]] = []
        self.up_since = 0
        self.places = {"plingsd": Counter(), "plings-pcsc": Counter()}
        self.weathers: Counter[str] = Counter()

    def await_ready(self) -> None:
        """Until all three readers are looked at; from then on no tag may be missed."""
        wait_until("the station's socket", self.station.socket.exists)
        wait_until("three readers", lambda: sum(
            reader["state"] == "ready" for reader in self.station.status()["readers"]) == 3, 30)
        self.up_since = time.monotonic_ns()

    def read_requests(self) -> set[str]:
        """The scans that the API has got so far."""
        found = self.sandbox.control(f"log?op=resolveIdentifier&since={self.requests}")["log"]
        for entry in found:
            self.requests = max(self.requests, entry["seq"])
            self.sent.add(entry["idempotency_key"])
        return self.sent

    def warm_up(self) -> None:
        """Counts the commands that each kind of tag takes."""
        client = self.witness.subscribe()
        for kind in [*self.tapping.uris, FOREIGN, FRESH]:
            tap, since = self.tapping.new_tap(self.random, kind), len(self.witness.seen)
            self.tapping.put_down(tap, "", self.random)
            self.witness.await_scan(client, since, tap)
            self.tapping.commands[kind] = self.tapping.answered(tap)
            self.tapping.take_away(tap)
        client.close()

    def plan(self, places: list[str]) -> list[tuple[str, bool]]:
        """Where each round's kill is to fall, and whether it is led there or comes by chance."""
        aims = [(place, led) for led in (True, False) for place in places]
        plan = (aims * (self.rounds // len(aims) + 1))[:self.rounds]
        self.random.shuffle(plan)
        return plan

    def draw(self, number: int, process: str) -> None:
        """Choices of its own for each kill, whatever came before it."""
        self.random = random.Random(f"{self.seed} {number} {process}")
        # Now and then there is time for a passing tag.
        time.sleep(self.random.choice([0, 0, 2 * LEISURE]))

    def kill_station(self, number: int) -> None:
        self.draw(number, "plingsd")
        aim, led = self.aims["plingsd"][number]
        needs_api = aim in (killing.TOLD, killing.SENT, killing.ANSWERED)
        if needs_api:
            self.weather.fair()
        else:
            self.weathers[self.weather.change(self.random)] += 1
        client = self.witness.subscribe()
        before, since = self.witness.cursor, len(self.witness.seen)
        if self.random.random() < 0.3:
            self.submit()
        tap = None
        if aim != killing.IDLE:
            tap = self.tapping.new_tap(self.random, FRESH if needs_api else None)
        self.approach(aim, led, client, since, tap)
        killed = time.monotonic_ns()
        self.station.kill()
        self.up.append((self.up_since, killed))
        if tap:
            tap.answered = self.tapping.answered(tap, before=killed)
        for event in client.rest():
            self.witness.take(0, event)
        on_disk, queued = self.disk.read(before)
        self.excused |= queued & self.read_requests()
        place = killing.station_place(tap, on_disk, self.witness.told(since), self.sent, queued)
        self.places["plingsd"][place] += 1
        self.station.start()
        client = self.witness.subscribe()
        self.await_ready()
        if tap:
            self.witness.await_scan(client, since, tap)
            self.tapping.take_away(tap)
        self.witness.look(client)
        client.close()

    def submit(self) -> None:
        client = self.station.client(since=None)
        result = client.call("scan.submit", url=self.random.choice(self.tapping.uris))
        client.close()
        self.submitted.add(result["scan"])

    def approach(self, aim: str, led: bool, client: Client, since: int, tap: Tap | None) -> None:
        """Brings plingsd to where it is to be killed, or near it."""
        if tap is None:
            time.sleep(self.random.uniform(0, 0.05))
        elif aim in (killing.READ, killing.STORED, killing.TOLD):
            self.approach_publishing(aim, led, client, since, tap)
        elif aim in (killing.UNASKED, killing.READING):
            self.tapping.put_down(tap, aim, self.random)
            self.approach_reading(aim, tap)
        elif aim in (killing.SENT, killing.ANSWERED):
            self.approach_answer(aim, client, since, tap)
        else:
            self.approach_departure(aim, led, client, since, tap)

    def approach_publishing(
        self, aim: str, led: bool, client: Client, since: int, tap: Tap
    ) -> None:
        """To a moment soon after the tag was read."""
        stopped = Stopped(self.station.process.pid)
        if led:
            stopped.stop()
        self.tapping.put_down(tap, aim, self.random)
        self.tapping.await_answered(tap, tap.commands)
        if not led:
            return spin(self.random.uniform(0, 0.004))
        time.sleep(0.003)
        if aim != killing.READ:
            return self.walk(stopped, aim, client, since, tap)
        for _ in range(self.random.randrange(3)):
            stopped.step(self.random.uniform(2e-5, 8e-5))

    def approach_answer(self, aim: str, client: Client, since: int, tap: Tap) -> None:
        """To a moment while the API is asked, or after it has answered."""
        if aim == killing.SENT:
            self.sandbox.control("faults", {
                "op": "resolveIdentifier", "kind": "slow", "delay": 0.3, "count": 1,
                "match": tap.uri.partition("i=")[2].partition("&")[0],
                "when": self.random.choice(["before", "after"])})
        self.tapping.put_down(tap, aim, self.random)
        self.witness.await_scan(client, since, tap)
        scan = self.witness.scan_of(tap)
        if aim == killing.SENT:
            wait_until("the request", lambda: scan in self.read_requests(), 10)
            return spin(self.random.uniform(0, 0.05))
        self.witness.await_told(
            client, since, "the API's answer", lambda events: any(
                event["type"] == "resolution" and event["source"] == "api" and
                event["scan"] == scan for event in events))
        time.sleep(self.random.uniform(0, 0.1))

    def approach_departure(
        self, aim: str, led: bool, client: Client, since: int, tap: Tap
    ) -> None:
        """To a moment after the tag was taken away."""
        self.tapping.put_down(tap, aim, self.random)
        self.witness.await_scan(client, since, tap)
        self.tapping.take_away(tap)
        if aim == killing.TAKEN or not led:
            longest = GRACE if aim == killing.TAKEN else GRACE + 0.05
            return time.sleep(self.random.uniform(0, longest))
        time.sleep(GRACE - 0.01)
        stopped = Stopped(self.station.process.pid)
        stopped.stop()
        self.walk(stopped, aim, client, since, tap)

    def approach_reading(self, aim: str, tap: Tap) -> None:
        if aim == killing.READING:
            self.tapping.await_answered(tap, self.random.randrange(1, tap.commands))
        spin(self.random.uniform(0, 0.002))

    def walk(self, stopped: Stopped, aim: str, client: Client, since: int, tap: Tap) -> None:
        """Lets plingsd go for microseconds at a time until it stands at the place."""
        path = [*killing.STATION_PLACES, killing.AFTER]
        before = self.witness.cursor
        end = time.monotonic() + 5
        while time.monotonic() < end:
            time.sleep(0.002)
            self.witness.look(client)
            tap.answered = tap.commands
            on_disk, queued = self.disk.read(before)
            told = self.witness.told(since)
            place = killing.station_place(
                tap, told + on_disk, told, self.read_requests(), queued)
            if path.index(place) >= path.index(aim):
                return
            stopped.step(self.random.uniform(2e-5, 1e-4))

    def kill_reader(self, number: int) -> None:
        self.draw(number, "plings-pcsc")
        aim, led = self.aims["plings-pcsc"][number]
        self.weathers[self.weather.change(self.random)] += 1
        client, since = self.witness.subscribe(), len(self.witness.seen)
        tap = None if aim == killing.IDLE else self.tapping.new_tap(self.random)
        [reader] = self.station.reader_processes()
        stopped = Stopped(self.station.process.pid)
        if led and aim == killing.READ_UNTOLD:
            stopped.stop()
        if tap:
            self.tapping.put_down(tap, aim, self.random)
        if aim in (killing.UNASKED, killing.READING):
            self.approach_reading(aim, tap)
        elif aim == killing.READ_UNTOLD:
            self.tapping.await_answered(tap, tap.commands)
            spin(self.random.uniform(0, 0.002))
        else:
            if tap:
                self.witness.await_scan(client, since, tap)
            if aim == killing.TAKEN_UNTOLD:
                self.tapping.take_away(tap)
            time.sleep(self.random.uniform(0, 0.9 * GRACE))
        killed = time.monotonic_ns()
        os.kill(reader, signal.SIGKILL)
        self.up.append((self.up_since, killed))
        stopped.go()
        wait_until("another reader program",
                   lambda: self.station.reader_processes() not in ([], [reader]))
        if tap:
            tap.answered = self.tapping.answered(tap, before=killed)
            if aim != killing.TAKEN_UNTOLD:
                self.witness.await_scan(client, since, tap)
        self.await_ready()
        self.witness.look(client)
        told = [event for at, event in self.witness.seen[since:] if at <= killed]
        self.places["plings-pcsc"][killing.reader_place(tap, told)] += 1
        if tap:
            self.tapping.take_away(tap)
        client.close()
