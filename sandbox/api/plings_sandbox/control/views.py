"""What tests read: the data, the log and what is made of it."""
from typing import Any

from .. import reports
from .routing import Asked, route


@route("health", "GET")
def health(asked: Asked) -> Any:
    """Whether the sandbox runs, and the number of the newest request."""
    return {"ok": True, "seq": asked.sandbox.log.last_seq()}


@route("fixtures", "GET")
def fixtures(asked: Asked) -> Any:
    """The seeded objects and tags by label."""
    return dict(asked.sandbox.world.fixtures)


@route("refresh_tokens", "GET")
def refresh_tokens(asked: Asked) -> Any:
    """Every refresh token, oldest first: secrets, for tests that look where they turn up."""
    return {"refresh_tokens": asked.sandbox.sessions.refresh_tokens.as_list()}


@route("log", "GET")
def log(asked: Asked) -> bytes:
    """The requests, oldest first; put together from the texts the log holds."""
    entries = asked.sandbox.log.select(
        asked.query.get("op"), asked.number("since") or 0, bool(asked.query.get("applied")),
        asked.number("limit"))
    return b'{"log": [' + ",".join(entries).encode() + b"]}"


@route("log", "DELETE")
def clear_log(asked: Asked) -> Any:
    """Empties the log."""
    asked.sandbox.log.clear()
    return {"log": []}


@route("scan_events", "GET")
def scan_events(asked: Asked) -> Any:
    """The scan events in order of arrival."""
    return {"scan_events": asked.sandbox.scan_events.select(
        asked.query.get("identifier"), asked.query.get("key"), asked.number("since") or 0,
        asked.number("limit"))}


@route("scan_events/count", "GET")
def count_scan_events(asked: Asked) -> Any:
    """How many scan events there are."""
    return asked.sandbox.scan_events.count(
        asked.query.get("identifier"), asked.query.get("key"), asked.number("since") or 0)


@route("attempts", "GET")
def attempts(asked: Asked) -> Any:
    """The attempts per distinct request."""
    return {"attempts": reports.attempts(asked.sandbox, asked.query.get("op"))}


@route("duplicates", "GET")
def duplicates(asked: Asked) -> Any:
    """What happened twice."""
    return reports.duplicates(asked.sandbox)


@route("stats", "GET")
def stats(asked: Asked) -> Any:
    """Totals."""
    return reports.stats(asked.sandbox)


@route("state", "GET")
def state(asked: Asked) -> Any:
    """The data."""
    return reports.state(asked.sandbox)


@route("violations", "GET")
def violations(asked: Asked) -> Any:
    """The rules that were broken."""
    return {"violations": asked.sandbox.violations.as_list()}


@route("violations", "DELETE")
def clear_violations(asked: Asked) -> Any:
    """Forgets the broken rules."""
    asked.sandbox.violations.clear()
    return violations(asked)
