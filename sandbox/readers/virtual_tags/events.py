"""What is told on standard output: one JSON object a line, with the time by two clocks."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import Any

_lock = threading.Lock()


class Stamp:
    """A moment: CLOCK_MONOTONIC, and CLOCK_BOOTTIME, which counts suspended time too."""

    def __init__(self) -> None:
        self.monotonic = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        self.boot = time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def tell(event: str, stamp: Stamp | None = None, **members: Any) -> None:
    """Writes one event at once; its time is now unless a stamp is given."""
    stamp = stamp or Stamp()
    line = json.dumps({"ev": event, "ns": stamp.monotonic, "bootNs": stamp.boot, **members})
    with _lock:
        try:
            os.write(1, line.encode() + b"\n")
        except BrokenPipeError:  # nobody listens any more: the tags go with this process
            os._exit(1)
