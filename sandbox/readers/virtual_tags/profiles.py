"""What the reader itself adds to a tag: its limits and its own status words.

The models are the files in ../models, which virtual-readers makes USB devices from.
"""

from __future__ import annotations

import os
from typing import NamedTuple

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "models")
DEFAULT = "acr122u"


class Profile(NamedTuple):
    """How a model answers READ BINARY (FF B0) and refuses.

    Source: PC/SC Part 3, section 3.2.2, leaves these to the reader.
    """

    model: str
    max_le: int
    le_step: int
    le_zero: int
    sw_bad_le: bytes
    sw_missing: bytes

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
                   bytes.fromhex(e["sw_bad_le"]), bytes.fromhex(e["sw_missing"]))
