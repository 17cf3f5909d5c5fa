"""What may go wrong between a tag and its reader.

APDUs are counted from 1, over all of a tag's time on the reader.
"""

from __future__ import annotations

import random
import threading
from typing import Any

MEMBERS = {
    "pull_after", "pull_after_ms", "hang_at", "delay_ms", "jitter_ms", "error_at", "error_from",
    "error_p", "sw", "truncate_at", "short_at", "keep", "garbage_at", "garbage_len", "noise_at",
    "slow_atr_ms",
}


class Faults:
    """The faults of one tag's description."""

    def __init__(self, spec: dict[str, Any]) -> None:
        if unknown := set(spec) - MEMBERS:
            raise ValueError(f"there is no fault {', '.join(sorted(unknown))}")
        self.spec = spec
        self.status_word = bytes.fromhex(spec.get("sw", "6300"))

    def pulled_before(self, number: int) -> bool:
        """Whether the tag is taken away instead of answering this APDU."""
        limit = self.spec.get("pull_after")
        return limit is not None and number > limit

    def hangs_at(self, number: int) -> bool:
        """Whether the tag never answers this APDU, though it stays on the reader."""
        first = self.spec.get("hang_at")
        return first is not None and number >= first

    def seconds_before_pull(self) -> float | None:
        """After how long the tag is taken away, whatever goes on."""
        milliseconds = self.spec.get("pull_after_ms")
        return None if milliseconds is None else milliseconds / 1000

    def wait_for_atr(self, gone: threading.Event) -> None:
        """Holds the ATR back."""
        gone.wait(self.spec.get("slow_atr_ms", 0) / 1000)

    def wait_for_answer(self, gone: threading.Event) -> None:
        """Holds an answer back."""
        if "delay_ms" in self.spec or "jitter_ms" in self.spec:
            jitter = random.uniform(0, self.spec.get("jitter_ms", 0))
            gone.wait((self.spec.get("delay_ms", 0) + jitter) / 1000)

    def spoil(self, number: int, answer: bytes) -> bytes:
        """The answer as it reaches the reader."""
        if self._fails(number):
            answer = self.status_word
        keep = self.spec.get("keep", 1)
        if self._hits("truncate_at", number):  # the status word is lost with the rest
            answer = answer[:keep]
        if self._hits("short_at", number) and len(answer) > 2:
            answer = answer[:-2][:keep] + answer[-2:]
        if self._hits("garbage_at", number):
            answer = random.randbytes(self.spec.get("garbage_len", random.randint(1, 64)))
        if self._hits("noise_at", number) and len(answer) > 2:
            answer = random.randbytes(len(answer) - 2) + answer[-2:]
        return answer

    def _fails(self, number: int) -> bool:
        spec = self.spec
        return (number in spec.get("error_at", ())
                or ("error_from" in spec and number >= spec["error_from"])
                or random.random() < spec.get("error_p", 0))

    def _hits(self, fault: str, number: int) -> bool:
        return self.spec.get(fault) in (number, "all")
