"""What the demonstration stands on: everything started in order, and ended in order."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from .event_feed import Event, EventFeed
from .program import Deadline, DemoFailed, Program, ending
from .progress import Progress
from .sandbox_api import SandboxAPI
from .station import PROGRAMS, Station
from .virtual_readers import READERS, Hand, VirtualReaders

READY_PATIENCE = 20.0
LOOK_EVERY = 0.2
"""Seconds between two looks whether all programs still run."""

LONGEST_FOLDER = 60
"""Bytes up to which a folder for temporary files leaves room for the names of sockets."""


class Stage:
    """The programs of one run, in a folder of their own."""

    def __init__(self, progress: Progress) -> None:
        base = tempfile.gettempdir()
        self.folder = Path(tempfile.mkdtemp(
            prefix="plings-demo-",
            dir=base if len(os.fsencode(base)) <= LONGEST_FOLDER else "/tmp"))
        self.api = SandboxAPI(self.folder)
        self._say = progress.say
        self._station = Station(self.folder)
        self._running: list[Program] = []
        self._endings = ExitStack()

    def start(self, readers: VirtualReaders | None = None) -> EventFeed:
        """Builds and starts everything, and waits until the station is ready."""
        self._say(f"folder: {self.folder}, removed at the end")
        self._say(f"build: {', '.join(PROGRAMS)}, by swift build -c release")
        self._station.build()
        self._start_api()
        if readers:
            self._start_readers(readers)
        self._start_daemon(readers)
        feed = self._feed()
        if not feed.wait(READY_PATIENCE, lambda events: is_ready(events, readers)):
            raise DemoFailed("the station does not become ready; events.jsonl is what it told")
        self._say("plingsd: ready, and the API is online")
        self._say(f"socket: {self._station.socket}, for programs of your own; try in another "
                  f"window:\n    {self._station.command_line('status')}")
        return feed

    def watch(self) -> Program:
        """What people see, on standard output."""
        return self._keep(Program(
            "plingsctl watch", self._station.ctl("watch", "--since", "start"),
            self.folder / "plingsctl.log", stdout=None, stderr=None), may_end=True)

    def hand(self) -> Hand:
        """Lays tags on the readers."""
        hand = Hand(self.folder / "tags.log")
        self._keep(hand.program)
        return hand

    def look_after(self) -> None:
        """Fails where a program has died."""
        for program in self._running:
            program.must_run()

    def pass_time(self, seconds: float, watch: Program) -> bool:
        """Waits so long while all run; false where nobody watches any more."""
        deadline = Deadline(seconds)
        while watch.runs:
            self.look_after()
            if not deadline.pause(LOOK_EVERY):
                return True
        return False

    def end(self) -> None:
        """Ends everything that runs, the last one first."""
        self._endings.close()

    @property
    def has_logs(self) -> bool:
        """Whether there is anything to look at afterwards."""
        return any(path.is_file() for path in self.folder.iterdir())

    def remove(self) -> None:
        """Removes the folder."""
        shutil.rmtree(self.folder)

    def _start_api(self) -> None:
        self._say("sandbox API: its Python environment in .cache")
        self.api.prepare(self.folder / "prepare.log")
        self._keep(self.api.start())
        self._say(f"sandbox API: {self.api.url}, its control: {self.api.control}")

    def _start_readers(self, readers: VirtualReaders) -> None:
        self._endings.callback(readers.stop)
        readers.start()
        names = " and ".join(f"{name} ({model})" for name, model in READERS.items())
        self._say(f"virtual readers: {names} on a private pcscd")

    def _start_daemon(self, readers: VirtualReaders | None) -> None:
        configuration = self._station.configure(f"{self.api.url}/graphql", readers is not None)
        daemon = self._station.launch(configuration, readers.variables if readers else {})
        self._keep(daemon, must_end_well=True)
        self._station.wait_for(daemon)
        self._say(f"plingsd: started with {configuration}")

    def _feed(self) -> EventFeed:
        feed = EventFeed(
            self._station.ctl("watch", "--json", "--since", "start"), self.folder, self.look_after)
        self._keep(feed.program)
        return feed

    def _keep(self, program: Program, may_end: bool = False,
              must_end_well: bool = False) -> Program:
        if not may_end:
            self._running.append(program)

        def end() -> None:
            status = program.stop()
            if must_end_well and status != 0:
                raise DemoFailed(f"{program.name} did not stop as it should: {ending(status)}")

        self._endings.callback(end)
        return program


def is_ready(events: Sequence[Event], readers: VirtualReaders | None) -> bool:
    """Whether the API was reached, and each of the virtual readers."""
    names = set(READERS) if readers else set()
    states = {event["reader"]["name"]: event["state"] for event in events
              if event["type"] == "reader"}
    online = any(event["type"] == "api" and event["state"] == "online" for event in events)
    return online and all(states.get(name) == "ready" for name in names)
