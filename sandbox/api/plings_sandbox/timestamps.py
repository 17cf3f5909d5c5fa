"""Points in time: as text for the API, as numbers for the log."""
import datetime as dt
import re
import time

DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")
ZONE = re.compile(r"(Z|[+-]\d\d:?\d\d)$")


def now_iso() -> str:
    """The wall clock in ISO 8601, in UTC with the letter Z."""
    return dt.datetime.now(dt.timezone.utc).isoformat().replace("+00:00", "Z")


def boot_ns() -> int:
    """Nanoseconds since boot, suspended time included; no clock step moves it."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def parse_iso(text: object) -> dt.datetime:
    """The instant this ISO 8601 text names; a text without a zone is taken as UTC.

    Raises ValueError for anything else.
    """
    if not isinstance(text, str) or not DATE_TIME.fullmatch(text):
        raise ValueError(f"not an ISO 8601 date-time: {text!r}")
    instant = dt.datetime.fromisoformat(text)
    return instant if instant.tzinfo else instant.replace(tzinfo=dt.timezone.utc)


def has_zone(text: str) -> bool:
    """Whether this ISO 8601 text says which zone it is in."""
    return ZONE.search(text) is not None


def shown(text: str | None, style: str) -> str | None:
    """The instant in UTC, written as the setting `last_seen_format` says."""
    if not text:
        return None
    instant = parse_iso(text).astimezone(dt.timezone.utc)
    if style == "naive":
        return instant.replace(tzinfo=None).isoformat()
    return instant.isoformat().replace("+00:00", "Z") if style == "zulu" else instant.isoformat()
