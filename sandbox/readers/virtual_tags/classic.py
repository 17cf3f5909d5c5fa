"""MIFARE Classic 1K with an NDEF message in its sectors.

Source: NXP, AN1304 (NFC Type MIFARE Classic Tag Operation) and AN10787 (MIFARE Application
Directory).
"""

from __future__ import annotations

from . import tlv
from .tag import NOT_SATISFIED, NOT_SUPPORTED, OK, WRONG_LENGTH, Tag, storage_atr

BLOCK, SECTOR, SECTORS = 16, 64, 16
FACTORY_KEY = b"\xff" * 6
DIRECTORY_KEY = bytes.fromhex("A0A1A2A3A4A5")
NDEF_KEY = bytes.fromhex("D3F7D3F7D3F7")
NDEF_APPLICATION = b"\x03\xe1"
KEY_A, KEY_B = 0x60, 0x61


def directory_check(data: bytes) -> int:
    """The CRC-8 over the application directory. Source: AN10787, section 3.7."""
    check = 0xC7
    for byte in data:
        check ^= byte
        for _ in range(8):
            check = (check << 1 ^ 0x1D if check & 0x80 else check << 1) & 0xFF
    return check


class Classic(Tag):
    """A MIFARE Classic 1K: sixteen sectors of four blocks, each behind two keys."""

    takes = {"pre", "post", "long_tlv", "no_term", "area_hex", "mem_hex", "cut", "key_a",
             "mad_sectors"}
    uid_length, uid_head = 4, b"\x04"
    atr = storage_atr(3, 0x0001)

    def build(self) -> None:
        self.loaded_keys: dict[int, bytes] = {}
        self.open_sector: int | None = None
        self.memory = bytearray(SECTORS * SECTOR)
        uid = (self.uid + bytes(4))[:4]
        check = uid[0] ^ uid[1] ^ uid[2] ^ uid[3]
        self.memory[0:8] = uid + bytes([check, 0x88, 0x04, 0x00])
        written = self.message is not None or "area_hex" in self.spec
        for sector in range(SECTORS):
            self._write_trailer(sector, written)
        if written:
            self._write_directory()
            self._write_area()

    def _write_trailer(self, sector: int, written: bool) -> None:
        key, access = FACTORY_KEY, bytes.fromhex("FF078069")
        if written:
            key, access = ((DIRECTORY_KEY, bytes.fromhex("787788C1")) if sector == 0
                           else (NDEF_KEY, bytes.fromhex("7F078840")))
        if sector and "key_a" in self.spec:
            key = bytes.fromhex(self.spec["key_a"])
        start = sector * SECTOR + 3 * BLOCK
        self.memory[start:start + BLOCK] = key + access + FACTORY_KEY

    def _write_directory(self) -> None:
        used = self.spec.get("mad_sectors", SECTORS - 1)
        entries = b"\x01" + NDEF_APPLICATION * used + bytes(2 * (SECTORS - 1 - used))
        self.memory[BLOCK:3 * BLOCK] = bytes([directory_check(entries)]) + entries

    def _write_area(self) -> None:
        data = 3 * BLOCK
        area = tlv.fitted(tlv.area(self.spec, self.message), (SECTORS - 1) * data, self.spec)
        for sector in range(1, SECTORS):
            start = (sector - 1) * data
            self.memory[sector * SECTOR:sector * SECTOR + data] = area[start:start + data]

    def reset(self) -> None:
        self.open_sector = None  # the keys stay in the reader

    def pseudo(self, apdu: bytes) -> bytes:
        instruction = apdu[1]
        if instruction == 0x82:  # LOAD KEYS
            if len(apdu) != 11 or apdu[4] != 6:
                return WRONG_LENGTH
            self.loaded_keys[apdu[3]] = apdu[5:11]
            return OK
        if instruction == 0x86 and len(apdu) >= 10 and apdu[4:6] == b"\x05\x01":
            return self._authenticate(apdu[6] << 8 | apdu[7], apdu[8], apdu[9])
        if instruction == 0x88 and len(apdu) >= 6:  # the older form
            return self._authenticate(apdu[3], apdu[4], apdu[5])
        if instruction == 0xB0 and len(apdu) >= 5:
            return self._read(apdu[2] << 8 | apdu[3], apdu[4])
        return NOT_SUPPORTED

    def _refusal(self) -> bytes:
        """A failed authentication ends the one before."""
        self.open_sector = None
        return self.profile.sw_missing if self.profile.one_error_for_all else NOT_SATISFIED

    def _authenticate(self, block: int, key_type: int, slot: int) -> bytes:
        sector, key = block // 4, self.loaded_keys.get(slot)
        trailer = sector * SECTOR + 3 * BLOCK
        start = trailer + (10 if key_type == KEY_B else 0)
        if sector >= SECTORS or key_type not in (KEY_A, KEY_B) \
                or key != bytes(self.memory[start:start + 6]):
            return self._refusal()
        self.open_sector = sector
        return OK

    def _read(self, block: int, expected: int) -> bytes:
        count = expected or BLOCK
        if self.open_sector is None or self.open_sector != block // 4 \
                or block % 4 * BLOCK + count > SECTOR:
            return self._refusal()
        answer = self.read_binary(block * BLOCK, expected, rolls_over=False)
        trailer = (3 - block % 4) * BLOCK
        if len(answer) > trailer + 2:  # key A never reads back
            hidden = min(6, len(answer) - 2 - trailer)
            answer = answer[:trailer] + bytes(hidden) + answer[trailer + hidden:]
        return answer
