"""The tags that are tapped, and what the station must say of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tap:
    """A tag laid on a reader, and what must come of it."""

    label: str
    reader: str
    uid: str
    content: dict[str, Any]
    identifier: str | None = None
    """The instance key, where it is a Plings tag."""
    outcome: str | None = None
    """What the API must answer, where it is a Plings tag."""
    unrecognised: str | None = None
    """Why the station must not recognise it, where it is none."""
    from_cache: bool = False
    """Whether the first answer must come from the cache."""

    @property
    def card(self) -> dict[str, Any]:
        """The tag, for tags.py."""
        return {"kind": "ntag213", "uid": self.uid, **self.content}


def round_of_taps(fixtures: dict[str, Any]) -> list[Tap]:
    """One tap of each kind, from the sandbox's fixtures."""
    def plings(label: str, reader: str, number: int, fixture: str, outcome: str,
               from_cache: bool = False) -> Tap:
        tag = fixtures[fixture]
        return Tap(label, reader, _uid(number), {"uri": tag["nfc"]},
                   identifier=tag["instanceKey"], outcome=outcome, from_cache=from_cache)

    return [
        plings("an object's tag", "entrance", 1, "drill", "KNOWN_OBJECT"),
        plings("a tag without an object", "shelf", 2, "new-generic", "UNKNOWN_GENERAL"),
        plings("the same, of a known class", "entrance", 3, "new-bike", "UNKNOWN_SPECIFIC"),
        Tap("somebody else's tag", "shelf", _uid(4), {"uri": "https://example.org/menu"},
            unrecognised="foreign"),
        Tap("an empty tag", "entrance", _uid(5), {"blank": True}, unrecognised="blank"),
        plings("the object's tag again", "shelf", 1, "drill", "KNOWN_OBJECT", from_cache=True),
    ]


def _uid(number: int) -> str:
    """A UID of NXP's length and maker's byte. Source: ISO/IEC 7816-6, NXP is 04."""
    return f"04D3300000{number:02X}80"
