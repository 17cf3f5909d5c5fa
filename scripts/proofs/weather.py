"""What goes wrong with the API while a proof runs: one kind of trouble at a time."""

from __future__ import annotations

import random

from harness import Sandbox, Station

# Where the answer is spoilt after the work was done, the scan is sent again although it arrived.
FAULTS = {
    "status 503": {"kind": "http", "status": 503, "count": 2},
    "status 500 after the work": {"kind": "http", "status": 500, "when": "after", "count": 1},
    "asked to wait": {"kind": "http", "status": 429, "retry_after": 1, "count": 1},
    "no answer": {"kind": "timeout", "delay": 3, "count": 1},
    "no answer after the work": {"kind": "timeout", "delay": 3, "when": "after", "count": 1},
    "half an answer after the work": {"kind": "half_body", "when": "after", "count": 2},
    "reset": {"kind": "reset", "count": 2},
    "reset after the work": {"kind": "reset", "when": "after", "count": 1},
    "closed after the work": {"kind": "close", "when": "after", "count": 1},
    "no JSON after the work": {"kind": "invalid_json", "when": "after", "count": 1},
    "a portal's page": {"kind": "html", "count": 2},
    "an internal error": {
        "kind": "graphql_error", "code": "INTERNAL_SERVER_ERROR", "message": "oops", "count": 1},
}
OUTAGES = {
    "away": {"mode": "refuse", "seconds": 1},
    "all resets": {"mode": "reset", "seconds": 1},
    "all 502": {"mode": "http", "status": 502, "seconds": 1},
}
REFUSED = "token refused"
FAIR = "fair"
KINDS = [*FAULTS, *OUTAGES, REFUSED]


class Weather:
    """The API's trouble; `fair` ends it."""

    def __init__(self, sandbox: Sandbox, station: Station) -> None:
        self.sandbox, self.station = sandbox, station
        self.refused = False
        self.tokens = 0
        sandbox.control("settings", {"auth_failure": "http"})
        self.new_token()

    def new_token(self) -> None:
        """Has another token in the station's file, as whoever renews it would."""
        self.tokens += 1
        # Another lifetime makes it another token, also within the same second.
        order = {"ttl": 86400 + self.tokens}
        self.current = self.sandbox.control("token", order)["access_token"]
        self.station.set_token(self.current)
        self.refused = False

    def fair(self) -> None:
        """Ends all trouble."""
        self.sandbox.control("faults", method="DELETE")
        self.sandbox.control("outage", method="DELETE")
        if self.refused:
            self.new_token()

    def change(self, choices: random.Random) -> str:
        """Begins another trouble, or none; returns its name."""
        kind = choices.choice([FAIR, FAIR, FAIR, FAIR, *KINDS])
        self.fair()
        self.begin(kind)
        return kind

    def begin(self, kind: str) -> None:
        if kind in FAULTS:
            self.sandbox.control("faults", {"op": "resolveIdentifier", **FAULTS[kind]})
        elif kind in OUTAGES:
            self.sandbox.control("outage", OUTAGES[kind])
        elif kind == REFUSED:
            self.sandbox.control("token/revoke", {"token": self.current})
            self.refused = True
