"""A reader program that tells, as its device's reason, what it may do within the unit's walls.

usage: python3 systemd_probe.py DEVICE...
"""

from __future__ import annotations

import errno
import json
import os
import select
import socket
import stat
import sys
from typing import Callable

# What the kernel says about a device that nobody has plugged in, to whoever may open it.
ABSENT = {errno.ENXIO, errno.ENODEV, errno.EIO}


def refused(action: Callable[[], object]) -> bool:
    try:
        action()
    except OSError:
        return True
    return False


def opens(device: str) -> bool:
    try:
        os.close(os.open(device, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY))
    except OSError as error:
        return error.errno in ABSENT
    return True


def main() -> None:
    devices = sys.argv[1:]
    closed = [device for device in devices if not opens(device)]
    held = {
        "/etc/shadow": refused(lambda: open("/etc/shadow", "rb")),
        "/usr": refused(lambda: open("/usr/probe", "wb")),
        "/home": refused(lambda: os.listdir("/home/anna")),
        "raw sockets": refused(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)),
        "mknod": refused(lambda: os.mknod("/tmp/probe", stat.S_IFCHR, os.makedev(1, 3))),
    }
    gave_way = [name for name, holds in held.items() if not holds]
    reason = f"opens {' '.join(d for d in devices if d not in closed)}"
    reason += f"; refused: {', '.join(name for name in held if name not in gave_way)}"
    if closed or gave_way:
        reason = f"can't open {closed}; not refused: {gave_way}"
    say({"reader": {"protocol": 1, "program": "probe", "version": "1"}})
    state = "degraded" if closed or gave_way else "ready"
    say({"device": {"id": "probe", "name": "probe", "state": state, "reason": reason}})
    while not select.select([sys.stdin], [], [], 5)[0]:
        say({"alive": {}})


def say(line: dict) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
