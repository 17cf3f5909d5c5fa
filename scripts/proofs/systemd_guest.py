"""What scripts/proofs/systemd looks at inside the virtual machine: the station as systemd runs it.

usage: python3 systemd_guest.py first|second

Prints one row of a table for each check. Whatever fails is followed by the journal's last lines.
"""

from __future__ import annotations

import contextlib
import grp
import json
import os
import pwd
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterator

from harness import ROOT, Client, Lines, Readers, say, tag

FILES = ROOT.parent
SOCKET = Path("/run/plingsd/plingsd.sock")
CONFIGURATION = Path("/etc/plingsd/config.toml")
RULE = Path("/usr/share/polkit-1/rules.d/plingsd-pcscd.rules")
VIRTUAL = Path("/var/lib/virtual-readers")
SERIAL_LINE = "/dev/ttyS2"
# An emulated machine takes its time.
PATIENCE = 120.0


class Failure(Exception):
    """A check that found something else than it should, in a sentence."""


class Report:
    """The rows, and whether all of them were good."""

    def __init__(self) -> None:
        self.failures = 0

    def check(self, name: str, look: Callable[[], str]) -> None:
        begun = time.monotonic()
        try:
            seen, verdict = look(), "ok"
        except (Failure, OSError, SystemExit, subprocess.SubprocessError) as error:
            seen, verdict = str(error).replace("\n", " / "), "FAILED"
            self.failures += 1
        say(f"| {name} | {verdict} | {seen} | {time.monotonic() - begun:.1f} |")
        if verdict == "FAILED":
            journal = run("journalctl", "-u", "plingsd", "-u", "pcscd", "-n", "25", "-o", "short")
            say("\n".join("    " + line for line in journal.output.splitlines()))


class Result:
    def __init__(self, status: int, output: str) -> None:
        self.status, self.output = status, output


def run(*command: str, seconds: float = 300, **options: Any) -> Result:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        text=True, timeout=seconds, check=False, **options)
    return Result(done.returncode, done.stdout.strip())


def must(*command: str) -> str:
    result = run(*command)
    expect(result.status == 0, f"{' '.join(command)}: {result.status}: {result.output[-400:]}")
    return result.output


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Failure(otherwise)


def wait(what: str, look: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, SystemExit, Failure):
            if value := look():
                return value
        time.sleep(0.1)
    raise Failure(f"not within {seconds:.0f} s: {what}")


def unit(name: str, of: str = "plingsd.service") -> str:
    return must("systemctl", "show", "--property", name, "--value", of)


def pid() -> int:
    return int(unit("MainPID"))


def is_up() -> bool:
    return unit("ActiveState") == "active" and pid() > 0


def as_user(user: str, *command: str) -> Result:
    return run("runuser", "-u", user, "--", *command)


def status() -> dict:
    client = Client(SOCKET, since=None, seconds=PATIENCE)
    found = client.call("status")
    client.close()
    return found


def events(since: Any = "start") -> list[dict]:
    """All events of the log up to now."""
    client = Client(SOCKET, since=since)
    last: int = client.hello["last"]
    found: list[dict] = []
    while not found or found[-1]["seq"] < last:
        entry = client.event(5)
        if entry is None:
            break
        found.append(entry[1])
    client.close()
    return found


def reader_state() -> tuple[str, str]:
    found = [r for r in status()["readers"] if r["kind"] == "pcsc"]
    expect(bool(found), "no PC/SC reader in status")
    return found[0]["state"], found[0].get("reason", "")


class Tags(Readers):
    """Tags on the virtual readers of this machine's own pcscd."""

    def __init__(self) -> None:
        self.port = 36963
        self.tags = subprocess.Popen(
            [sys.executable, str(ROOT / "sandbox/readers/tags.py"), "--port", str(self.port), "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = Lines(self.tags.stdout)

    def stop(self) -> None:
        self.tags.stdin.close()
        self.tags.wait(20)


def processes_of(user: str) -> list[str]:
    number, found = pwd.getpwnam(user).pw_uid, []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(FileNotFoundError):
            if process.name.isdigit() and process.stat().st_uid == number:
                found.append(process.name)
    return found


def install(*arguments: str) -> Result:
    return run(str(ROOT / "scripts/install"), *arguments, seconds=600)


def installed(*arguments: str) -> str:
    result = install("--from", str(FILES / "programs"), *arguments)
    expect(result.status == 0, f"exit status {result.status}: {result.output[-600:]}")
    return result.output


def files() -> set[str]:
    """All that lies on the disk, but what the system itself writes while it runs."""
    own = ("/var/log/", "/var/tmp/", "/tmp/", "/var/lib/systemd/", "/var/cache/", "/run/")
    found = must("find", "/", "-xdev", "-path", "/srv", "-prune", "-o", "-print").splitlines()
    return {path for path in found if not path.startswith(own) and str(VIRTUAL) not in path}


# -- the machine before the station ---------------------------------------------------------------


def prepare() -> None:
    """Gives the machine's own pcscd a virtual reader."""
    must("cp", "-r", str(FILES / "virtual"), str(VIRTUAL))
    folder = Path("/etc/systemd/system/pcscd.service.d")
    folder.mkdir(parents=True)
    (folder / "virtual.conf").write_text(
        "[Service]\n"
        f"Environment=LD_PRELOAD={VIRTUAL}/libpcscd-virtual.so VIRTUAL_READERS_DIR={VIRTUAL}\n"
        "Environment=VIRTUAL_READERS_DROP_DIR=/usr/lib/pcsc/drivers\n"
        f"ReadWritePaths={VIRTUAL}\n")
    must("systemctl", "daemon-reload")
    # Devices that nobody has plugged in: opening them gives ENXIO, unless it is not allowed.
    for name, number, group in [("video7", (81, 7), "video"), ("board7", (189, 7), "plugdev")]:
        os.mknod(f"/dev/{name}", stat.S_IFCHR | 0o660, os.makedev(*number))
        os.chmod(f"/dev/{name}", 0o660)
        os.chown(f"/dev/{name}", 0, grp.getgrnam(group).gr_gid)


# -- checks: installed and running ----------------------------------------------------------------


def first_installation() -> str:
    lines = installed().splitlines()
    run("usermod", "-aG", "plings", "anna")
    return lines[-3].removeprefix("install: ")


def unit_is_active() -> str:
    wait("the unit is active", is_up)
    expect(unit("Type") == "notify", "the unit waits for no READY")
    expect("listening on" in unit("StatusText"), f"status: {unit('StatusText')}")
    enabled = run("systemctl", "is-enabled", "plingsd.service", "plingsd.socket").output.split()
    expect(enabled == ["enabled", "enabled"], f"enabled: {enabled}")
    return f"active, enabled; {unit('StatusText')}"


def socket_file(group: str = "plings") -> str:
    found = SOCKET.stat()
    expect(stat.S_ISSOCK(found.st_mode), "no socket")
    seen = (f"{stat.filemode(found.st_mode)} {pwd.getpwuid(found.st_uid).pw_name} "
            f"{grp.getgrgid(found.st_gid).gr_name}")
    expect(seen == f"srw-rw---- plingsd {group}", seen)
    return seen


def exposure() -> str:
    last = must("systemd-analyze", "security", "plingsd.service").splitlines()[-1]
    level = float(last.split(":")[1].split()[0])
    expect(level <= 2.5, last)
    return f"{level}"


def privileges() -> str:
    lines = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid()}/status").read_text().splitlines())
    seen = {name: lines[name].strip() for name in ["CapEff", "CapBnd", "NoNewPrivs", "Seccomp"]}
    expect(set(seen["CapEff"] + seen["CapBnd"]) == {"0"}, str(seen))
    expect(seen["NoNewPrivs"] == "1" and seen["Seccomp"] == "2", str(seen))
    user = pwd.getpwuid(int(lines["Uid"].split()[0])).pw_name
    groups = sorted(grp.getgrgid(int(g)).gr_name for g in lines["Groups"].split())
    expect(user == "plingsd" and {"dialout", "plugdev", "video"} <= set(groups), f"{user} {groups}")
    return f"{user}, groups {' '.join(groups)}; no capability, no new privileges, seccomp"


def store_is_private() -> str:
    found = Path("/var/lib/plingsd").stat()
    expect(stat.filemode(found.st_mode) == "drwx------", stat.filemode(found.st_mode))
    others = [str(p) for p in Path("/var/lib/plingsd").iterdir() if p.stat().st_mode & 0o077]
    expect(not others, f"others may read {others}")
    expect(pwd.getpwuid(found.st_uid).pw_name == "plingsd", "not plingsd's")
    return "drwx------ plingsd, no file in it for others"


def member_may() -> str:
    result = as_user("anna", "plingsctl", "status", "--json")
    expect(result.status == 0, result.output)
    client = as_user("anna", "plingsctl", "watch", "--json", "--since", "start", "--count", "1")
    expect(client.status == 0 and '"seq"' in client.output, client.output)
    return "status and watch"


def outsider_may_not() -> str:
    result = as_user("ben", "plingsctl", "watch", "--count", "1")
    expect(result.status != 0, f"it worked: {result.output}")
    expect("members of the group plings" in result.output, result.output)
    return result.output.splitlines()[0]


def access_without_rule() -> str:
    """pcscd asks polkit, which refuses whoever has no session and no rule."""
    if "--disable-polkit" not in run("/usr/sbin/pcscd", "--help").output:
        return "this Debian's pcscd does not ask polkit"
    aside = RULE.with_suffix(".aside")
    RULE.rename(aside)
    try:
        must("systemctl", "restart", "polkit")
        must("systemctl", "restart", "plingsd")
        state, reason = wait(
            "a refusal in status", lambda: "polkit" in (s := reader_state())[1] and s)
    finally:
        aside.rename(RULE)
    return f"{state}: {reason}"


def access_with_rule() -> str:
    wait("the reader is ready", lambda: reader_state()[0] == "ready")
    return "the reader became ready without a restart"


def tap(tags: Tags) -> str:
    watch = subprocess.Popen(
        ["runuser", "-u", "anna", "--", "plingsctl", "watch", "--json", "--types", "scan",
         "--since", "start", "--count", "1"], stdout=subprocess.PIPE, text=True)
    tags.insert(tag("5Q9XT1Z3K4M2", uid="04A1B2C3D4E5F6"))
    scan = json.loads(watch.communicate(timeout=PATIENCE)[0].splitlines()[0])
    expect(scan["tag"]["uid"] == "04a1b2c3d4e5f6", str(scan))
    tags.remove()
    return f"seq {scan['seq']}, uid {scan['tag']['uid']}, told to a member of plings"


# -- checks: a reader's devices -------------------------------------------------------------------


def reader_program() -> str:
    """Within the unit's walls a reader opens its devices, and nothing else gives way."""
    text = CONFIGURATION.read_text()
    CONFIGURATION.write_text(
        f'[[reader]]\nkind = "pcsc"\n[[reader]]\nkind = "exec"\nname = "probe"\n'
        f'command = ["/usr/bin/python3", "{ROOT}/scripts/proofs/systemd_probe.py", '
        f'"{SERIAL_LINE}", "/dev/video7", "/dev/board7"]\n')
    try:
        must("systemctl", "restart", "plingsd")
        found = wait("the probe's device", lambda: [
            r for r in status()["readers"]
            if r["name"] == "probe" and "refused" in r.get("reason", "")])
    finally:
        CONFIGURATION.write_text(text)
        must("systemctl", "restart", "plingsd")
    expect(found[0]["state"] == "ready", found[0]["reason"])
    return found[0]["reason"]


# -- checks: life ---------------------------------------------------------------------------------


def activation() -> str:
    must("systemctl", "stop", "plingsd.service")
    expect(unit("ActiveState") == "inactive", unit("ActiveState"))
    expect(SOCKET.exists(), "no socket while the service is stopped")
    begun = time.monotonic()
    # plingsctl waits five seconds for the station; a slow machine needs longer to start it.
    wait("an answer", lambda: as_user("anna", "plingsctl", "status", "--json").status == 0)
    expect(is_up(), f"the unit is {unit('ActiveState')}")
    socket_file()
    return f"stopped, then started by a connection; answered {time.monotonic() - begun:.1f} s later"


def without_socket_unit() -> str:
    must("systemctl", "stop", "plingsd.service", "plingsd.socket")
    must("systemctl", "start", "plingsd.service")
    seen = socket_file()
    expect(unit("ActiveState", "plingsd.socket") == "inactive", "the socket unit runs")
    must("systemctl", "stop", "plingsd.service")
    must("systemctl", "start", "plingsd.socket", "plingsd.service")
    return f"it makes its own: {seen}"


def other_group() -> str:
    """The group that a drop-in gives the socket is still its group when the station has started."""
    drop_in = Path("/etc/systemd/system/plingsd.socket.d/group.conf")
    drop_in.parent.mkdir()
    drop_in.write_text("[Socket]\nSocketGroup=games\n")
    renew_socket()
    seen = socket_file("games")
    drop_in.unlink()
    drop_in.parent.rmdir()
    renew_socket()
    socket_file()
    return seen


def renew_socket() -> None:
    must("systemctl", "daemon-reload")
    must("systemctl", "stop", "plingsd.service", "plingsd.socket")
    must("systemctl", "start", "plingsd.socket", "plingsd.service")


def restart_keeps(tags: Tags) -> str:
    wait("the reader is ready", lambda: reader_state()[0] == "ready")
    tags.insert(tag("7Q9XT1Z3K4M2", uid="04A1B2C3D4E5F7"))
    scans = lambda: [e for e in events() if e["type"] == "scan"]  # noqa: E731
    before = wait("the scan", lambda: len(s := scans()) > 1 and s)
    log, old = Client(SOCKET, since=None).hello["log"], pid()
    must("systemctl", "restart", "plingsd.service")
    expect(pid() != old, "the same process")
    wait("the reader is ready", lambda: reader_state()[0] == "ready")
    expect(Client(SOCKET, since=None).hello["log"] == log, "another log")
    tags.remove()
    wait("the departure", lambda: events()[-1]["type"] == "departure")
    expect(len(scans()) == len(before), "the tag that lay there was announced anew")
    return f"the log goes on with seq {events()[-1]['seq']}; a tag that lay there was told once"


def reload() -> str:
    old = pid()
    must("systemctl", "reload", "plingsd.service")
    wait("SIGHUP in the log", lambda: "SIGHUP" in must(
        "journalctl", "-u", "plingsd", "-n", "5", "-o", "cat"))
    expect(pid() == old and is_up(), "another process")
    return "the same process goes on"


def killed() -> str:
    old, count = pid(), int(unit("NRestarts"))
    os.kill(old, signal.SIGKILL)
    begun = time.monotonic()
    wait("another process is ready", lambda: is_up() and pid() != old)
    expect(int(unit("NRestarts")) == count + 1, f"restarts: {unit('NRestarts')}")
    status()
    return f"ready again {time.monotonic() - begun:.1f} s later (RestartSec {unit('RestartUSec')})"


def hangs() -> str:
    old = pid()
    os.kill(old, signal.SIGSTOP)
    begun = time.monotonic()
    wait("another process is ready", lambda: is_up() and pid() != old, 200)
    seconds = time.monotonic() - begun
    journal = must("journalctl", "-u", "plingsd", "-n", "40", "-o", "cat")
    expect("Watchdog timeout" in journal, "systemd told of no watchdog")
    status()
    return f"stopped by SIGSTOP; ready again {seconds:.0f} s later (WatchdogSec 60)"


def bad_configuration() -> str:
    """A configuration that is bad ends the service, however many connect; a good one mends it."""
    text = CONFIGURATION.read_text()
    CONFIGURATION.write_text('[stat]\nid = "x"\n')
    try:
        expect(run("systemctl", "restart", "plingsd.service").status != 0, "it started")
        for _ in range(40):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
                client.settimeout(0.2)
                client.connect(str(SOCKET))
                client.recv(10)
        wait("the unit has failed", lambda: unit("ActiveState") == "failed", 30)
        expect(unit("ExecMainStatus") == "2", f"exit status {unit('ExecMainStatus')}")
        afterwards = unit("ActiveState", "plingsd.socket")
    finally:
        CONFIGURATION.write_text(text)
    must("systemctl", "restart", "plingsd.service")
    status()
    socket_file()
    return f"failed with exit status 2 (its socket {afterwards}); mended, it starts"


# -- checks: upgrades -----------------------------------------------------------------------------


def upgrade() -> str:
    old, log = pid(), Client(SOCKET, since=None).hello
    installed()
    expect(pid() != old and is_up(), "the old process")
    new = Client(SOCKET, since=None).hello
    expect(new["log"] == log["log"] and new["last"] >= log["last"], "another log")
    return "restarted, the log goes on"


def upgrade_later() -> str:
    old = pid()
    said = installed("--no-restart")
    expect(pid() == old, "it was restarted")
    return next(line for line in said.splitlines() if "old station" in line)


def refused_upgrade() -> str:
    """The new plingsd does not take the configuration: nothing changes."""
    text, old = CONFIGURATION.read_text(), pid()
    CONFIGURATION.write_text('[stat]\nid = "x"\n')
    try:
        result = install("--from", str(FILES / "programs"))
    finally:
        CONFIGURATION.write_text(text)
    expect(result.status == 1 and "nothing was changed" in result.output, result.output)
    expect(pid() == old and is_up(), "the station was touched")
    return result.output.splitlines()[-1].removeprefix("install: ")


def failed_upgrade() -> str:
    """The new plingsd does not start: the old one comes back."""
    before = Path("/usr/bin/plingsd").read_bytes()
    result = install("--from", str(FILES / "broken"))
    expect(result.status == 1 and "the old one is back" in result.output, result.output)
    expect(Path("/usr/bin/plingsd").read_bytes() == before, "the new program is still there")
    expect(is_up(), f"the unit is {unit('ActiveState')}")
    status()
    return result.output.splitlines()[-1].removeprefix("install: ")


# -- checks: the next boot, and the end -----------------------------------------------------------


def after_boot() -> str:
    wait("the unit is active", is_up)
    kept = json.loads(Path("/var/tmp/kept.json").read_text())
    hello = Client(SOCKET, since=None).hello
    expect(hello["log"] == kept["log"] and hello["last"] >= kept["last"], f"{hello} {kept}")
    wait("the reader is ready", lambda: reader_state()[0] == "ready")
    return f"active, its reader ready, the log goes on with seq {hello['last']}"


def remove() -> str:
    result = install("--remove")
    expect(result.status == 0, result.output)
    expect(run("systemctl", "cat", "plingsd.service", "plingsd.socket").status != 0, "units left")
    expect(not processes_of("plingsd"), "processes left")
    left = files() - set(json.loads(Path("/var/tmp/files.json").read_text()))
    kept = ("/var/lib/plingsd", "/etc/plingsd")
    strange = sorted(path for path in left if not path.startswith((*kept, "/etc/")))
    expect(not strange, f"left: {strange[:10]}")
    expect(all(Path(place).exists() for place in kept), "the store or the configuration is gone")
    return " / ".join(line.removeprefix("install: ") for line in result.output.splitlines())


def come_back() -> str:
    installed()
    kept = json.loads(Path("/var/tmp/kept.json").read_text())
    expect(Client(SOCKET, since=None).hello["log"] == kept["log"], "another log")
    return "installed again, the log goes on"


def purge() -> str:
    result = install("--remove", "--purge")
    expect(result.status == 0, result.output)
    left = files() - set(json.loads(Path("/var/tmp/files.json").read_text()))
    # The copies that userdel keeps of the lists it has changed.
    strange = sorted(path for path in left if not path.endswith("-"))
    expect(not strange, f"left: {strange[:10]}")
    names = [u.pw_name for u in pwd.getpwall()] + [g.gr_name for g in grp.getgrall()]
    expect("plingsd" not in names and "plings" not in names, "the user or the group is left")
    return "no file, no user and no group is left"


@contextlib.contextmanager
def some_tags() -> Iterator[Tags]:
    tags = Tags()
    yield tags
    tags.stop()


def first(report: Report) -> None:
    for person in ["anna", "ben"]:
        must("useradd", "--create-home", person)
    prepare()
    Path("/var/tmp/files.json").write_text(json.dumps(sorted(files())))
    report.check("scripts/install", first_installation)
    report.check("unit", unit_is_active)
    report.check("socket file", socket_file)
    report.check("exposure, at most 2.5", exposure)
    report.check("what the process may", privileges)
    report.check("store", store_is_private)
    report.check("a member of plings", member_may)
    report.check("an outsider", outsider_may_not)
    report.check("polkit without our rule", access_without_rule)
    report.check("polkit with it", access_with_rule)
    with some_tags() as tags:
        report.check("a tag is tapped", lambda: tap(tags))
        report.check("restart", lambda: restart_keeps(tags))
    report.check("a reader program's devices", reader_program)
    report.check("socket activation", activation)
    report.check("without plingsd.socket", without_socket_unit)
    report.check("plingsd.socket with another group", other_group)
    report.check("reload", reload)
    report.check("kill -9", killed)
    report.check("watchdog", hangs)
    report.check("bad configuration", bad_configuration)
    report.check("upgrade", upgrade)
    report.check("upgrade, --no-restart", upgrade_later)
    report.check("upgrade that refuses the configuration", refused_upgrade)
    report.check("upgrade that does not start", failed_upgrade)
    hello = Client(SOCKET, since=None).hello
    Path("/var/tmp/kept.json").write_text(json.dumps({k: hello[k] for k in ["log", "last"]}))


def second(report: Report) -> None:
    report.check("after the next boot", after_boot)
    report.check("scripts/install --remove", remove)
    report.check("installed again", come_back)
    report.check("scripts/install --remove --purge", purge)


def main() -> int:
    report = Report()
    {"first": first, "second": second}[sys.argv[1]](report)
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
