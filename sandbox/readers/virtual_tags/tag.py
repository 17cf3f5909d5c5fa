"""What all tags have in common, and the commands that the reader answers for them."""

from __future__ import annotations

import os
from typing import Any

from . import ndef, profiles

OK = b"\x90\x00"
WRONG_LENGTH = b"\x67\x00"
END_OF_FILE = b"\x62\x82"
NOT_SATISFIED = b"\x69\x82"
NOT_ALLOWED = b"\x69\x86"
NOT_SUPPORTED = b"\x6a\x81"
NOT_FOUND = b"\x6a\x82"
WRONG_OFFSET = b"\x6b\x00"
UNKNOWN_INSTRUCTION = b"\x6d\x00"
UNKNOWN_CLASS = b"\x6e\x00"

# Every tag takes these members of a description, those of `Tag.takes` beside.
COMMON = {"kind", "uid", "reader", "trace", "fault", "atr", "uri", "text", "lang", "utf16", "sp",
          "code", "long", "chunk", "ndef", "ndef_hex", "blank", "cc", "claim"}


def _with_check_byte(body: bytes) -> bytes:
    check = 0
    for byte in body:
        check ^= byte
    return b"\x3b" + body + bytes([check])


def storage_atr(standard: int, name: int) -> bytes:
    """The ATR of a storage card. Source: PC/SC Part 3, section 3.1.3.2.3.1 and its supplement."""
    head = bytes.fromhex("8F8001804F0CA000000306")
    return _with_check_byte(head + bytes([standard]) + name.to_bytes(2, "big") + bytes(4))


def isodep_atr(historical: bytes) -> bytes:
    """The ATR of an ISO 14443-4 tag. Source: PC/SC Part 3, section 3.1.3.2.3.1."""
    return _with_check_byte(bytes([0x80 | len(historical), 0x80, 0x01]) + historical)


class Tag:
    """A tag made from its description, on a reader of some model.

    Sub-classes fill `memory` and set `atr`, and answer what is theirs: `pseudo` the commands of
    class FF that reach the tag, `iso` the others, `raw` what a direct transmit sends it.
    """

    takes: set[str] = set()
    uid_length = 7
    uid_head = b"\x04"
    historical_bytes: bytes | None = None  # what FF CA 01 gives: an ATS, a PMm
    atr = b""

    def __init__(self, spec: dict[str, Any]) -> None:
        if unknown := set(spec) - COMMON - self.takes:
            raise ValueError(f"{spec['kind']} has no {', '.join(sorted(unknown))}")
        self.spec = spec
        self.kind: str = spec["kind"]
        self.uid = self._uid()
        self.message = ndef.message_from(spec)
        self.memory = bytearray()
        self.build()
        if "mem_hex" in spec:
            self.memory = bytearray(bytes.fromhex(spec["mem_hex"]))
        self.place_on(spec.get("reader", profiles.DEFAULT))

    def _uid(self) -> bytes:
        uid = self.spec.get("uid")
        if uid == "random4":  # a random id, new with each activation: 08 xx xx xx
            return b"\x08" + os.urandom(3)
        if uid:
            return bytes.fromhex(uid)
        return self.uid_head + os.urandom(self.uid_length - len(self.uid_head))

    def build(self) -> None:
        """Fills the memory from the description."""
        raise NotImplementedError

    def place_on(self, model: str) -> None:
        """Puts the tag on a reader, unless its description names the model itself."""
        self.profile = profiles.profile(self.spec.get("reader", model))
        self.atr = bytes.fromhex(self.spec["atr"]) if "atr" in self.spec else self.atr_on_reader()

    def atr_on_reader(self) -> bytes:
        """The ATR that this reader makes up for the tag."""
        return type(self).atr

    def reset(self) -> None:
        """Forgets what power alone keeps."""

    def answer(self, apdu: bytes) -> bytes:
        """The answer to a command, status word and all."""
        if len(apdu) < 4:
            return WRONG_LENGTH
        if apdu[0] != 0xFF:
            return self.profile.passes_on(apdu, self.iso(apdu))
        _, instruction, p1, p2 = apdu[:4]
        if instruction == 0xCA and p1 in (0, 1) and p2 == 0:
            return self._get_data(apdu, self.uid if p1 == 0 else self.historical_bytes)
        if instruction == 0x00:
            return self._reader_command(apdu)
        return self.pseudo(apdu)

    def _get_data(self, apdu: bytes, data: bytes | None) -> bytes:
        """Le 00 gives all, too short an Le 6C xx, too long a one 62 82."""
        if data is None:
            return NOT_SUPPORTED
        expected = apdu[4] if len(apdu) > 4 else 0
        if expected in (0, len(data)):
            return data + OK
        return b"\x6c" + bytes([len(data)]) if expected < len(data) else data + END_OF_FILE

    def _reader_command(self, apdu: bytes) -> bytes:
        """FF 00: direct transmit, and the ACR122U's firmware, LED, buzzer and timeout commands."""
        p1, p2 = apdu[2:4]
        if p1 == 0 and p2 == 0 and len(apdu) > 5:
            return self._direct_transmit(apdu[5:5 + apdu[4]])
        if p1 == 0x48:
            return b"ACR122U207"  # this one has no status word
        if p1 in (0x40, 0x41, 0x51, 0x52):
            return b"\x90" + bytes([p2 if p1 == 0x51 else p2 & 3 if p1 == 0x40 else 0])
        return self.pseudo(apdu)

    def _direct_transmit(self, command: bytes) -> bytes:
        """InDataExchange and InCommunicateThru of a PN532; 01 is its "the tag did not answer"."""
        for head, reply in ((b"\xd4\x40\x01", b"\xd5\x41"), (b"\xd4\x42", b"\xd5\x43")):
            if command.startswith(head):
                got = self.raw(command[len(head):])
                return reply + (b"\x01" if got is None else b"\x00" + got) + OK
        return b"\x63\x00"

    def raw(self, frame: bytes) -> bytes | None:
        """What the tag itself answers to a frame, or None."""
        return None

    def pseudo(self, apdu: bytes) -> bytes:
        """The answer to a command of class FF that is about the tag."""
        return NOT_SUPPORTED

    def iso(self, apdu: bytes) -> bytes:
        """The answer to a command of any other class."""
        return UNKNOWN_INSTRUCTION if apdu[0] == 0 else UNKNOWN_CLASS

    def read_binary(self, start: int, expected: int, rolls_over: bool) -> bytes:
        """Bytes of the memory as the reader gives them, or its status word.

        `rolls_over`: a Type 2 READ beyond the end goes on with page 0.
        """
        profile = self.profile
        count = expected or profile.le_zero
        if count > profile.max_le or count % profile.le_step:
            return profile.sw_bad_le
        data = bytes(self.memory[start:start + count])
        missing = count - len(data)
        if not data or (missing and not rolls_over):
            return profile.sw_missing
        return data + bytes(self.memory[:missing]) + OK
