"""What the demonstration says of itself."""

from __future__ import annotations

import os
import signal
import sys
import time

from .interruption import Interruption


class Progress:
    """Says in a line what is done, and how long after the start."""

    def __init__(self, begun: float) -> None:
        """`begun`: when the demonstration was started, in seconds since the epoch."""
        # From here on by a clock that nobody sets.
        self._begun = time.monotonic() - max(0.0, time.time() - begun)

    def say(self, sentence: str) -> None:
        """Says a sentence."""
        self.show(f"[{time.monotonic() - self._begun:5.1f} s] {sentence}")

    def show(self, text: str) -> None:
        """Shows text as it is; where nobody reads any more, that ends the demonstration."""
        try:
            print(text, flush=True)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise Interruption(signal.SIGPIPE) from None
