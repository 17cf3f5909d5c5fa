"""Rules about the flow of requests: limits, order, waiting when told to."""
import contextlib
import fnmatch
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator

from .settings import Settings

TOLERANCE = 0.05
"""Seconds a retry may come early: the client's clock starts when the answer reaches it."""

WAITING_KEPT = 10_000


class RateLimit:
    """The limit of requests per address in a sliding window."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._times: dict[str, deque[float]] = defaultdict(deque)

    def seconds_to_wait(self, address: str, ops: list[str]) -> int:
        """0 if the request is within the limit, which it then counts against; else Retry-After."""
        limit = self._settings["rate_limit_per_minute"]
        if not limit or not fnmatch.filter(ops, self._settings["rate_limit_ops"]):
            return 0
        now, window = time.monotonic(), self._settings["rate_limit_window"]
        times = self._times[address]
        while times and times[0] <= now - window:
            times.popleft()
        if len(times) < limit:
            times.append(now)
            return 0
        return int(window - (now - times[0])) + 1

    def clear(self) -> None:
        """Starts the window anew."""
        self._times.clear()


class RetryAfter:
    """Which requests were told to wait, and until when."""

    def __init__(self) -> None:
        self._not_before: dict[str, float] = {}

    def told(self, fingerprint: str, retry_after: object) -> None:
        """Notes a Retry-After in seconds; the form with a date is not watched."""
        with contextlib.suppress(ValueError, TypeError):
            self._not_before[fingerprint] = time.monotonic() + float(retry_after)  # type: ignore
        while len(self._not_before) > WAITING_KEPT:
            del self._not_before[next(iter(self._not_before))]

    def early_by(self, fingerprint: str) -> float:
        """The seconds by which this request comes too early; 0 if it doesn't."""
        due = self._not_before.get(fingerprint)
        early = 0.0 if due is None else due - time.monotonic()
        if early <= TOLERANCE:
            self._not_before.pop(fingerprint, None)
            return 0.0
        return round(early, 3)

    def clear(self) -> None:
        """Forgets them."""
        self._not_before.clear()


class InFlight:
    """How many requests of a kind are being answered at once, and the most there ever were."""

    def __init__(self) -> None:
        self._now: Counter[str] = Counter()
        self.most: Counter[str] = Counter()

    @contextlib.contextmanager
    def counted(self, names: set[str]) -> Iterator[None]:
        """Counts a request under these names while it is being answered."""
        self._now.update(names)
        for name in names:
            self.most[name] = max(self.most[name], self._now[name])
        try:
            yield
        finally:
            self._now.subtract(names)

    def now(self, name: str) -> int:
        """How many are being answered at this moment."""
        return self._now[name]

    def clear(self) -> None:
        """Forgets the most there ever were."""
        self.most.clear()
