"""The TLV area of Type 2, Type 5 and MIFARE Classic tags, and lies about it.

Source: NFC Forum, Type 2 Tag 1.2, section 2.3 (TLV blocks).
"""

from __future__ import annotations

import struct
from typing import Any

NDEF, TERMINATOR = 0x03, 0xFE

# Blocks that may stand before the NDEF message, by name. "lock" is the one that an NTAG213 leaves
# the factory with (NXP, NTAG213/215/216, section 8.5.6).
NAMED = {
    "null": bytes.fromhex("00"),
    "lock": bytes.fromhex("0103A00C34"),
    "memory": bytes.fromhex("0203A04034"),
    "prop": bytes.fromhex("FD0876656E646F720001"),
}


def block(tag: int, value: bytes, long: bool = False, claim: int | None = None) -> bytes:
    """One TLV block; `claim` is the length it says where that is not the true one."""
    length = len(value) if claim is None else claim
    if long or length > 254:
        return bytes([tag, 0xFF]) + struct.pack(">H", length & 0xFFFF) + value
    return bytes([tag, length]) + value


def area(spec: dict[str, Any], message: bytes | None) -> bytes:
    """The area that a tag's description stands for.

    `area_hex` is taken as it is. Else: `pre`, the NDEF message's block, `post`, a terminator.
    """
    if "area_hex" in spec:
        return bytes.fromhex(spec["area_hex"])
    bytes_ = b"".join(NAMED.get(name) or bytes.fromhex(name) for name in spec.get("pre", []))
    if message is not None:
        bytes_ += block(NDEF, message, spec.get("long_tlv", False), spec.get("claim"))
    bytes_ += bytes.fromhex(spec.get("post", ""))
    return bytes_ if spec.get("no_term") else bytes_ + bytes([TERMINATOR])


def fitted(area_bytes: bytes, room: int, spec: dict[str, Any]) -> bytes:
    """The area filled up with zeros to the tag's room.

    A terminator that alone doesn't fit is left out, as the specification allows; anything else
    that is too large raises ValueError, or is cut where the description says `cut`.
    """
    if len(area_bytes) == room + 1 and area_bytes[-1] == TERMINATOR:
        area_bytes = area_bytes[:-1]
    if len(area_bytes) > room and not spec.get("cut"):
        raise ValueError(f"{len(area_bytes)} bytes don't fit, {spec['kind']} has {room}")
    return (area_bytes + bytes(room))[:room]
