"""One request to the control, and which function answers it."""
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..exchange import Exchange
from ..sandbox import Sandbox


@dataclass
class Asked:
    """One request to the control."""

    sandbox: Sandbox
    exchange: Exchange
    query: Mapping[str, str]
    body: Any

    def number(self, name: str) -> int | None:
        """A number among the query parameters."""
        return int(self.query[name]) if self.query.get(name) else None

    def fields(self) -> dict[str, Any]:
        """The body, which must be an object."""
        if not isinstance(self.body, dict):
            raise ValueError("the body must be a JSON object")
        return self.body


Handler = Callable[[Asked], Any]
ROUTES: dict[str, dict[str, Handler]] = {}


def route(path: str, *methods: str) -> Callable[[Handler], Handler]:
    """Makes a function answer these methods of a path."""
    def added(handler: Handler) -> Handler:
        for method in methods:
            ROUTES.setdefault(path, {})[method] = handler
        return handler
    return added
