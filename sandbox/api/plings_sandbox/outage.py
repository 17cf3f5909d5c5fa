"""An outage of the whole API, while the control goes on."""
import asyncio
import time
from collections.abc import Mapping
from typing import Any, Protocol

from .collection import Collection
from .connections import Connections
from .database import Database
from .faults import Fault

MODES = ("refuse", "reset", "http")
FIELDS = {"mode", "status", "seconds", "retry_after", "message"}


class Gate(Protocol):
    """The API's listening socket, where the control has one of its own."""

    def close(self) -> None:
        """Refuses new connections from now on."""

    async def open(self) -> None:
        """Listens again on the same port."""


class Outage:
    """The outage in force, if any; it survives a restart.

    `refuse` closes the listening socket if there is a gate, that is if the control has a port of
    its own; else, and on connections opened before, it acts like `reset`.
    """

    def __init__(self, database: Database, connections: Connections) -> None:
        self._kept = Collection(database, "outage")
        self._connections = connections
        self._ending: asyncio.Task[None] | None = None
        self.gate: Gate | None = None

    def current(self) -> dict[str, Any] | None:
        """The outage in force."""
        order = self._kept.get("now")
        if order is None or (order["until"] is not None and order["until"] <= time.time()):
            return None
        return {**order, "effective": self._effective(order)}

    def _effective(self, order: Mapping[str, Any]) -> str:
        return "reset" if order["mode"] == "refuse" and self.gate is None else order["mode"]

    def fault(self) -> Fault | None:
        """What the outage does to a request that reaches the API."""
        order = self.current()
        if order is None:
            return None
        kind = "http" if order["mode"] == "http" else "reset"
        return Fault(kind=kind, status=order["status"], retry_after=order["retry_after"],
                     message=order["message"], outage=True)

    async def begin(self, order: Mapping[str, Any], spared: asyncio.Transport | None) -> None:
        """Starts an outage in place of the one in force; raises ValueError for a bad order."""
        kept = checked(order)
        await self.end()
        self._kept["now"] = kept
        await self.resume()
        if kept["mode"] != "http":
            self._connections.abort_all(spared)

    async def resume(self) -> None:
        """Puts the kept outage into effect, as after a restart."""
        order = self.current()
        if order is None:
            return
        if order["effective"] == "refuse" and self.gate is not None:
            self.gate.close()
        if order["until"] is not None:
            self._ending = asyncio.create_task(self._end_at(order["until"]))

    async def _end_at(self, until: float) -> None:
        await asyncio.sleep(max(0.0, until - time.time()))
        self._ending = None
        await self.end()

    async def end(self) -> None:
        """Ends the outage in force."""
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None
        self._kept.clear()
        if self.gate is not None:
            await self.gate.open()


def checked(order: Mapping[str, Any]) -> dict[str, Any]:
    """The order with every field; raises ValueError with what is wrong with it."""
    unknown = set(order) - FIELDS
    if unknown:
        raise ValueError(f"unknown fields in the outage: {sorted(unknown)}")
    mode, status, seconds = order.get("mode"), order.get("status", 503), order.get("seconds")
    if mode not in MODES:
        raise ValueError(f"the mode of an outage is one of {', '.join(MODES)}")
    if type(status) is not int or not 400 <= status <= 599:
        raise ValueError("status is a number from 400 to 599")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, (int, float))
                                or seconds <= 0):
        raise ValueError("seconds is a number above 0")
    return {"mode": mode, "status": status, "retry_after": order.get("retry_after"),
            "message": order.get("message", "The API is down"),
            "until": None if seconds is None else time.time() + seconds}
