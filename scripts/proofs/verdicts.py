"""What an outage, a stopped subscriber and a backlog must not change, judged from figures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Iterator

from judgements import overtaken, some
from measuring import summary

# How much of the pace a backlog has to keep, and how soon its delivery has to begin, in seconds.
KEPT = 0.9
BEGIN_WITHIN = 20

Judged = Iterator[tuple[str, str]]


def unless(holds: bool, cause: str) -> str:
    """The cause where something does not hold."""
    return "" if holds else cause


@dataclass
class Outage:
    """What came of the scans that were made while the API was away."""

    # By id, in the order in which they were made.
    scans: dict[str, dict]
    # The API's scan events, in the order of their arrival, with the seconds since its return.
    delivered: list[dict]
    arrived: list[float]
    # How many were answered as OFFLINE or from the cache, and how many waited at the return.
    answered: int
    waiting: int
    # Scans a minute that the pace leaves for older scans.
    share: float

    @property
    def rate(self) -> float:
        """Deliveries a minute: between the first and the last lie one less than there are."""
        took = self.arrived[-1] - self.arrived[0]
        return (len(self.arrived) - 1) / took * 60 if took else 0.0

    @property
    def busiest(self) -> int:
        """The most in any 60 seconds."""
        return max(sum(1 for t in self.arrived if at <= t < at + 60) for at in self.arrived)


def of_outage(run: Outage) -> Judged:
    count = len(run.scans)
    yield "every scan was published and answered while the API was away", unless(
        run.answered == count, f"{run.answered} of {count} were")
    yield "every scan waited for the API", unless(run.waiting == count, f"{run.waiting} waited")
    keys = Counter(event["idempotency_key"] for event in run.delivered)
    yield "every scan reached the API", some(sorted(set(run.scans) - set(keys)))
    yield "none twice", some(sorted(key for key, times in keys.items() if times > 1))
    known = [event for event in run.delivered if event["idempotency_key"] in run.scans]
    yield "each with its own time", some([
        event["idempotency_key"] for event in known
        if event["timestamp"] != run.scans[event["idempotency_key"]]["at"]])
    yield "those of one identifier in their order", some(overtaken(run.delivered, run.scans))
    yield f"no more than the backlog's {run.share:.0f} in any minute", unless(
        run.busiest <= run.share, f"{run.busiest} came")


def of_outage_times(run: Outage) -> Judged:
    yield f"delivery began within {BEGIN_WITHIN} s of the return", unless(
        run.arrived[0] <= BEGIN_WITHIN, f"it took {run.arrived[0]:.1f} s")
    yield of_pace(run.rate, run.share)


def of_pace(rate: float, share: float) -> tuple[str, str]:
    return f"delivery kept {KEPT:.0%} of the pace", unless(
        rate >= KEPT * share, f"{rate:.0f} a minute of {share:.0f}")


# How much more may be resident while a client is stopped, in MiB: the 1 MiB that may wait for it,
# the page of the log that is read for it, and what the allocator keeps of both.
ROOM_FOR_STOPPED = 6
# And how much more after one block with a stopped client than after the first.
ROOM_FOR_EACH = 2
# How much later the others may be at the 95th percentile: a share, and milliseconds.
OTHERS_SHARE, OTHERS_MORE = 1.5, 0.5


@dataclass
class Stop:
    """What came of blocks of events in which one subscriber read, and in which it was stopped."""

    # What the stopped one has in the end, and the last event that there is.
    seqs: list[int]
    last: int
    # For each subscriber beside it and each block, how many scans it did not get.
    lacking: list[int]
    # Whether it was connected when it was let go in time, and when it was let go too late.
    kept: list[bool] = field(default_factory=list)
    closed: list[bool] = field(default_factory=list)
    # The highest resident set size of each block in MiB, and all latencies in milliseconds.
    resident: dict[str, list[float]] = field(
        default_factory=lambda: {"reading": [], "stopped": []})
    latencies: dict[str, list[float]] = field(
        default_factory=lambda: {"reading": [], "stopped": []})


def of_stop(run: Stop) -> Judged:
    yield "the other subscribers got all scans", some(
        [f"{count} are missing" for count in run.lacking if count])
    yield "one that was let go in time was still connected", unless(
        all(run.kept), "its connection was closed")
    yield "the connection of one that took nothing for 30 s was closed", unless(
        all(run.closed), "it was not")
    wrong = [seq for place, seq in enumerate(run.seqs, 1) if seq != place]
    yield f"it has each of {run.last} events once, in order", some(wrong) or unless(
        len(run.seqs) == run.last, f"it has {len(run.seqs)}")
    stopped, reading = run.resident["stopped"], run.resident["reading"]
    more = max(stopped) - max(reading)
    yield f"no more than {ROOM_FOR_STOPPED} MiB more is resident while it is stopped", unless(
        more <= ROOM_FOR_STOPPED, f"{more:.1f} MiB")
    more = stopped[-1] - stopped[0]
    yield f"no more than {ROOM_FOR_EACH} MiB more after the last stop than after the first", unless(
        more <= ROOM_FOR_EACH, f"{more:.1f} MiB")


def of_stop_times(run: Stop) -> Judged:
    _, reading = summary(run.latencies["reading"])
    _, stopped = summary(run.latencies["stopped"])
    yield (f"the others' p95 while it is stopped is at most {OTHERS_SHARE} times as much and "
           f"{OTHERS_MORE} ms", unless(
               stopped <= OTHERS_SHARE * reading + OTHERS_MORE,
               f"{stopped:.2f} against {reading:.2f} ms"))


# How much more may be resident with the whole backlog than with a tenth of it, in MiB, and how
# much more after a start with it than with an empty store.
ROOM_FOR_BACKLOG = 4
# The budget for a start with a full backlog, in milliseconds.
START = 100
# How much later a new scan may be told and answered beside a backlog: a share and milliseconds.
LIVE_SHARE, LIVE_MORE = 2.0, 20


@dataclass
class Backlog:
    """What came of many scans that waited."""

    wanted: int
    queued: int
    # The resident set size at each tenth of the backlog in MiB.
    growing: list[float]
    # By store, `empty` and `full`, for each start: resident MiB, milliseconds to READY, until a
    # new scan was told, and until the API had answered it.
    resident: dict[str, list[float]]
    ready: dict[str, list[float]]
    told: dict[str, list[float]]
    answered: dict[str, list[float]]
    # The API's scan events of the backlog, the place of each of its scans in the log, and the scans
    # that are still to be delivered.
    delivered: list[dict]
    order: dict[str, int]
    left: set[str]
    # How often the station was stopped, each time perhaps in the middle of a request.
    stops: int
    rate: float
    share: float


def of_backlog(run: Backlog) -> Judged:
    yield "every scan was queued", unless(
        run.queued == run.wanted, f"{run.queued} of {run.wanted} were")
    more = run.growing[-1] - run.growing[0]
    yield f"the last nine tenths of them cost at most {ROOM_FOR_BACKLOG} MiB", unless(
        more <= ROOM_FOR_BACKLOG, f"{more:.1f} MiB")
    more = summary(run.resident["full"])[0] - summary(run.resident["empty"])[0]
    yield f"a start with them takes at most {ROOM_FOR_BACKLOG} MiB more", unless(
        more <= ROOM_FOR_BACKLOG, f"{more:.1f} MiB")
    keys = Counter(event["idempotency_key"] for event in run.delivered)
    twice = sum(times - 1 for times in keys.values())
    yield "none was delivered twice, but where a stop came between", unless(
        twice <= run.stops, f"{twice} were, at {run.stops} stops")
    yield "what was delivered and what is left make up all", some(
        sorted(set(run.order) - set(keys) - run.left))
    seqs = [run.order.get(event["idempotency_key"], 0) for event in run.delivered]
    yield "the oldest went first", some(
        [f"{late} after {early}" for early, late in zip(seqs, seqs[1:]) if late < early])


def of_backlog_times(run: Backlog) -> Judged:
    ready = summary(run.ready["full"])[0]
    yield f"READY comes within {START} ms", unless(ready <= START, f"{ready:.0f} ms")
    for what, times in (("told", run.told), ("answered", run.answered)):
        full, empty = summary(times["full"])[0], summary(times["empty"])[0]
        yield (f"a new scan is {what} beside the backlog within {LIVE_SHARE} times as much and "
               f"{LIVE_MORE} ms", unless(
                   full <= LIVE_SHARE * empty + LIVE_MORE, f"{full:.1f} against {empty:.1f} ms"))
    yield of_pace(run.rate, run.share)
