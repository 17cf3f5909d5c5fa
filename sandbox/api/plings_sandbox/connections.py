"""The connections the API's requests come over."""
import asyncio
import weakref
from dataclasses import dataclass

from .exchange import abort


@dataclass
class Connection:
    """A client's connection; the numbers are never used again."""

    number: int
    requests: int = 0


class Connections:
    """Numbers the connections, so that their reuse can be counted, and can end them all."""

    def __init__(self, last_number: int = 0) -> None:
        self._last_number = last_number
        self._open: weakref.WeakKeyDictionary[asyncio.Transport, Connection] = (
            weakref.WeakKeyDictionary())

    def note_request(self, transport: asyncio.Transport) -> Connection:
        """The connection this request came over, with the request counted."""
        connection = self._open.get(transport)
        if connection is None:
            self._last_number += 1
            connection = self._open[transport] = Connection(self._last_number)
        connection.requests += 1
        return connection

    def abort_all(self, spared: asyncio.Transport | None = None) -> None:
        """Resets every connection that carried a request to the API, but the spared one."""
        for transport in list(self._open):
            if transport is not spared and not transport.is_closing():
                abort(transport)
