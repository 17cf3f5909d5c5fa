"""The stand-in for the Plings API."""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path
from typing import Any

from .program import ROOT, Deadline, DemoFailed, Program, environment, run

FOLDER = ROOT / "sandbox" / "api"
START_PATIENCE = 30.0
CONTROL_PATIENCE = 5.0
TOKEN = "token-anna"
"""Anna Lind's, who may edit most of the sandbox's objects."""


class SandboxAPI:
    """A sandbox API with a state of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.url = self.control = ""

    @staticmethod
    def prepare(log: Path) -> None:
        """Makes the environment it runs in; quick where that is there."""
        run("sandbox/api/prepare", [FOLDER / "prepare"], log)

    def start(self) -> Program:
        """Starts it and waits until it listens."""
        log = self._folder / "api.log"
        program = Program(
            "the sandbox API",
            [FOLDER / "serve", "--port", "0", "--control-port", "0",
             "--state", self._folder / "api-state"], log, environment(PYTHONUNBUFFERED="1"))
        deadline = Deadline(START_PATIENCE)
        while not (says := re.search(r"^listening on (\S+)\ncontrol on (\S+)\n",
                                     log.read_text(errors="replace"), re.MULTILINE)):
            program.must_run()
            if not deadline.pause():
                program.stop()
                raise DemoFailed("the sandbox API does not listen")
        self.url, self.control = says.groups()
        return program

    def fixtures(self) -> dict[str, Any]:
        """Its objects and tags by label."""
        fixtures: dict[str, Any] = self._get("fixtures")
        return fixtures

    def deliveries(self) -> dict[str, int]:
        """How many scan events it has of each scan's id."""
        counts: dict[str, int] = {}
        for event in self._get("scan_events")["scan_events"]:
            key = event["idempotency_key"]
            counts[key] = counts.get(key, 0) + 1
        return counts

    def _get(self, call: str) -> Any:
        # Never through a proxy: it is this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.control}/_control/{call}", timeout=CONTROL_PATIENCE) as answer:
            return json.load(answer)
