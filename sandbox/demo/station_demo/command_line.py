"""The command line, signals and the exit status; scripts/demo has the help."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import traceback
from collections.abc import Callable

from . import interruption
from .demonstration import Demonstration
from .interruption import Interruption
from .program import DemoFailed
from .progress import Progress
from .stage import Stage


def main() -> int:
    """Runs the demonstration; returns the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/demo", add_help=False)
    parser.add_argument("--begun", type=float, required=True)
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--hardware", action="store_true")
    options = parser.parse_args()
    progress = Progress(options.begun)
    stage = Stage(progress)
    show = Demonstration(stage, progress)
    try:
        if options.once:
            return _carry_out(show.once, stage, progress)
        return _carry_out(show.hardware if options.hardware else show.go_on, stage, progress)
    except Interruption as ending:
        # Ctrl-C is how a demonstration without an end is meant to end.
        is_usual = ending.number == signal.SIGINT and not options.once
        return 0 if is_usual else 128 + ending.number


def _carry_out(show: Callable[[], None], stage: Stage, progress: Progress) -> int:
    """Shows and tidies up; the folder stays where something has failed."""
    failures: list[Exception] = []
    try:
        interruption.allow()
        show()
    except Exception as error:
        _tell(error)
        failures.append(error)
    finally:
        interruption.refuse()
        with contextlib.suppress(Interruption):
            progress.say("the end: stopping all programs")
        try:
            stage.end()
        except Exception as error:
            # What follows from an earlier failure says nothing new.
            if not failures:
                _tell(error)
            failures.append(error)
        if failures and stage.has_logs:
            print(f"demo: the logs are in {stage.folder}", file=sys.stderr)
        else:
            stage.remove()
    return 1 if failures else 0


def _tell(error: Exception) -> None:
    if isinstance(error, DemoFailed):
        print(f"demo: {error}", file=sys.stderr)
    else:
        traceback.print_exception(error)
