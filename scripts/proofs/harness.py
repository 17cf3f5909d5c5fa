"""The real parts that a proof runs: sandbox API, virtual readers, tags and the daemon.

Everything is a child process of the proof, lives in one temporary folder and is ended by its pid.
Nothing leaves the loopback interface.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any, Callable, Iterable

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "token-anna"


def programs() -> Path:
    """The folder of the built programs: release where there is one, else debug."""
    chosen = os.environ.get("PLINGS_PROGRAMS")
    if chosen:
        return Path(chosen)
    release = ROOT / ".build" / "release"
    return release if (release / "plingsd").exists() else ROOT / ".build" / "debug"


def free_port(count: int = 1) -> int:
    """The first of so many consecutive ports that nobody uses."""
    while True:
        with contextlib.ExitStack() as probes:
            first = probes.enter_context(socket.socket())
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                for offset in range(1, count):
                    probes.enter_context(socket.socket()).bind(("127.0.0.1", port + offset))
            except (OSError, OverflowError):
                continue
            return port


def wait_until(what: str, check: Callable[[], Any], seconds: float = 20.0) -> Any:
    """Asks until the answer is true; fails naming what never came."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = check()
        if value:
            return value
        time.sleep(0.005)
    raise SystemExit(f"not seen within {seconds} s: {what}")


def at_exit(action: Callable[[], Any]) -> None:
    """Runs an action however the proof ends, so that it leaves no process behind."""

    def quietly() -> None:
        try:
            action()
        except (OSError, ValueError, subprocess.SubprocessError):
            pass

    atexit.register(quietly)


def say(text: str) -> None:
    print(text, flush=True)


class Lines:
    """The lines of a stream, read by a thread of their own, with the time of each."""

    def __init__(self, stream) -> None:
        self.queue: queue.Queue[tuple[int, dict] | None] = queue.Queue()
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream) -> None:
        for line in stream:
            now = time.monotonic_ns()
            try:
                self.queue.put((now, json.loads(line)))
            except ValueError:
                continue
        self.queue.put(None)

    def next(self, seconds: float) -> tuple[int, dict] | None:
        """The next line, or None where the stream has ended or none came in time."""
        try:
            return self.queue.get(timeout=seconds) if seconds > 0 else self.queue.get_nowait()
        except queue.Empty:
            return None


class Checks:
    """What a proof has looked at: each a sentence, and where it does not hold, the causes."""

    def __init__(self) -> None:
        self.causes: dict[str, list[str]] = {}

    def check(self, sentence: str, cause: Any) -> None:
        """Notes a check; `cause` is what speaks against it, and empty where nothing does."""
        causes = self.causes.setdefault(sentence, [])
        if cause:
            causes.append(str(cause))

    def judge(self, judged: Iterable[tuple[str, str]]) -> None:
        """Notes all of these checks."""
        for sentence, cause in judged:
            self.check(sentence, cause)

    def tell(self) -> int:
        """Prints all checks; the exit status of the proof."""
        for sentence, causes in self.causes.items():
            say(f"- FAILED: {sentence}: {'; '.join(causes)}" if causes else f"- ok: {sentence}")
        return 1 if any(self.causes.values()) else 0


class Folder:
    """A temporary folder with a short path, which sockets need."""

    def __init__(self) -> None:
        base = os.environ.get("PLINGS_PROOF_FOLDER") or tempfile.gettempdir()
        self.path = Path(tempfile.mkdtemp(prefix="plings-", dir=base))

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


class Sandbox:
    """The development API, with its control routes."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.state = folder / "api.state"
        self.port, self.control_port = free_port(), free_port()
        self.options = options
        self.start()

    def start(self) -> None:
        command = [
            str(ROOT / "sandbox/api/serve"), "--port", str(self.port),
            "--control-port", str(self.control_port), "--state", str(self.state), *self.options,
        ]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for _ in range(2):
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("the sandbox did not start")
        self.endpoint = f"http://127.0.0.1:{self.port}/graphql"
        at_exit(self.process.kill)

    def control(self, route: str, body: Any = None, method: str | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.control_port}/_control/{route}", data=data,
            method=method or ("POST" if data is not None else "GET"),
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


class Readers:
    """A private pcscd with virtual readers, and the tags on them."""

    def __init__(self, folder: Path, count: int = 1) -> None:
        self.folder = folder / "r"
        self.port = free_port(count)
        command = str(ROOT / "sandbox/readers/virtual-readers")
        out = subprocess.run(
            [command, "start", str(self.folder), str(count), str(self.port)], check=True,
            stdout=subprocess.PIPE, text=True).stdout
        self.environment = dict(
            line.removeprefix("export ").split("=", 1) for line in out.splitlines() if "=" in line)
        self.tags = subprocess.Popen(
            [sys.executable, str(ROOT / "sandbox/readers/tags.py"), "--port", str(self.port), "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = Lines(self.tags.stdout)
        # All that the tags have told, in its order.
        self.history: list[dict] = []
        self.is_stopped = False
        at_exit(self.stop)

    def send(self, **line: Any) -> None:
        self.tags.stdin.write(json.dumps(line) + "\n")
        self.tags.stdin.flush()

    def read(self, seconds: float) -> dict | None:
        """What the tags tell next, or None where nothing comes in time."""
        entry = self.lines.next(seconds)
        if entry is None:
            return None
        if entry[1].get("ev") == "error":
            raise SystemExit(f"the tags say: {entry[1]}")
        self.history.append(entry[1])
        return entry[1]

    def await_event(self, name: str, port: int | None = None, seconds: float = 20.0) -> dict:
        """The next event of that name on a reader's port."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            event = self.read(left)
            if event and event.get("ev") == name and event.get("port") == (port or self.port):
                return event
        raise SystemExit(f"the tags never said {name}")

    def catch_up(self) -> None:
        """Takes in what the tags have told up to now."""
        while self.read(0) is not None:
            pass

    def insert(self, tag: dict, port: int | None = None) -> dict:
        """Puts a tag on a reader and returns its insert stamp."""
        self.send(port=port or self.port, insert=tag)
        return self.await_event("insert", port)

    def remove(self, port: int | None = None) -> dict:
        self.send(port=port or self.port, remove=True)
        return self.await_event("remove", port)

    def stop(self) -> None:
        # Once: the command would make the folder anew.
        if self.is_stopped:
            return
        self.is_stopped = True
        self.tags.stdin.close()
        self.tags.wait(10)
        subprocess.run(
            [str(ROOT / "sandbox/readers/virtual-readers"), "stop", str(self.folder)], check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Client:
    """A subscriber of the station's socket; its lines with the time at which each arrived."""

    def __init__(self, path: Path, since: Any = "now", seconds: float = 10.0, **filters: Any):
        self.socket = socket.socket(socket.AF_UNIX)
        end = time.monotonic() + seconds
        while True:
            try:
                self.socket.connect(str(path))
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.002)
        self.lines = Lines(self.socket.makefile("rb"))
        self.hello = self._take()["params"]
        if since is not None:
            self.subscribed = self.call("subscribe", since=since, **filters)

    def _take(self, seconds: float = 20.0) -> dict:
        entry = self.lines.next(seconds)
        if entry is None:
            raise SystemExit("the station's socket ended or fell silent")
        return entry[1]

    def call(self, method: str, **parameters: Any) -> Any:
        """Only before events are read, or on a connection without a subscription."""
        line = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        self.socket.sendall(json.dumps(line).encode() + b"\n")
        while "id" not in (reply := self._take()):
            pass
        if "error" in reply:
            raise SystemExit(f"{method}: {reply['error']}")
        return reply["result"]

    def event(self, seconds: float = 20.0) -> tuple[int, dict] | None:
        entry = self.lines.next(seconds)
        return None if entry is None else (entry[0], entry[1].get("params", {}))

    def await_event(self, seconds: float = 20.0, **members: Any) -> tuple[int, dict]:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            entry = self.event(left)
            if entry is None:
                break
            if all(entry[1].get(name) == value for name, value in members.items()):
                return entry
        raise SystemExit(f"no event with {members} within {seconds} s")

    def arrived(self) -> list[dict]:
        """What has arrived up to now, without waiting."""
        events = []
        while (entry := self.event(0)) is not None:
            events.append(entry[1])
        return events

    def rest(self) -> list[dict]:
        """What arrived up to the end of the connection."""
        events = []
        while (entry := self.event(5.0)) is not None:
            events.append(entry[1])
        return events

    def close(self) -> None:
        # The thread that reads would keep it open otherwise.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Station:
    """The daemon as a process, with a configuration and a store of its own."""

    def __init__(
        self, folder: Path, sandbox: Sandbox | None = None, readers: Readers | None = None,
        wrapper: list[str] | None = None, endpoint: str | None = None,
        program: list[str] | None = None, **api: Any,
    ) -> None:
        """`program` is the command of a reader program, in place of PC/SC readers."""
        self.folder, self.readers, self.wrapper = folder, readers, wrapper or []
        self.socket = folder / "s.sock"
        self.store = folder / "store"
        self.token = token = folder / "token"
        self.set_token(TOKEN)
        lines = [f'[store]\ndirectory = "{self.store}"', f'[socket]\npath = "{self.socket}"']
        # Proofs tap faster than any hand, and all their taps count.
        lines.append("[scan]\nflap_limit = 0")
        endpoint = endpoint or (sandbox.endpoint if sandbox else None)
        if endpoint:
            lines.append(f'[api]\nendpoint = "{endpoint}"\ntoken_file = "{token}"')
            lines += [f"{key} = {json.dumps(value)}" for key, value in api.items()]
        if readers is None:
            lines.append("[readers]\nautomatic = false")
        if program:
            lines.append('[[reader]]\nkind = "exec"\nname = "lane"')
            lines.append(f"command = {json.dumps(program)}")
        self.configuration = folder / "config.toml"
        self.configuration.write_text("\n".join(lines) + "\n")
        self.log = open(folder / "plingsd.log", "ab")
        self.process: subprocess.Popen | None = None

    def set_token(self, token: str) -> None:
        """Puts a token in place as a program that renews it does: never half written."""
        new = self.token.with_suffix(".new")
        new.write_text(token)
        new.chmod(0o600)
        new.replace(self.token)

    def start(self, **more: str) -> None:
        environment = dict(os.environ) | more
        if self.readers:
            environment |= self.readers.environment
        self.process = subprocess.Popen(
            [*self.wrapper, str(programs() / "plingsd"), "--config", str(self.configuration)],
            env=environment, stderr=self.log, stdin=subprocess.DEVNULL)
        at_exit(self.process.kill)

    def start_until_ready(self) -> float:
        """Starts it as a service manager does; returns the seconds until it said READY."""
        path = self.folder / "notify"
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.bind(str(path))
            notify.settimeout(60)
            begun = time.monotonic()
            self.start(NOTIFY_SOCKET=str(path))
            while b"READY=1" not in notify.recv(4096):
                pass
            return time.monotonic() - begun

    def reader_processes(self) -> list[int]:
        """The ids of the reader programs that run now."""
        found = []
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found += [int(word) for word in (task / "children").read_text().split()]
        return found

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> float:
        """Asks it to end; returns how long that took, in seconds."""
        begun = time.monotonic()
        self.process.terminate()
        self.process.wait(20)
        return time.monotonic() - begun

    def client(self, **options: Any) -> Client:
        return Client(self.socket, **options)

    def status(self) -> dict:
        client = self.client(since=None)
        status = client.call("status")
        client.close()
        return status

    def await_ready(self) -> None:
        """Until the first reader is ready, or at once where there are none."""
        wait_until("the station's socket", self.socket.exists)
        if self.readers:
            wait_until(
                "a reader that is ready",
                lambda: any(r["state"] == "ready" for r in self.status()["readers"]))

    def log_rows(self) -> list[dict]:
        """The events of the log, read from the file after the daemon has ended."""
        database = sqlite3.connect(self.store / "station.sqlite")
        rows = database.execute("SELECT seq, body FROM event ORDER BY seq").fetchall()
        database.close()
        return [{"seq": seq, **json.loads(body)} for seq, body in rows]

    def queued(self) -> set[str]:
        """The scans still to be delivered, read from the file after the daemon has ended."""
        database = sqlite3.connect(self.store / "station.sqlite")
        rows = database.execute("SELECT id FROM outbox WHERE state = 'queued'").fetchall()
        database.close()
        return {id for id, in rows}

    def scan_order(self) -> dict[str, int]:
        """The seq of each scan, read from the file after the daemon has ended."""
        database = sqlite3.connect(self.store / "station.sqlite")
        rows = database.execute("SELECT scan, seq FROM event WHERE type = 'scan'").fetchall()
        database.close()
        return dict(rows)


def tag(identifier: str, path: str = "1.2.3", uid: str = "04A1B2C3D4E5F6", **more: Any) -> dict:
    """A tag with one of our URLs."""
    uri = f"https://s.plings.io/?t=n&i={identifier}&p={path}"
    return {"kind": "ntag213", "uid": uid, "uri": uri, **more}
