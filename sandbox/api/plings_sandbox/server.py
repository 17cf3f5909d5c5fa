"""Listens, serves and stops."""
import asyncio
import socket
import ssl
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .app import Application
from .sandbox import Sandbox

KEEP_ALIVE = 75
"""Seconds an idle connection is kept. Source: nginx's default, what the API stands behind."""

BACKLOG = 512


@dataclass(frozen=True)
class Options:
    """How the sandbox is started."""

    host: str = "127.0.0.1"
    port: int = 8800
    control_port: int | None = None
    certificate: Path | None = None
    key: Path | None = None
    state: Path | None = None
    log_level: str = "warning"


def bound(host: str, port: int) -> socket.socket:
    """A socket bound to this address that doesn't listen yet: connections are refused."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio switches Nagle's algorithm off only where the protocol is named.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((host, port))
    except OSError:
        opened.close()
        raise
    return opened


class Server(uvicorn.Server):
    """uvicorn with a second listener for the control, and with a gate before the first."""

    def __init__(self, options: Options, sandbox: Sandbox) -> None:
        self._options = options
        self._sandbox = sandbox
        self._application = Application(sandbox)
        super().__init__(uvicorn.Config(
            self._application, http=H11Protocol, loop="asyncio", ws="none", lifespan="off",
            log_level=options.log_level, access_log=False, proxy_headers=False,
            server_header=False, backlog=BACKLOG, timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=1, ssl_certfile=options.certificate,
            ssl_keyfile=options.key))
        self._api_socket = bound(options.host, options.port)
        self._port: int = self._api_socket.getsockname()[1]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Opens both listeners and says so."""
        await super().startup(sockets=[self._api_socket])
        says = [f"listening on {self._url(self._port, self.config.ssl)}"]
        if self._options.control_port is not None:
            control_socket = bound(self._options.host, self._options.control_port)
            control_port = self._application.control_port = control_socket.getsockname()[1]
            self.servers.append(await self._listen(control_socket, None))
            self._sandbox.outage.gate = self
            says.append(f"control on {self._url(control_port, None)}")
        await self._sandbox.outage.resume()
        print("\n".join(says), flush=True)

    def _url(self, port: int, tls: ssl.SSLContext | None) -> str:
        host = f"[{self._options.host}]" if ":" in self._options.host else self._options.host
        return f"{'https' if tls else 'http'}://{host}:{port}"

    async def _listen(self, opened: socket.socket, tls: ssl.SSLContext | None) -> asyncio.Server:
        loop = asyncio.get_running_loop()

        def protocol() -> asyncio.Protocol:
            return H11Protocol(self.config, self.server_state, app_state={}, _loop=loop)

        return await loop.create_server(protocol, sock=opened, ssl=tls, backlog=BACKLOG)

    # The gate before the API

    def close(self) -> None:
        """Stops listening for the API; the port stays ours."""
        self.servers[0].close()
        self._api_socket = bound(self._options.host, self._port)

    async def open(self) -> None:
        """Listens for the API again."""
        if not self.servers[0].is_serving():
            self.servers[0] = await self._listen(self._api_socket, self.config.ssl)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ends on a signal, with exit status 0; uvicorn's own would raise the signal again."""
        self.force_exit = self.should_exit
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stops; what is being held is let go at once, and so are idle connections.

        A graceful end of an idle TLS connection would wait for its client.
        """
        self._sandbox.release_held()
        for connection in list(self.server_state.connections):
            if isinstance(connection, H11Protocol) and (
                    connection.cycle is None or connection.cycle.response_complete):
                connection.transport.abort()
        await super().shutdown(sockets)


def serve(options: Options) -> int:
    """Runs a sandbox until SIGTERM or SIGINT; returns the exit status."""
    sandbox = Sandbox(options.state)
    try:
        Server(options, sandbox).run()
    except OSError as error:
        where = f"{options.host} port {options.port}"
        print(f"plings_sandbox: {where}: {error.strerror or error}", file=sys.stderr)
        return 1
    finally:
        sandbox.database.close()
    return 0
