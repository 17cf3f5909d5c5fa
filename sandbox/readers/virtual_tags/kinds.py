"""The kinds of tags by name."""

from __future__ import annotations

from typing import Any

from . import type2, type4
from .classic import Classic
from .tag import Tag
from .type3 import Type3
from .type5 import Type5

KINDS: dict[str, type[Tag]] = {
    **{name: type2.Type2 for name in type2.MODELS},
    **{name: type4.Type4 for name in type4.ATS},
    "type4b": type4.Type4B,
    "classic1k": Classic,
    "type3": Type3,
    "felica": Type3,
    "type5": Type5,
    "icode": Type5,
}


def make_tag(spec: dict[str, Any]) -> Tag:
    """The tag that a description stands for. Raises ValueError where it makes no sense."""
    kind = spec.get("kind")
    if kind not in KINDS:
        raise ValueError(f"no kind {kind}; there are {', '.join(KINDS)}")
    return KINDS[kind](spec)
