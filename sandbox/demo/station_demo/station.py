"""The daemon under its own configuration."""

from __future__ import annotations

import fcntl
import grp
import json
import os
import shlex
from pathlib import Path

from .program import ROOT, Deadline, DemoFailed, Program, environment, run
from .sandbox_api import TOKEN
from .virtual_readers import NAMES, READERS

PROGRAMS = ("plingsd", "plingsctl", "plings-pcsc")
"""What is built: the tests' own modules are not needed here."""

START_PATIENCE = 20.0

CONFIGURATION = """\
# What scripts/demo runs plingsd with; config.example.toml explains every key.
[station]
id = "demo"
name = "Demonstration"

[store]
directory = {store}

[socket]
path = {socket}
mode = "0600"
{group}
[api]
endpoint = {endpoint}
token_file = {token}

[location]
source = "fixed"
latitude = 65.5841
longitude = 22.1547
accuracy = 8
consent = true
"""

READER = """
[[reader]]
kind = "pcsc"
name = {name}
match = {match}
"""


class Station:
    """The programs that were built, and where the daemon has its files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._programs = ROOT / ".build" / "release"
        self.socket = folder / "plingsd.sock"

    def build(self) -> None:
        """Builds the programs; quick where nothing has changed.

        The compiler leaves files in the home and temporary folders, so it gets others. As some of
        its versions keep the lock on a build in the temporary folder, the lock here stands in.
        """
        cache, temporary = ROOT / ".cache", self._folder / "build"
        cache.mkdir(exist_ok=True)
        temporary.mkdir()
        # Foundation's own variable: HOME may be where a toolchain's manager finds the toolchain.
        folders = {"CFFIXED_USER_HOME": str(cache / "home"),
                   "XDG_DATA_HOME": str(cache / "share"), "TMPDIR": str(temporary)}
        with (cache / "build.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for program in PROGRAMS:
                run(f"building {program}",
                    ["swift", "build", "-c", "release", "--product", program],
                    env=environment(**folders))

    def configure(self, endpoint: str, with_virtual_readers: bool) -> Path:
        """Writes the configuration; returns its file."""
        token = self._folder / "token"
        token.touch(0o600)
        token.write_text(TOKEN + "\n")
        text = CONFIGURATION.format(
            store=_string(self._folder / "store"), socket=_string(self.socket), group=_group(),
            endpoint=_string(endpoint), token=_string(token))
        if with_virtual_readers:
            for name, model in READERS.items():
                text += READER.format(name=_string(name), match=_string(NAMES[model]))
        file = self._folder / "config.toml"
        file.write_text(text)
        return file

    def launch(self, configuration: Path, variables: dict[str, str]) -> Program:
        """Starts the daemon; `variables` are added to its environment."""
        return Program("plingsd", [self._programs / "plingsd", "--config", configuration],
                       self._folder / "plingsd.log", environment(**variables))

    def wait_for(self, daemon: Program) -> None:
        """Waits until the daemon has its socket."""
        deadline = Deadline(START_PATIENCE)
        while not self.socket.is_socket():
            daemon.must_run()
            if not deadline.pause():
                raise DemoFailed(f"plingsd does not listen on {self.socket}")

    def ctl(self, *arguments: str) -> list[str | Path]:
        """What runs plingsctl."""
        return [self._programs / "plingsctl", "--socket", self.socket, *arguments]

    def command_line(self, *arguments: str) -> str:
        """The same for a person in the repository's folder."""
        program, *rest = self.ctl(*arguments)
        return shlex.join(map(str, [Path(program).relative_to(ROOT), *rest]))


def _string(value: str | Path) -> str:
    # Every JSON string is a basic string of TOML. Source: TOML 1.0.0, String.
    return json.dumps(str(value))


def _group() -> str:
    """The socket's group: one's own, where it has a name, for only its owner may connect."""
    try:
        return f"group = {_string(grp.getgrgid(os.getgid()).gr_name)}\n"
    except KeyError:
        return ""
