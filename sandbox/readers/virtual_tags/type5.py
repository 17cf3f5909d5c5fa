"""Type 5 tags: ISO 15693, here an ICODE SLIX2 with blocks of four bytes.

Source: NFC Forum, Type 5 Tag 1.0, section 4.3; NXP, ICODE SLIX 2.
"""

from __future__ import annotations

from . import tlv
from .tag import NOT_SUPPORTED, Tag, storage_atr

BLOCK = 4


class Type5(Tag):
    """A Type 5 tag: a capability container of one block, then the TLV area."""

    takes = {"pre", "post", "long_tlv", "no_term", "area_hex", "mem_hex", "cut", "blocks"}
    uid_length = 8
    uid_head = b"\xe0\x04\x01\x50"
    atr = storage_atr(0x0B, 0x0014)  # ICODE SLI

    def build(self) -> None:
        size = self.spec.get("blocks", 80) * BLOCK
        self.memory = bytearray(size)
        written = self.message is not None or "area_hex" in self.spec
        if not written and "cc" not in self.spec:
            return
        container = (bytes.fromhex(self.spec["cc"]) if "cc" in self.spec
                     else bytes([0xE1, 0x40, (size - BLOCK) // 8, 0x01]))
        area = tlv.area(self.spec, self.message)
        self.memory = bytearray(container + tlv.fitted(area, size - len(container), self.spec))

    def pseudo(self, apdu: bytes) -> bytes:
        if apdu[1] == 0xB0 and len(apdu) >= 5:
            return self.read_binary((apdu[2] << 8 | apdu[3]) * BLOCK, apdu[4], rolls_over=False)
        return NOT_SUPPORTED
