"""The three ways to show the station at work."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from .event_feed import Event, EventFeed
from .program import DemoFailed
from .progress import Progress
from .stage import Stage
from .taps import Tap, round_of_taps
from .verdict import Row, Verdict
from .virtual_readers import VirtualReaders

HOLD, GAP = 1.2, 1.8
"""Seconds that a tag lies on a reader, and until the next one comes."""

SHORT_HOLD = 0.4
"""The same where nobody has to look at it."""

EVENT_PATIENCE = 5.0
"""Seconds within which the events of a tap must have come."""


class Demonstration:
    """One run on a stage."""

    def __init__(self, stage: Stage, progress: Progress) -> None:
        self._stage, self._say, self._show = stage, progress.say, progress.show

    def go_on(self) -> None:
        """Taps tags in turn until somebody ends it."""
        readers = VirtualReaders(self._stage.folder / "readers")
        self._stage.start(readers)
        self._say("tags: one every three seconds, until Ctrl-C")
        watch, hand = self._stage.watch(), self._stage.hand()
        for tap in itertools.cycle(round_of_taps(self._stage.api.fixtures())):
            self._announce(tap)
            hand.lay(readers.ports[tap.reader], tap.card)
            if not self._stage.pass_time(HOLD, watch):
                return
            hand.take(readers.ports[tap.reader])
            if not self._stage.pass_time(GAP, watch):
                return

    def once(self) -> None:
        """Taps each tag once, and says whether all came that must come."""
        readers = VirtualReaders(self._stage.folder / "readers")
        feed = self._stage.start(readers)
        taps = round_of_taps(self._stage.api.fixtures())
        self._say(f"tags: {len(taps)}, one after the other")
        watch, hand = self._stage.watch(), self._stage.hand()
        for count, tap in enumerate(taps, 1):
            self._announce(tap)
            hand.lay(readers.ports[tap.reader], tap.card)
            self._stage.pass_time(SHORT_HOLD, watch)
            self._await(feed, taps[:count], lambda row: row.is_answered)
            hand.take(readers.ports[tap.reader])
            self._await(feed, taps[:count], lambda row: row.is_over)
        watch.stop()
        verdict = Verdict(taps, feed.events, self._stage.api.deliveries())
        self._show(f"\n{verdict.table}\n")
        if verdict.faults:
            raise DemoFailed("not all came as it must:" + "".join(
                f"\n    {fault}" for fault in verdict.faults))
        self._say(f"all came that {len(taps)} taps must lead to")

    def hardware(self) -> None:
        """Shows what this machine's own readers see, until somebody ends it."""
        self._stage.start()
        self._say("tags: lay yours on a reader, until Ctrl-C; with these URLs on them (a phone can "
                  "write them) the sandbox knows them:")
        for tap in round_of_taps(self._stage.api.fixtures())[:3]:
            self._show(f"    {tap.label}: {tap.content['uri']}")
        watch = self._stage.watch()
        while self._stage.pass_time(GAP, watch):
            pass

    def _announce(self, tap: Tap) -> None:
        self._say(f"tap: {tap.label} on {tap.reader}")

    def _await(self, feed: EventFeed, taps: Sequence[Tap],
               enough: Callable[[Row], bool]) -> None:
        """Waits for what the last tap must lead to; the verdict finds what has not come."""
        def came(events: Sequence[Event]) -> bool:
            return enough(Verdict(taps, events, {}).rows[-1])

        feed.wait(EVENT_PATIENCE, came)
