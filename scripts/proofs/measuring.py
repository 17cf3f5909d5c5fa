"""Figures: percentiles, memory of processes, and a socket that is read without delay."""

from __future__ import annotations

import json
import os
import socket
import statistics
import threading
import time
from pathlib import Path

from harness import ROOT


def percentile(values: list[float], share: float) -> float:
    """The value below which that share of all lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def summary(values: list[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    return statistics.median(values), percentile(values, 0.95)


def memory(pid: int) -> dict[str, float]:
    """Resident and proportional set size and the highest resident one so far, in MiB."""
    found: dict[str, float] = {}
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    lines += Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    for line in lines:
        name, _, rest = line.partition(":")
        if name in ("VmRSS", "VmHWM", "Pss"):
            found[name] = int(rest.split()[0]) / 1024
    return found


class Listener:
    """A subscriber that stamps what arrives in a thread of its own, and reads it afterwards."""

    def __init__(self, path: Path, types: list[str]) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        request = {"jsonrpc": "2.0", "id": 1, "method": "subscribe", "params": {"types": types}}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        self.chunks: list[tuple[int, bytes]] = []
        self.replied = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        if not self.replied.wait(20):
            raise SystemExit("the station did not answer a subscription")

    def _read(self) -> None:
        seen = b""
        while data := self.socket.recv(1 << 16):
            self.chunks.append((time.clock_gettime_ns(time.CLOCK_BOOTTIME), data))
            if not self.replied.is_set():
                seen += data
                if b'"id":1' in seen:
                    self.replied.set()

    def close(self) -> None:
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def events(self) -> list[tuple[int, dict]]:
        """Every event with the time (CLOCK_BOOTTIME) of the read that ended its line."""
        found, rest = [], b""
        for at, data in list(self.chunks):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                message = json.loads(line)
                if message.get("method") == "event":
                    found.append((at, message["params"]))
        return found


class Rapid:
    """Orders to a rapid-reader, which the station runs as its reader program."""

    def __init__(self, folder: Path) -> None:
        self.pipe = folder / "orders"
        self.done = self.pipe.with_suffix(".done")
        os.mkfifo(self.pipe)
        self.command = [str(ROOT / "scripts/proofs/rapid-reader"), str(self.pipe)]
        self.next = 1

    def order(self, text: str, count: int, rate: float = 0, kinds: int = 0) -> int:
        """Has so many codes come and go; returns the number of the last one."""
        order = {"first": self.next, "count": count, "rate": rate, "kinds": kinds, "text": text}
        with open(self.pipe, "w") as pipe:
            pipe.write(json.dumps(order) + "\n")
        self.next += count
        return self.next - 1

    def has_done(self, last: int) -> bool:
        """Whether the reader has told of the code of that number."""
        return self.done.exists() and self.done.read_text() == str(last)
