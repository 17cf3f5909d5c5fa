"""What the reader itself adds to a tag: its limits and its own status words.

The models are the files in ../models, which virtual-readers makes USB devices from.
"""

from __future__ import annotations

import os
from typing import NamedTuple

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "models")
DEFAULT = "acr122u"


class Profile(NamedTuple):
    """How a model answers READ BINARY (FF B0) and refuses, and how long an answer of a tag's own
    it passes on.

    Source: PC/SC Part 3, section 3.2.2, leaves these to the reader.
    """

    model: str
    max_le: int
    le_step: int
    le_zero: int
    sw_bad_le: bytes
    sw_missing: bytes
    max_answer: int  # with the status word; 258 is what a short command can ask for
    sw_long_answer: bytes

    def passes_on(self, command: bytes, answer: bytes) -> bytes:
        """The answer of a tag to a command of its own, as far as the reader has room for it.

        The reader goes by the length that the command asks for (0: whatever there is).
        """
        asked = command[4] if len(command) == 5 else 0
        length = asked + 2 if asked else len(answer)
        return self.sw_long_answer if length > self.max_answer else answer

    @property
    def one_error_for_all(self) -> bool:
        """Whether the reader says 63 00 to whatever goes wrong, as a PN532 behind USB does."""
        return self.sw_missing == b"\x63\x00"


def _entries(model: str) -> dict[str, str]:
    with open(os.path.join(FOLDER, model), encoding="utf-8") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    return {key.strip(): value.strip() for key, value in (line.split("=", 1) for line in lines)}


def profile(model: str) -> Profile:
    """The profile of a model. Raises ValueError for one that there is not."""
    if model not in os.listdir(FOLDER):
        raise ValueError(f"no reader model {model}")
    e = _entries(model)
    return Profile(model, int(e["max_le"]), int(e["le_step"]), int(e["le_zero"]),
                   bytes.fromhex(e["sw_bad_le"]), bytes.fromhex(e["sw_missing"]),
                   int(e.get("max_answer", 258)), bytes.fromhex(e.get("sw_long_answer", "6700")))
