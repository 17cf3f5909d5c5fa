"""The command line: see README.md."""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
from typing import Any

from . import ndef, profiles
from .kinds import make_tag
from .script import Script
from .type4 import Type4


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tags.py", description="Puts virtual tags on virtual readers, as a script says.")
    parser.add_argument("script", nargs="?", default="-",
                        help="JSON lines; - (the default) reads them from standard input")
    parser.add_argument("--port", type=int, default=36963,
                        help="the reader of lines that name none (default 36963)")
    parser.add_argument("--reader", choices=sorted(os.listdir(profiles.FOLDER)),
                        help="answer as on this model, whatever the reader is")
    parser.add_argument("--repeat", type=int, default=1, help="how often the file is carried out")
    parser.add_argument("--seed", type=int, help="make the faults' chance repeatable")
    parser.add_argument("--card", help="one tag's description, held until the end")
    parser.add_argument("--hold-ms", type=int, help="with --card: take it away after so long")
    parser.add_argument("--dump", action="store_true", help="with --card: print what is on it")
    return parser.parse_args(arguments)


def _dump(spec: dict[str, Any]) -> None:
    tag = make_tag(spec)
    members: dict[str, Any] = {"atr": tag.atr.hex().upper(), "uid": tag.uid.hex().upper(),
                               "mem": tag.memory.hex().upper()}
    if isinstance(tag, Type4):
        members["cc"] = tag.container.hex().upper()
    if tag.message is not None:
        members["ndef"] = tag.message.hex().upper()
        try:
            members["records"] = [
                {"tnf": r.tnf, "type": r.type.hex().upper(), "payload": r.payload.hex().upper()}
                for r in ndef.decode(tag.message)]
        except ValueError as error:
            members["malformed"] = str(error)
    print(json.dumps(members))


def _run(options: argparse.Namespace, script: Script) -> None:
    if options.card:
        script.run([json.dumps({"insert": json.loads(options.card)})])
        if not script.failed:
            script.ending.wait(options.hold_ms / 1000 if options.hold_ms else None)
    elif options.script == "-":
        script.run(iter(sys.stdin.buffer.readline, b""))
    else:
        for _ in range(options.repeat):
            with open(options.script, "rb") as file:
                script.run(file)
            script.finish()


def main(arguments: list[str] | None = None) -> int:
    """Carries out a script; 1 where a line of it failed."""
    options = _arguments(arguments)
    random.seed(options.seed)
    if options.card and options.dump:
        _dump(json.loads(options.card))
        return 0

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    script = Script(options.port, options.reader)
    try:
        _run(options, script)
    except KeyboardInterrupt:
        pass
    script.end()
    return 1 if script.failed else 0


if __name__ == "__main__":
    sys.exit(main())
