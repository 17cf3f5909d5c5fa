"""Instance keys, class pointers and derivation paths: their alphabet and their form."""
import hashlib
import re

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BASE58 = re.compile(f"[{ALPHABET}]+")
PATH = re.compile(rf"[0{ALPHABET}]+(\.[0{ALPHABET}]+)*")
SHORT_CODE = re.compile(f"[{ALPHABET}]{{3,16}}")
SHORT_CODE_LENGTH = 6
KEY_BYTES = 32


def encode(raw: bytes) -> str:
    """The Base58 text of these bytes."""
    number = int.from_bytes(raw, "big")
    digits = ""
    while number:
        number, digit = divmod(number, 58)
        digits = ALPHABET[digit] + digits
    zeros = len(raw) - len(raw.lstrip(b"\0"))
    return "1" * zeros + digits


def decode(text: str) -> bytes:
    """The bytes of this Base58 text, which must be in the alphabet."""
    number = 0
    for character in text:
        number = number * 58 + ALPHABET.index(character)
    zeros = len(text) - len(text.lstrip("1"))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


def is_base58(text: str) -> bool:
    """Whether every character is in the alphabet and there is at least one."""
    return BASE58.fullmatch(text) is not None


def is_path(text: str) -> bool:
    """Whether this is a derivation path: numbers or Base58 parts with dots between them."""
    return PATH.fullmatch(text) is not None


def fixture_key(label: str) -> str:
    """The instance key of a seeded tag: the same one at every start, on every machine."""
    return encode(hashlib.sha256(b"plings-sandbox:" + label.encode()).digest())
