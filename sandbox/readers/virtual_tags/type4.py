"""Type 4 tags: ISO 14443-4 with the NDEF application, also of a DESFire and an NTAG 424.

Source: NFC Forum, Type 4 Tag 1.0 and 1.1; ISO/IEC 7816-4, sections 5.6, 11.2 and 11.3, and GET
RESPONSE.
"""

from __future__ import annotations

import struct

from .tag import (
    END_OF_FILE,
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SATISFIED,
    OK,
    UNKNOWN_CLASS,
    UNKNOWN_INSTRUCTION,
    WRONG_LENGTH,
    WRONG_OFFSET,
    Tag,
    isodep_atr,
)

APPLICATION_1, APPLICATION_2 = bytes.fromhex("D2760000850100"), bytes.fromhex("D2760000850101")
CONTAINER_FILE = 0xE103
SELECT, READ_BINARY, GET_RESPONSE, UPDATE_BINARY = 0xA4, 0xB0, 0xC0, 0xD6

# What a type B card says of itself in ATQB and ATTRIB: application data, protocol info, the maximum
# buffer length. Source: PC/SC Part 3, section 3.1.3.2.3.1.
TYPE_B = bytes.fromhex("00000000 F77185 00")

ATS = {
    "type4": bytes.fromhex("067577810280"),
    "desfire": bytes.fromhex("067577810280"),
    "ntag424": bytes.fromhex("067777710280"),
}


class Type4(Tag):
    """A Type 4 tag: an application with a capability container and an NDEF file."""

    takes = {"area_hex", "mle", "mlc", "fid", "file_size", "v1", "extended", "no_app", "no_file",
             "mle_lax", "write", "read", "exact_le", "by_response"}
    atr = isodep_atr(b"\x80")
    rest = b""  # of an answer, to be fetched by GET RESPONSE

    def build(self) -> None:
        spec, message = self.spec, self.message or b""
        self.historical_bytes = ATS.get(self.kind)
        self.max_le = spec.get("mle", 0x3B)
        self.file_id = spec.get("fid", 0xE104)
        content = (bytes.fromhex(spec["area_hex"]) if "area_hex" in spec else
                   self._length(spec.get("claim", len(message))) + message)
        size = spec.get("file_size", max(256, (len(content) + 31) // 32 * 32))
        self.memory = bytearray((content + bytes(size))[:size])
        self.container = (bytes.fromhex(spec["cc"]) if "cc" in spec else self._container(size))
        # A DESFire comes without the NDEF application; the others with an empty file in it.
        written = self.message is not None or "area_hex" in spec
        self.has_application = not spec.get("no_app") and (written or self.kind != "desfire")
        self.has_file = not spec.get("no_file")
        self.reset()

    def _length(self, length: int) -> bytes:
        """The length in front of the message: two bytes, four in an Extended NDEF file."""
        return struct.pack(">I", length & 0xFFFFFFFF) if self.spec.get("extended") else \
            struct.pack(">H", length & 0xFFFF)

    def _container(self, size: int) -> bytes:
        access = bytes([self.spec.get("read", 0), self.spec.get("write", 0)])
        control = (struct.pack(">BBHI", 6, 8, self.file_id, size) if self.spec.get("extended") else
                   struct.pack(">BBHH", 4, 6, self.file_id, size)) + access
        version = 0x30 if self.spec.get("extended") else 0x10 if self.spec.get("v1") else 0x20
        return struct.pack(">HBHH", 7 + len(control), version, self.max_le,
                           self.spec.get("mlc", 0x34)) + control

    def reset(self) -> None:
        self.in_application = False
        self.selected: bytes | None = None
        self.rest = b""

    def iso(self, apdu: bytes) -> bytes:
        if apdu[0] == 0x90:
            return b"\x91\x1c"  # DESFire's native commands, wrapped: not there
        if apdu[0] != 0:
            return UNKNOWN_CLASS
        if apdu[1] == SELECT:
            return self._select(apdu)
        if apdu[1] == READ_BINARY:
            return self._kept(self._read(apdu))
        if apdu[1] == GET_RESPONSE:
            return self._rest_of_answer(apdu)
        return NOT_SATISFIED if apdu[1] == UPDATE_BINARY else UNKNOWN_INSTRUCTION

    def _select(self, apdu: bytes) -> bytes:
        if len(apdu) < 5 or len(apdu) not in (5 + apdu[4], 6 + apdu[4]):
            return WRONG_LENGTH
        name = apdu[5:5 + apdu[4]]
        if apdu[2] == 4:
            wanted = APPLICATION_1 if self.spec.get("v1") else APPLICATION_2
            self.in_application = name == wanted and self.has_application
            self.selected = None
            return OK if self.in_application else NOT_FOUND
        if apdu[2] != 0 or not self.in_application or len(name) != 2:
            return NOT_FOUND
        files = {CONTAINER_FILE: self.container}
        if self.has_file:
            files[self.file_id] = bytes(self.memory)
        self.selected = files.get(int.from_bytes(name, "big"))
        return OK if self.selected is not None else NOT_FOUND

    def _kept(self, answer: bytes) -> bytes:
        """An answer as it is or, with `by_response`, kept until it is fetched."""
        if not self.spec.get("by_response") or len(answer) == 2:
            return answer
        self.rest = answer[:-2]
        return b"\x61" + bytes([len(self.rest) & 0xFF])

    def _rest_of_answer(self, apdu: bytes) -> bytes:
        if not self.rest or len(apdu) != 5:
            return NOT_ALLOWED if len(apdu) == 5 else WRONG_LENGTH
        count = apdu[4] or 256
        data, self.rest = self.rest[:count], self.rest[count:]
        return data + (b"\x61" + bytes([len(self.rest) & 0xFF]) if self.rest else OK)

    def _read(self, apdu: bytes) -> bytes:
        if self.selected is None:
            return NOT_ALLOWED
        if len(apdu) == 5:
            expected, whatever_there_is = apdu[4] or 256, apdu[4] == 0
        elif len(apdu) == 7 and apdu[4] == 0:  # an extended Le
            expected, whatever_there_is = int.from_bytes(apdu[5:7], "big") or 65536, False
        else:
            return WRONG_LENGTH
        offset = apdu[2] << 8 | apdu[3]
        if apdu[2] & 0x80 or offset >= len(self.selected):
            return WRONG_OFFSET
        if expected > self.max_le and not self.spec.get("mle_lax") and not whatever_there_is:
            return WRONG_LENGTH
        count = min(expected, self.max_le)
        missing = offset + count - len(self.selected)
        if self.spec.get("exact_le") and missing > 0 and not whatever_there_is:
            return b"\x6c" + bytes([(count - missing) & 0xFF])
        data = self.selected[offset:offset + count]
        return data + (OK if len(data) == count or whatever_there_is else END_OF_FILE)


class Type4B(Type4):
    """The same on ISO/IEC 14443 type B: its id is a PUPI of four bytes, and it has no ATS."""

    uid_length = 4
    uid_head = b"\x42"
    atr = isodep_atr(TYPE_B)
