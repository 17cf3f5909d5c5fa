"""Type 2 tags: MIFARE Ultralight, NTAG21x and a large one of no maker.

Source: NFC Forum, Type 2 Tag 1.2; NXP, NTAG213/215/216, sections 8.5 and 10.
"""

from __future__ import annotations

from typing import NamedTuple

from . import tlv
from .tag import NOT_SUPPORTED, Tag, storage_atr

PAGE = 4


class Model(NamedTuple):
    """How large a tag is and what it says of itself."""

    pages: int
    cc_size: int  # the third byte of the capability container: the area's size in units of 8
    version: bytes | None = None  # the answer to GET_VERSION
    card_name: int = 0x0003  # PC/SC Part 3 supplement: MIFARE Ultralight
    settings: bytes = b""  # the last pages: dynamic lock bytes and configuration


def _ntag(pages: int, cc_size: int, size_code: int) -> Model:
    settings = bytes.fromhex("000000BD 040000FF 00050000 00000000 00000000")
    return Model(pages, cc_size, bytes([0, 4, 4, 2, 1, 0, size_code, 3]), settings=settings)


MODELS = {
    "ultralight": Model(16, 0x06),
    "ultralight_c": Model(48, 0x12, card_name=0x003A),
    "ntag213": _ntag(45, 0x12, 0x0F),
    "ntag215": _ntag(135, 0x3E, 0x11),
    "ntag216": _ntag(231, 0x6D, 0x13),
    "type2_2k": Model(512, 0xFE),
}


class Type2(Tag):
    """A Type 2 tag: a header of four pages, then the TLV area."""

    takes = {"pre", "post", "long_tlv", "no_term", "area_hex", "mem_hex", "cut"}
    lost = False  # a tag that was asked for a page it does not have waits to be selected anew

    def build(self) -> None:
        model = MODELS[self.kind]
        self.memory = bytearray(model.pages * PAGE)
        self.memory[len(self.memory) - len(model.settings):] = model.settings
        self.memory[0:10] = self._header()
        written = self.message is not None or "area_hex" in self.spec
        if not written and "cc" not in self.spec:
            return  # as from the factory: no capability container
        size = model.cc_size * 8
        self.memory[12:16] = (bytes.fromhex(self.spec["cc"]) if "cc" in self.spec
                              else bytes([0xE1, 0x10, model.cc_size, 0x00]))
        self.memory[16:16 + size] = tlv.fitted(tlv.area(self.spec, self.message), size, self.spec)

    def _header(self) -> bytes:
        """The UID with its check bytes, and the internal byte."""
        uid = (self.uid + bytes(7))[:7]
        first = 0x88 ^ uid[0] ^ uid[1] ^ uid[2]
        second = uid[3] ^ uid[4] ^ uid[5] ^ uid[6]
        return uid[:3] + bytes([first]) + uid[3:] + bytes([second, 0x48])

    def atr_on_reader(self) -> bytes:
        return storage_atr(3, MODELS[self.kind].card_name)

    def reset(self) -> None:
        self.lost = False

    def answer(self, apdu: bytes) -> bytes:
        """A reader with one error for all does not select a tag anew that it has lost."""
        if self.lost and self.profile.one_error_for_all:
            return self.profile.sw_missing
        return super().answer(apdu)

    def pseudo(self, apdu: bytes) -> bytes:
        if apdu[1] == 0xB0 and len(apdu) >= 5:
            page = apdu[2] << 8 | apdu[3]
            self.lost = page * PAGE >= len(self.memory)
            return self.read_binary(page * PAGE, apdu[4], rolls_over=True)
        return NOT_SUPPORTED

    def raw(self, frame: bytes) -> bytes | None:
        pages, version = len(self.memory) // PAGE, MODELS[self.kind].version
        if len(frame) >= 2 and frame[0] == 0x30 and frame[1] < pages:  # READ
            start = frame[1] * PAGE
            return bytes(self.memory + self.memory[:16])[start:start + 16]
        if len(frame) >= 3 and frame[0] == 0x3A and version:  # FAST_READ
            first, last = frame[1:3]
            return bytes(self.memory[first * PAGE:(last + 1) * PAGE]) if first <= last < pages \
                else None
        return version if frame[:1] == b"\x60" else None
