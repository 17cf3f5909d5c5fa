"""Type 3 tags: FeliCa, by direct transmit on an ACR122U and by READ BINARY elsewhere.

Source: NFC Forum, Type 3 Tag 1.0; JIS X 6319-4.
"""

from __future__ import annotations

import struct

from .tag import NOT_ALLOWED, NOT_FOUND, NOT_SUPPORTED, OK, Tag, storage_atr

BLOCK, MOST_BLOCKS_A_READ = 16, 4
POLLING, READ_WITHOUT_ENCRYPTION = 0x00, 0x06
NDEF_SYSTEM, ANY_SYSTEM = b"\x12\xfc", b"\xff\xff"
SERVICES = (b"\x0b\x00", b"\x09\x00")  # little endian: read only, read and write


def _frame(body: bytes) -> bytes:
    return bytes([len(body) + 1]) + body


class Type3(Tag):
    """A Type 3 tag: an attribute block, then the message."""

    takes = {"mem_hex"}
    uid_length, uid_head = 8, b"\x02\xfe"
    historical_bytes = bytes.fromhex("00F1000000014300")  # PMm

    def build(self) -> None:
        message = self.message or b""
        blocks = max(13, (len(message) + BLOCK - 1) // BLOCK)
        attributes = bytes(BLOCK)
        if "cc" in self.spec:
            attributes = bytes.fromhex(self.spec["cc"])
        elif self.message is not None:
            attributes = self._attributes(blocks, self.spec.get("claim", len(message)))
        self.memory = bytearray(attributes + (message + bytes(blocks * BLOCK))[:blocks * BLOCK])
        self.reset()

    @staticmethod
    def _attributes(blocks: int, length: int) -> bytes:
        """Version 1.0, four blocks a read, one a write, writable; and a checksum."""
        body = (bytes([0x10, MOST_BLOCKS_A_READ, 1]) + struct.pack(">H", blocks) + bytes(4)
                + b"\x00\x01" + length.to_bytes(3, "big"))
        return body + struct.pack(">H", sum(body))

    def atr_on_reader(self) -> bytes:
        if self.profile.model == "acr122u":
            return storage_atr(3, 0xF011)  # its own name for FeliCa 212K
        return storage_atr(0x11, 0x003B)

    def reset(self) -> None:
        self.service_selected = False

    def raw(self, frame: bytes) -> bytes | None:
        if len(frame) < 2 or frame[0] != len(frame):
            return None
        if frame[1] == POLLING and len(frame) >= 6 and frame[2:4] in (ANY_SYSTEM, NDEF_SYSTEM):
            system = NDEF_SYSTEM if frame[4] == 1 else b""
            return _frame(b"\x01" + self.uid + self.historical_bytes + system)
        if frame[1] == READ_WITHOUT_ENCRYPTION and len(frame) >= 16 and frame[2:10] == self.uid:
            return _frame(b"\x07" + self.uid + self._read_blocks(frame[10:]))
        return None

    def _read_blocks(self, request: bytes) -> bytes:
        """Status flags, and the blocks where all is well."""
        if request[0] != 1 or request[1:3] not in SERVICES:
            return b"\x01\xa6"
        count, at, data = request[3], 4, b""
        if not 0 < count <= MOST_BLOCKS_A_READ:
            return b"\xff\xa2"
        for _ in range(count):
            size = 2 if at < len(request) and request[at] & 0x80 else 3
            element = request[at:at + size]
            if len(element) < size:
                return b"\xff\xa1"
            start = int.from_bytes(element[1:], "little") * BLOCK
            if start + BLOCK > len(self.memory):
                return b"\x01\xa8"
            data += self.memory[start:start + BLOCK]
            at += size
        return b"\x00\x00" + bytes([count]) + data

    def pseudo(self, apdu: bytes) -> bytes:
        if self.profile.model == "acr122u":
            return self.profile.sw_missing if apdu[1] == 0xB0 else NOT_SUPPORTED
        if apdu[1:4] == b"\xa4\x00\x01" and len(apdu) >= 7 and apdu[4] == 2:  # SELECT a service
            self.service_selected = apdu[5:7] in SERVICES
            return OK if self.service_selected else NOT_FOUND
        if apdu[1] == 0xB0 and len(apdu) >= 5:
            if not self.service_selected:
                return NOT_ALLOWED
            return self.read_binary((apdu[2] << 8 | apdu[3]) * BLOCK, apdu[4], rolls_over=False)
        return NOT_SUPPORTED
