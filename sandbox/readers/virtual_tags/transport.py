"""Puts tags on readers and takes them away. The wire is described in ../ifd-tag.c."""

from __future__ import annotations

import socket
import threading

from .events import Stamp, tell
from .faults import Faults
from .tag import Tag

HEADER = 4


class Gone(Exception):
    """The connection has ended: the tag was taken away, or the reader has gone."""


class Presence:
    """One tag's time on a reader, served by a thread of its own."""

    def __init__(self, port: int, tag: Tag) -> None:
        """Connects. Raises OSError where no reader is there."""
        self.port, self.tag = port, tag
        self.faults = Faults(tag.spec.get("fault", {}))
        self.gone = threading.Event()
        self.answered = 0
        self._lock = threading.Lock()
        self._socket = socket.socket()
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stamp = Stamp()  # the tag enters the field
        try:
            self._socket.connect(("127.0.0.1", port))
        except OSError:
            self._socket.close()
            raise
        tell("insert", stamp, port=port, kind=tag.kind, uid=tag.uid.hex().upper())
        threading.Thread(target=self._serve, daemon=True).start()
        seconds = self.faults.seconds_before_pull()
        if seconds is not None:
            threading.Thread(target=self._end_after, args=[seconds], daemon=True).start()

    def _end_after(self, seconds: float) -> None:
        if not self.gone.wait(seconds):
            self.end("pull")

    def end(self, why: str) -> None:
        """Takes the tag away; does nothing where it has gone already."""
        with self._lock:
            if self.gone.is_set():
                return
            stamp = Stamp()
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the reader was faster
            tell("remove", stamp, port=self.port, apdus=self.answered, why=why)
            self.gone.set()

    def _serve(self) -> None:
        try:
            with self._socket:
                while True:
                    kind, body = self._receive_message()
                    self._handle(kind, body)
        except (OSError, Gone):
            self.end("reader")

    def _handle(self, kind: bytes, body: bytes) -> None:
        if kind == b"T":
            self.tag.place_on(body.decode())
            self.faults.wait_for_atr(self.gone)
            self._send_message(kind, self.tag.atr)
            tell("seen", port=self.port, reader=self.tag.profile.model)
        elif kind == b"A":
            self._answer(body)
        else:
            self.tag.reset()

    def _answer(self, apdu: bytes) -> None:
        number = self.answered + 1
        if self.faults.pulled_before(number):
            self.end("pull")
            raise Gone
        if self.faults.hangs_at(number):
            self._receive(1)  # nothing comes: it ends with the connection
            raise Gone
        answer = self.faults.spoil(number, self.tag.answer(apdu))
        self.faults.wait_for_answer(self.gone)
        with self._lock:  # who has seen the answer finds it counted
            if self.gone.is_set():
                raise Gone
            self._send_message(b"A", answer)
            self.answered = number
            if self.tag.spec.get("trace"):
                tell("apdu", port=self.port, c=apdu.hex().upper(), r=answer.hex().upper())

    def _send_message(self, kind: bytes, body: bytes) -> None:
        self._socket.sendall(kind + len(body).to_bytes(3, "big") + body)

    def _receive_message(self) -> tuple[bytes, bytes]:
        header = self._receive(HEADER)
        return header[:1], self._receive(int.from_bytes(header[1:], "big"))

    def _receive(self, count: int) -> bytes:
        """Exactly so many bytes. Raises Gone where the connection ends before."""
        data = b""
        while len(data) < count:
            part = self._socket.recv(count - len(data))
            if not part:
                raise Gone
            data += part
        return data


class ReaderPort:
    """A reader's port: at most one tag at a time."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.presence: Presence | None = None

    def insert(self, tag: Tag) -> None:
        """Puts a tag on the reader, in place of one that lies there. Raises OSError."""
        self.remove("replaced")
        self.presence = Presence(self.port, tag)

    def remove(self, why: str) -> None:
        """Takes the tag away, if there is one."""
        if self.presence:
            self.presence.end(why)
            self.presence = None

    def wait_gone(self) -> None:
        """Returns once no tag lies there any more."""
        if self.presence:
            self.presence.gone.wait()
