"""How somebody ends the demonstration."""

from __future__ import annotations

import signal
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption(BaseException):
    """Somebody ends the demonstration; `number` is the signal that says so."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def allow() -> None:
    """From now on a signal raises an interruption, the first one."""
    for number in ENDING:
        signal.signal(number, _raise)


def refuse() -> None:
    """From now on signals do nothing."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def _raise(number: int, _: FrameType | None) -> None:
    refuse()
    raise Interruption(number)
