"""One HTTP request and what can be done to its connection."""
import asyncio
import enum
import json
import socket
import struct
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

PLAIN = "text/plain; charset=utf-8"
RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""struct linger {on, 0 seconds}: closing sends RST. Source: socket(7), SO_LINGER."""

BODILESS = (204, 304)
PATIENCE_WITH_CLOSE = 1.0
"""Seconds until a connection whose peer doesn't answer the closing is dropped."""


@dataclass
class Reply:
    """An answer: a body that isn't bytes is sent as JSON."""

    status: int
    body: Any
    headers: Iterable[tuple[str, Any]] = ()
    content_type: str = "application/json"

    def content(self) -> bytes:
        """The bytes of the body; none where the status forbids one."""
        if self.status in BODILESS:
            return b""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def text_reply(status: int, text: str, headers: Iterable[tuple[str, Any]] = ()) -> Reply:
    """An answer in plain text."""
    return Reply(status, text.encode(), headers, PLAIN)


class Hold(enum.Enum):
    """How the holding of a request ended."""

    ELAPSED = enum.auto()
    CLIENT_LEFT = enum.auto()
    RELEASED = enum.auto()


class Exchange:
    """A request, its connection, and the ways to answer it or not to."""

    def __init__(self, scope: Message, receive: Receive, send: Send) -> None:
        self.request = Request(scope, receive)
        self.path: str = scope["path"]
        self.method: str = scope["method"]
        self.http_version: str = scope.get("http_version", "")
        host, port = scope.get("client") or ("?", 0)
        self.client_address: str = host
        self.peer = f"{host}:{port}"
        self._receive = receive
        self._send = send
        # uvicorn's h11 protocol hands out a bound method of its request cycle, which knows the
        # connection; ASGI itself has no way to end one.
        self.transport: asyncio.Transport = send.__self__.transport  # type: ignore[attr-defined]

    async def respond(self, reply: Reply) -> None:
        """Sends a whole answer."""
        content = reply.content()
        await self.start(reply.status, len(content), reply.content_type, reply.headers)
        await self.send_part(content, last=True)

    async def start(self, status: int, length: int, content_type: str = "application/json",
                    headers: Iterable[tuple[str, Any]] = ()) -> None:
        """Sends the head of an answer that promises a body of so many bytes."""
        head = [("content-type", content_type), ("content-length", length), *headers]
        await self._send({"type": "http.response.start", "status": status, "headers": [
            (name.lower().encode(), str(value).encode("latin-1", "replace"))
            for name, value in head]})

    async def send_part(self, content: bytes, last: bool = False) -> None:
        """Sends a piece of the body."""
        await self._send({"type": "http.response.body", "body": content, "more_body": not last})

    async def cut(self, reset: bool = False) -> None:
        """Ends the connection without (the rest of) an answer, by RST or by FIN."""
        if reset:
            abort(self.transport)
        else:
            self.transport.close()
        if await self.hold(PATIENCE_WITH_CLOSE) is Hold.ELAPSED:
            self.transport.abort()
            await self._disconnected()

    async def hold(self, seconds: float, release: asyncio.Event | None = None) -> Hold:
        """Waits, but no longer than the client stays and the release isn't given."""
        leaving = asyncio.ensure_future(self._disconnected())
        releasing = asyncio.ensure_future((release or asyncio.Event()).wait())
        try:
            await asyncio.wait({leaving, releasing}, timeout=seconds,
                               return_when=asyncio.FIRST_COMPLETED)
            if leaving.done():
                return Hold.CLIENT_LEFT
            return Hold.RELEASED if releasing.done() else Hold.ELAPSED
        finally:
            leaving.cancel()
            releasing.cancel()

    async def _disconnected(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass


def abort(transport: asyncio.Transport) -> None:
    """Ends a connection at once with a TCP RST."""
    connection = transport.get_extra_info("socket")
    if connection is not None and not transport.is_closing():
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
    transport.abort()
