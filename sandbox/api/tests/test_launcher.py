"""The two scripts: `prepare` makes the virtual environment, `serve` starts the sandbox in it."""
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from client import API_FOLDER, ORGANIZATIONS, Running

PYTHON = """#!/bin/sh
case "$*" in
"-m pip install "*) echo "$*" >> {record} ;;
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
*ensurepip*) exit {without_venv} ;;
*) exec {real} "$@" ;;
esac
"""


class Launcher:
    """A copy of the scripts, with a python that notes what pip is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "api"
        self.folder.mkdir()
        for name in ("prepare", "serve", "requirements.txt", "requirements-dev.txt"):
            shutil.copy(API_FOLDER / name, self.folder)
        (self.folder / "plings_sandbox").symlink_to(API_FOLDER / "plings_sandbox")
        self.record = folder / "installed"
        self.python = folder / "python"
        self.environment = {"PLINGS_SANDBOX_VENV": str(folder / "venv"),
                            "PLINGS_SANDBOX_PYTHON": str(self.python)}
        self.write_python()

    def write_python(self, without_venv: int = 0) -> None:
        """Makes the python that stands in for the machine's."""
        self.python.write_text(PYTHON.format(record=self.record, real=sys.executable,
                                             without_venv=without_venv))
        self.python.chmod(0o755)

    def prepare(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs `prepare`."""
        return subprocess.run([self.folder / "prepare", *arguments], text=True,
                              capture_output=True, env={"PATH": "/usr/bin:/bin",
                                                        **self.environment})

    def installed(self) -> list[str]:
        """The lists pip was asked to install, in order."""
        lines = self.record.read_text().splitlines() if self.record.exists() else []
        return [Path(line.split()[-1]).name for line in lines]


@pytest.fixture
def launcher(tmp_path: Path) -> Launcher:
    """Scripts that never ran."""
    return Launcher(tmp_path)


def test_prepare_installs_once_and_again_when_a_list_changed(launcher: Launcher) -> None:
    python = launcher.environment["PLINGS_SANDBOX_VENV"] + "/bin/python"
    assert launcher.prepare().stdout == launcher.prepare().stdout == python + "\n"
    assert launcher.installed() == ["requirements.txt"]
    launcher.prepare("--dev")
    assert launcher.installed() == ["requirements.txt", "requirements-dev.txt"]
    (launcher.folder / "requirements.txt").write_text("ariadne\n")
    launcher.prepare()
    assert launcher.installed()[2:] == ["requirements.txt"]


def test_prepare_says_what_to_install(launcher: Launcher) -> None:
    launcher.write_python(without_venv=1)
    refused = launcher.prepare()
    assert refused.returncode == 1 and refused.stdout == ""
    assert "cannot make virtual environments; install python3-venv" in refused.stderr
    launcher.environment["PLINGS_SANDBOX_PYTHON"] = "no-such-python"
    assert "install python3 and python3-venv" in launcher.prepare().stderr


def test_prepare_knows_one_option(launcher: Launcher) -> None:
    assert "unknown option --all" in launcher.prepare("--all").stderr


def test_serve_prepares_and_starts(launcher: Launcher) -> None:
    running = Running(command=[launcher.folder / "serve"], environment=launcher.environment)
    with running as api:
        assert api.raw(ORGANIZATIONS).status_code == 200
    assert running.process.returncode == 0
