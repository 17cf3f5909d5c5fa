"""What the end-to-end tests stand on: a private pcscd, its client and the tags on its readers."""

from __future__ import annotations

import json
import os
import queue
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

READERS = Path(__file__).resolve().parents[1]
TOOL = READERS / "virtual-readers"
BENCHMARKS = READERS.parents[1] / "Benchmarks"
PATIENCE = 10.0  # seconds; only a failing test waits so long


def free_ports(count: int) -> int:
    """The first of so many neighbouring ports, below those that the kernel hands out itself."""
    while True:
        first = random.randrange(20000, 32000)
        probes = [socket.socket() for _ in range(count)]
        try:
            for offset, probe in enumerate(probes):
                probe.bind(("127.0.0.1", first + offset))
            return first
        except OSError:
            continue
        finally:
            for probe in probes:
                probe.close()


class Lines:
    """The lines that a process writes, to be awaited."""

    ends_with_input = True

    def __init__(self, *command: str | Path, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen([str(c) for c in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=env)
        self.seen: list[str] = []
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._queue.put(line.decode().rstrip("\n"))
        self._queue.put(None)

    def next(self) -> str:
        """The next line."""
        try:
            line = self._queue.get(timeout=PATIENCE)
        except queue.Empty:
            line = None
        if line is None:
            raise AssertionError(f"no further line after {self.seen}")
        self.seen.append(line)
        return line

    def until(self, beginning: str) -> str:
        """The next line that begins so; those before it are passed over."""
        while not (line := self.next()).startswith(beginning):
            pass
        return line

    def write(self, line: str) -> None:
        """Writes a line to the process at once."""
        assert self.process.stdin
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def close(self) -> int:
        """Ends the process and returns its exit status."""
        assert self.process.stdin and self.process.stdout
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        if not self.ends_with_input:
            self.process.terminate()
        self.process.wait(PATIENCE)
        self._thread.join(PATIENCE)
        self.process.stdout.close()
        return self.process.returncode


class Watch(Lines):
    """A client that tells what comes and goes."""

    ends_with_input = False


class Tags(Lines):
    """Tags on readers, driven line by line."""

    def __init__(self, port: int, *options: str) -> None:
        super().__init__(sys.executable, READERS / "tags.py", "--port", str(port), *options)
        self.events: list[dict[str, Any]] = []
        self._passed: list[dict[str, Any]] = []  # read, but nobody has asked for them yet

    def _next_event(self) -> dict[str, Any]:
        event = json.loads(self.next())
        self.events.append(event)
        return event

    def event(self, kind: str, **members: Any) -> dict[str, Any]:
        """The first event of this kind with these members that was not asked for before."""
        def fits(event: dict[str, Any]) -> bool:
            return event["ev"] == kind and members.items() <= event.items()

        for index, event in enumerate(self._passed):
            if fits(event):
                return self._passed.pop(index)
        while not fits(event := self._next_event()):
            self._passed.append(event)
        return event

    def do(self, **step: Any) -> dict[str, Any]:
        """Carries out a line and returns its answer, an ack or an error."""
        self.write(json.dumps(step))
        while "line" not in (event := self._next_event()):
            self._passed.append(event)
        return event


class PrivatePcscd:
    """A private pcscd in a folder of its own, and what was compiled for the tests."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="virtual-readers-"))
        self.probe_path, self.bare_path = self.folder / "probe", self.folder / "bare-pcsc"
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libpcsclite"], check=True,
                               capture_output=True, text=True).stdout.split()
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", self.probe_path,
                        READERS / "tests" / "probe.c", *flags], check=True)
        subprocess.run([BENCHMARKS / "bare-pcsc" / "build", self.bare_path], check=True)
        self.run("build")

    def run(self, command: str, *arguments: Any, folder: Path | None = None,
            **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a command of virtual-readers."""
        return subprocess.run(
            [TOOL, command, folder or self.folder, *map(str, arguments)], text=True,
            capture_output=True, timeout=3 * PATIENCE,
            env={**os.environ, "VIRTUAL_READERS_BUILT": str(self.folder), **environment})

    def start(self, count: int, port: int, model: str = "acr122u", **environment: str) -> None:
        """Starts pcscd with readers."""
        result = self.run("start", count, port, model, **environment)
        if result.returncode:
            raise AssertionError(result.stderr)

    @property
    def process(self) -> int:
        """pcscd's process id."""
        return int((self.folder / "pcscd").read_text().split()[0])

    def environment(self) -> dict[str, str]:
        """What leads a client to this pcscd."""
        return {**os.environ, "PCSCLITE_CSOCK_NAME": str(self.folder / "run" / "pcscd.comm")}

    def watch(self) -> Watch:
        """A client that tells what comes and goes."""
        return Watch(self.probe_path, "watch", env=self.environment())

    def bare(self, *options: str) -> Lines:
        """The benchmarks' bare client."""
        return Lines(self.bare_path, *options, env=self.environment())

    def probe(self, *arguments: str) -> list[str]:
        """What one run of the client prints."""
        result = subprocess.run([self.probe_path, *arguments], env=self.environment(), text=True,
                                capture_output=True, timeout=PATIENCE)
        return result.stdout.splitlines()

    def close(self) -> None:
        """Stops pcscd and removes its folder."""
        self.run("stop")
        shutil.rmtree(self.folder)


def cpu_ticks(process: int) -> int:
    """How much processor time a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
