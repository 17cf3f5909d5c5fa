"""The schemas against the examples of the documentation, whole and spoilt in every way.

Each example must pass as it stands. With a member added, left out or of another type, it must not:
the schemas are there to find slips.
"""

from __future__ import annotations

import copy
import json
import re
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from line_validator import DOCS, Problem, Schemas  # noqa: E402

FENCE = re.compile(r"^```json (\S+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> Iterator[tuple[str, str | None, str]]:
    """Kind, method and text of each example line."""
    for page in ("protocol.md", "reader-protocol.md"):
        for kind, method, block in FENCE.findall((DOCS / page).read_text(encoding="utf-8")):
            for line in block.splitlines():
                yield kind, method or None, line


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths to a value and to all that is in it."""
    yield path
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for key, inner in items:
        yield from places(inner, (*path, key))


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    """What a path leads to."""
    for key in path:
        value = value[key]
    return value


def changed(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    """A copy with another value at a path."""
    if not path:
        return new
    value = copy.deepcopy(value)
    at(value, path[:-1])[path[-1]] = new
    return value


class SchemaTests(unittest.TestCase):
    """What passes and what does not."""

    schemas = Schemas()

    def accepts(self, kind: str, method: str | None, value: Any) -> bool:
        """Whether a value passes as such a line."""
        try:
            self.schemas.check(kind, json.dumps(value), method)
        except Problem:
            return False
        return True

    def test_every_example_passes(self) -> None:
        count = 0
        for kind, method, line in examples():
            with self.subTest(line=line[:100]):
                self.schemas.check(kind, line, method)
                count += 1
        self.assertGreater(count, 40)

    def test_an_unknown_member_does_not_pass_anywhere(self) -> None:
        for kind, method, line in examples():
            value = json.loads(line)
            for path in places(value):
                if isinstance(at(value, path), dict):
                    spoilt = changed(value, path, {**at(value, path), "unknown": 1})
                    with self.subTest(line=line[:100], path=path):
                        self.assertFalse(self.accepts(kind, method, spoilt))

    def test_null_does_not_pass_but_as_the_id_of_some_errors(self) -> None:
        for kind, method, line in examples():
            value = json.loads(line)
            for path in places(value):
                if at(value, path) is None:
                    continue
                spoilt = changed(value, path, None)
                if path == ("id",) and value.get("error", {}).get("code") == -32600:
                    continue
                with self.subTest(line=line[:100], path=path):
                    self.assertFalse(self.accepts(kind, method, spoilt))

    def test_a_value_of_another_type_does_not_pass(self) -> None:
        for kind, method, line in examples():
            value = json.loads(line)
            for path in places(value):
                old = at(value, path)
                if path == ("id",) or (path[-2:-1] == ("params",) and path[-1] == "since"):
                    continue  # may be of two types
                other: list[Any] = [{"a": 1}, [{"a": 1}], "\x7f", -7.25, not old]
                for new in other:
                    if type(new) is type(old) or (old == {} and new == {"a": 1}):
                        continue
                    if isinstance(old, (int, float)) and isinstance(new, float):
                        continue
                    with self.subTest(line=line[:100], path=path, new=new):
                        self.assertFalse(self.accepts(kind, method, changed(value, path, new)))

    def test_a_wrong_word_does_not_pass_where_the_words_are_known(self) -> None:
        closed = {
            "jsonrpc", "daemon", "outcome", "source", "state", "unrecognised", "clock", "type",
            "code", "problem", "may", "log", "scan", "at", "uid", "ndef", "payload", "latitude",
        }
        open_types = {("params", "identifier", "type"), ("params", "object", "owner", "type")}
        for kind, method, line in examples():
            value = json.loads(line)
            for path in places(value):
                name = next((key for key in reversed(path) if isinstance(key, str)), None)
                is_code = name == "code" and path != ("error", "code")
                is_count = name == "scan" and isinstance(at(value, path), int)
                if name not in closed or path in open_types or is_code or is_count:
                    continue
                if kind == "client" or isinstance(at(value, path), (dict, list)):
                    continue
                with self.subTest(line=line[:100], path=path):
                    self.assertFalse(self.accepts(kind, method, changed(value, path, "zz")))

    def test_required_members_are_required(self) -> None:
        required = {
            "server": {"jsonrpc", "method", "params", "seq", "durable", "type", "at", "scan",
                       "reader", "medium", "identifier", "outcome", "source", "heldMilliseconds",
                       "state", "job", "id", "name", "kind", "code", "message", "error", "from",
                       "log", "technology", "path", "url"},
            "reader": {"reader", "device", "token", "medium", "bootNanoseconds", "id", "name",
                       "state", "program", "version", "protocol"},
            "client": {"jsonrpc", "id", "method", "url"},
        }
        optional = {("params", "tag", "kind"), ("params", "tag", "technology"),
                    ("params", "object", "owner", "type"),
                    ("params", "object", "name"), ("params", "object", "location", "name"),
                    ("params", "object", "owner", "name"), ("params", "object", "class", "id"),
                    ("params", "object", "class", "name"), ("params", "class", "id"),
                    ("params", "class", "name"), ("params", "candidates", 0, "name"),
                    ("params", "job", "by", "reader")}
        for kind, method, line in examples():
            value = json.loads(line)
            # A job that no scan has caused has no reader.
            is_job = kind == "server" and value.get("params", {}).get("type") == "job"
            left_out = optional | ({("params", "reader")} if is_job else set())
            for path in places(value):
                if not path or path[-1] not in required.get(kind, ()) or path in left_out:
                    continue
                spoilt = copy.deepcopy(value)
                del at(spoilt, path[:-1])[path[-1]]
                with self.subTest(line=line[:100], path=path):
                    self.assertFalse(self.accepts(kind, method, spoilt))


if __name__ == "__main__":
    unittest.main()
