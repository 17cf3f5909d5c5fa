"""The faults a test has ordered: which requests go wrong, and how."""
import fnmatch
from collections.abc import Collection as Container
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from .collection import Collection
from .database import Database

KINDS = ("http", "redirect", "timeout", "reset", "close", "half_body", "drip", "oversized",
         "invalid_json", "html", "empty", "graphql_error", "reply", "slow")
REDIRECTS = (301, 302, 303, 307, 308)
AUTH_OPS = "auth."
"""Requests for tokens are operations with this prefix; only a fault that names it hits them."""

UNPARSED = ["?"]
"""Stands for the operations of a request that could not be parsed."""


@dataclass
class Fault:
    """One fault. The fields are those of the control call; see sandbox/api/README.md."""

    op: str = "*"
    kind: str = "http"
    when: str = "before"
    count: int = 1
    skip: int = 0
    match: str | None = None
    delay: float = 0.0
    status: int | None = None
    retry_after: int | float | str | None = None
    location: str | None = None
    code: str = "INTERNAL_SERVER_ERROR"
    message: str = "Injected fault"
    body: Any = None
    content_type: str = "application/json"
    size: int = 64 * 1024 * 1024
    hits: int = 0
    outage: bool = False

    def hits_request(self, ops: list[str], texts: Container[str]) -> bool:
        """Whether this fault is meant for a request with these operations and string values."""
        if self.count == 0 or (self.match is not None and self.match not in texts):
            return False
        return any(fnmatch.fnmatchcase(op, self.op) for op in ops
                   if not op.startswith(AUTH_OPS) or self.op.startswith(AUTH_OPS))

    def as_logged(self) -> dict[str, Any]:
        """The fields that tell in the log what was done to the request."""
        names = ("kind", "when", "op", "match", "status", "retry_after", "location", "delay",
                 "outage")
        return {name: getattr(self, name) for name in names}


def make_fault(order: Mapping[str, Any]) -> Fault:
    """The fault this order describes; raises ValueError with what is wrong with it."""
    if not isinstance(order, Mapping):
        raise ValueError("a fault is an object")
    unknown = set(order) - {field.name for field in fields(Fault)} | {"hits", "outage"} & set(order)
    if unknown:
        raise ValueError(f"unknown fields in the fault: {sorted(unknown)}")
    fault = Fault(**order)
    if fault.kind not in KINDS:
        raise ValueError(f"fault kind {fault.kind!r} is none of {', '.join(KINDS)}")
    if fault.when not in ("before", "after"):
        raise ValueError("when is before or after")
    for name in ("count", "skip", "delay", "size"):
        if isinstance(getattr(fault, name), bool) or not isinstance(
                getattr(fault, name), (int, float)):
            raise ValueError(f"{name} is a number")
    check_answer(fault)
    return fault


def check_answer(fault: Fault) -> None:
    """Fills in the status and location a fault answers with, or raises ValueError."""
    if fault.kind == "redirect":
        fault.status = 302 if fault.status is None else fault.status
        fault.location = fault.location or "https://portal.invalid/"
        if fault.status not in REDIRECTS:
            raise ValueError(f"the status of a redirect is one of {REDIRECTS}")
    elif fault.status is None:
        fault.status = {"http": 503, "reply": 200}.get(fault.kind)
    if fault.status is not None and (type(fault.status) is not int
                                     or not 200 <= fault.status <= 599):
        raise ValueError("status is a number from 200 to 599")


class FaultPlan:
    """The ordered faults; they survive a restart."""

    def __init__(self, database: Database) -> None:
        self._orders = Collection(database, "faults")
        self._faults = {key: Fault(**order) for key, order in self._orders.items()}

    def add(self, faults: list[Fault]) -> None:
        """Appends these faults."""
        for fault in faults:
            self._faults[self._orders.append(asdict(fault))] = fault

    def pick(self, ops: list[str], texts: Container[str]) -> Fault | None:
        """The first fault that hits this request, counted down; None lets it through."""
        for key, fault in self._faults.items():
            if not fault.hits_request(ops or UNPARSED, texts):
                continue
            passed_over = fault.skip > 0
            if passed_over:
                fault.skip -= 1
            else:
                fault.count -= fault.count > 0
                fault.hits += 1
            self._orders[key] = asdict(fault)
            if not passed_over:
                return fault
        return None

    def as_list(self) -> list[dict[str, Any]]:
        """The faults as the control shows them, used-up ones included."""
        return list(self._orders.values())

    def clear(self) -> None:
        """Removes all of them."""
        self._orders.clear()
        self._faults.clear()
