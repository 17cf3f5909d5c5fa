#!/usr/bin/python3
"""Checks lines of the station's protocols against the schemas in docs/.

With a kind of line as argument it reads lines as they were sent, says on standard error what is
wrong with which, and ends with status 1 if any is:

    plings-pcsc | sandbox/protocol/line_validator.py reader

Without, it serves a test program that writes one JSON object a line and reads one answer for each:

    {"schema": "server", "line": "<the line's text>"}           {"ok": true}
    {"schema": "reply", "method": "status", "line": "..."}      {"ok": false, "error": "..."}

Needs jsonschema 4.10 or later (Debian: python3-jsonschema).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    import jsonschema
    from jsonschema.exceptions import ValidationError, best_match
except ImportError:
    sys.exit("line_validator: jsonschema is missing; on Debian install python3-jsonschema")

DOCS = Path(__file__).resolve().parents[2] / "docs"

# Which part of which schema describes a kind of line, and the most bytes that it may have.
KINDS = {
    "server": ("station-protocol.schema.json", "serverLine", 1_048_576),
    "client": ("station-protocol.schema.json", "clientLine", 65_536),
    "reader": ("reader-protocol.schema.json", None, 65_536),
}

# The same for the reply to each method.
REPLIES = {
    "subscribe": "subscribeReply",
    "unsubscribe": "unsubscribeReply",
    "status": "statusReply",
    "scan.submit": "submitReply",
    "outbox.list": "listReply",
    "outbox.get": "getReply",
    "outbox.retry": "decisionReply",
    "outbox.discard": "decisionReply",
    "metrics": "metricsReply",
    "account.login": "loginReply",
    "account.logout": "logoutReply",
}


class Problem(Exception):
    """What is wrong with a line, in a sentence."""


def ecma_pattern(
    validator: Any, pattern: str, instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    """`pattern` as JSON Schema means it: `$` is the end of the text, not a last line feed too."""
    if isinstance(instance, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator, {"pattern": ecma_pattern}
)


class Schemas:
    """The validators of all kinds of lines, each made when it is first asked for."""

    def __init__(self, folder: Path = DOCS) -> None:
        self._folder = folder
        self._documents: dict[str, Any] = {}
        self._validators: dict[tuple[str, str | None], Any] = {}

    def check(self, schema: str, line: str, method: str | None = None) -> None:
        """Raises `Problem` where the line is not what it should be."""
        if schema == "reply":
            if method not in REPLIES:
                raise Problem(f"no schema for the reply to {method!r}")
            file, definition, limit = KINDS["server"][0], REPLIES[method], KINDS["server"][2]
        elif schema in KINDS:
            file, definition, limit = KINDS[schema]
        else:
            raise Problem(f"no schema {schema!r}")
        value = parse(line, limit)
        error = best_match(self._validator(file, definition).iter_errors(value))
        if error is not None:
            raise Problem(describe(error))

    def _validator(self, file: str, definition: str | None) -> Any:
        key = (file, definition)
        if key not in self._validators:
            root = self._document(file)
            if definition:
                root = {"$ref": f"#/$defs/{definition}", "$defs": root["$defs"]}
            self._validators[key] = Validator(root)
        return self._validators[key]

    def _document(self, file: str) -> Any:
        if file not in self._documents:
            document = json.loads((self._folder / file).read_text(encoding="utf-8"))
            Validator.check_schema(document)
            self._documents[file] = document
        return self._documents[file]


def parse(line: str, limit: int) -> Any:
    """Reads one line more strictly than `json.loads`."""
    size = len(line.encode("utf-8", "surrogatepass"))
    if size > limit:
        raise Problem(f"{size} bytes are more than {limit}")
    if "\n" in line or "\r" in line:
        raise Problem("a line end within the line")
    try:
        return json.loads(line, object_pairs_hook=unique, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise Problem(f"not JSON: {error}") from None


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object none of whose members stands there twice."""
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise Problem(f"the member {name!r} stands there twice")
        members[name] = value
    return members


def refuse(word: str) -> None:
    """NaN and the infinities are no JSON."""
    raise Problem(f"{word} is not JSON")


def describe(error: ValidationError) -> str:
    """Where an error is and what it is, in at most 400 characters."""
    path = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in error.absolute_path)
    text = f"${path}: {error.message}"
    return text if len(text) <= 400 else text[:397] + "..."


def answer(schemas: Schemas, request: str) -> dict[str, Any]:
    """The answer to one line of a test program."""
    try:
        asked = json.loads(request)
        schemas.check(asked["schema"], asked["line"], asked.get("method"))
    except Problem as problem:
        return {"ok": False, "error": str(problem)}
    return {"ok": True}


def serve(schemas: Schemas) -> int:
    """Answers line by line until its input ends."""
    for request in sys.stdin:
        print(json.dumps(answer(schemas, request)), flush=True)
    return 0


def check_stream(schemas: Schemas, schema: str) -> int:
    """Checks all lines of standard input; the exit status."""
    status = 0
    for number, raw in enumerate(sys.stdin.buffer, start=1):
        try:
            schemas.check(schema, raw.removesuffix(b"\n").decode("utf-8"))
        except (Problem, UnicodeDecodeError) as problem:
            print(f"line {number}: {problem}", file=sys.stderr)
            status = 1
    return status


def main(arguments: list[str]) -> int:
    """The program; returns its exit status."""
    if not arguments:
        return serve(Schemas())
    if len(arguments) == 1 and arguments[0] in KINDS:
        return check_stream(Schemas(), arguments[0])
    print(f"usage: line_validator.py [{'|'.join(KINDS)}] < LINES", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
