"""Whether an identifier is well formed and genuine."""
from collections.abc import Mapping
from typing import Any

from ..keys import KEY_BYTES, decode, is_base58, is_path
from .call import Call

TRANSPORTS = ("q", "n", "r", "b")
FIELDS = ("type", "identifier", "path", "classPointer")


def problem_with(identifier: Mapping[str, Any], call: Call) -> tuple[str, str] | None:
    """The code and text of the error for this identifier; None for a good one."""
    field = malformed_field(identifier, call)
    if field:
        return "INVALID_IDENTIFIER", f"Identifier not valid ({field})"
    if identifier["identifier"] in call.sandbox.world.forged_keys:
        return "VERIFICATION_FAILED", "Identifier not valid"
    return None


def malformed_field(identifier: Mapping[str, Any], call: Call) -> str | None:
    """What is wrong with the form of the identifier."""
    limit = call.setting("max_param_length")
    for field in FIELDS:
        text = identifier.get(field) or ""
        if len(text) > limit or any(ord(character) < 32 for character in text):
            return field
    key, pointer = identifier["identifier"], identifier.get("classPointer")
    if identifier["type"] not in TRANSPORTS:
        return "type"
    if not is_base58(key):
        return "identifier"
    if call.setting("strict_keys") and len(decode(key)) != KEY_BYTES:
        return "key length"
    if not is_path(identifier["path"]):
        return "path"
    return "classPointer" if pointer and not is_base58(pointer) else None
