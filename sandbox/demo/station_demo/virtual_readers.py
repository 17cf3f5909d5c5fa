"""Virtual readers on a private pcscd, and the tags that lie on them."""

from __future__ import annotations

import json
import queue
import random
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from .program import ROOT, DemoFailed, Program, environment

FOLDER = ROOT / "sandbox" / "readers"
READERS = {"entrance": "acr122u", "shelf": "acr1252u"}
"""The readers' names at the station, and their models."""

NAMES = {"acr122u": "ACS ACR122U*", "acr1252u": "ACS ACR1252*"}
"""What a model's PC/SC name begins with."""

PORT_ATTEMPTS = 5
COMMAND_PATIENCE = 60.0
TAG_PATIENCE = 10.0


class VirtualReaders:
    """A private pcscd with a reader of each model."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.ports: dict[str, int] = {}
        """The port of each reader, by its name at the station."""

    @property
    def variables(self) -> dict[str, str]:
        """What leads a PC/SC client to this pcscd."""
        return {"PCSCLITE_CSOCK_NAME": str(self._folder / "run" / "pcscd.comm")}

    def start(self) -> None:
        """Starts pcscd and plugs the readers in."""
        self._command("start", "0")
        for name, model in READERS.items():
            self.ports[name] = self._plug(model)

    def stop(self) -> None:
        """Ends pcscd, if it runs."""
        self._command("stop")

    def _plug(self, model: str) -> int:
        for _ in range(PORT_ATTEMPTS - 1):
            port = free_port()
            try:
                self._command("plug", str(port), model)
                return port
            except DemoFailed:
                continue  # somebody else may have taken the port since
        port = free_port()
        self._command("plug", str(port), model)
        return port

    def _command(self, command: str, *arguments: str) -> None:
        # In a session of its own and to its end: half-way a pcscd could be left behind.
        result = subprocess.run(
            [FOLDER / "virtual-readers", command, self._folder, *arguments], env=environment(),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, start_new_session=True,
            timeout=COMMAND_PATIENCE)
        if result.returncode != 0:
            raise DemoFailed(f"virtual-readers {command} failed: {result.stderr.strip()}")


def free_port() -> int:
    """A port that is free now, below those that the kernel hands out itself."""
    while True:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", random.randrange(20000, 32000)))
            except OSError:
                continue
            port: int = probe.getsockname()[1]
            return port


class Hand:
    """Lays tags on readers and takes them away."""

    def __init__(self, log: Path) -> None:
        self.program = Program(
            "tags.py", [sys.executable, FOLDER / "tags.py"], log, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._line = 0
        threading.Thread(target=self._read, daemon=True).start()

    def lay(self, port: int, card: dict[str, Any]) -> None:
        """Lays a tag on a reader."""
        self._do({"port": port, "insert": card})

    def take(self, port: int) -> None:
        """Takes away what lies on a reader."""
        self._do({"port": port, "remove": True})

    def stop(self) -> None:
        """Takes everything away."""
        self.program.stop()

    def _do(self, step: dict[str, Any]) -> None:
        self.program.must_run()
        self._line += 1
        assert self.program.process.stdin
        self.program.process.stdin.write(json.dumps(step).encode() + b"\n")
        self.program.process.stdin.flush()
        try:
            answer = self._answers.get(timeout=TAG_PATIENCE)
        except queue.Empty:
            raise DemoFailed(f"tags.py did not answer {step}") from None
        if answer["ev"] != "ack" or answer["line"] != self._line:
            raise DemoFailed(f"tags.py could not do {step}: {answer.get('why', answer)}")

    def _read(self) -> None:
        for line in self.program.output:
            event = json.loads(line)
            if "line" in event:
                self._answers.put(event)
