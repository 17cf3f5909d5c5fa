"""Programs that the demonstration starts, and ends by their process id."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[3]
"""The repository."""

STOP_PATIENCE = 10.0
"""Seconds a program may take to end before it is killed."""

LOG_END = 15
"""How many lines of a log are shown where its program failed."""


class DemoFailed(Exception):
    """What went wrong, in a sentence for the person in front of the screen."""


def environment(**more: str) -> dict[str, str]:
    """The environment of all programs: caches lie in the repository's own."""
    cache = ROOT / ".cache"
    return {**os.environ, "XDG_CACHE_HOME": str(cache), "PIP_CACHE_DIR": str(cache / "pip"), **more}


class Program:
    """A program in the background; what it writes goes to a log unless the caller takes it.

    It has a session of its own, so that Ctrl-C reaches the demonstration alone, which then ends
    its programs in order. Should the demonstration be killed, they are told to end.
    """

    def __init__(self, name: str, command: Sequence[str | Path], log: Path,
                 env: Mapping[str, str] | None = None, **streams: Any) -> None:
        """`streams`: `stdin`, `stdout`, `stderr` as for subprocess.Popen, where not as usual."""
        self.name, self.log = name, log
        with log.open("ab") as file:
            usual = {"stdin": subprocess.DEVNULL, "stdout": file, "stderr": file}
            self.process: subprocess.Popen[bytes] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", "--", *map(str, command)], cwd=ROOT,
                env=env or environment(), start_new_session=True, **{**usual, **streams})

    @property
    def output(self) -> IO[bytes]:
        """What it writes, where the caller asked for a pipe."""
        assert self.process.stdout
        return self.process.stdout

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def must_run(self) -> None:
        """Fails where it has ended, with the end of its log."""
        status = self.process.poll()
        if status is not None:
            raise DemoFailed(f"{self.name} has ended: {ending(status)}{log_end(self.log)}")

    def stop(self) -> int:
        """Ends it; returns its exit status."""
        return stop(self.process)


def stop(process: subprocess.Popen[bytes]) -> int:
    """Ends a program that leads a session, with what is left of its session; its exit status."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
    status = process.wait()
    # Twice, for what the members were about to start.
    for _ in range(2):
        for member in members(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(member, signal.SIGKILL)
    return status


def members(session: int) -> list[int]:
    """The processes of a session. Source: proc_pid_stat(5), the sixth field."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(file.read_text().rpartition(")")[2].split()[3]) == session:
                found.append(int(file.parent.name))
    return found


def run(name: str, command: Sequence[str | Path], log: Path | None = None,
        env: Mapping[str, str] | None = None) -> None:
    """Runs a program to its end, which must be a good one; without a log it shows what it says."""
    with (log or Path(os.devnull)).open("ab") as file:
        process = subprocess.Popen(
            list(map(str, command)), cwd=ROOT, env=env or environment(), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=file if log else None, stderr=file if log else None)
        try:
            status = process.wait()
        except BaseException:
            stop(process)
            raise
    if status != 0:
        raise DemoFailed(f"{name} failed: {ending(status)}{log_end(log) if log else ''}")


def ending(status: int) -> str:
    """How a program ended, in words."""
    if status < 0:
        return f"killed by {signal.Signals(-status).name}"
    return f"exit status {status}"


def log_end(log: Path) -> str:
    """The last lines of a log, to be shown below a sentence."""
    lines = log.read_text(errors="replace").splitlines()[-LOG_END:]
    return "".join(f"\n    {line}" for line in lines)


class Deadline:
    """A time to wait for something that an outside program does."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def remaining(self) -> float:
        """Seconds that are left; none below 0."""
        return max(0.0, self._end - time.monotonic())

    def pause(self, seconds: float = 0.02) -> bool:
        """Waits a moment before looking again; false where the time is over."""
        if self.remaining == 0:
            return False
        time.sleep(min(seconds, self.remaining))
        return True
