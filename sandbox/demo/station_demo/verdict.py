"""Whether everything came that the taps must lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .event_feed import Event
from .taps import Tap

HEADINGS = ("tap", "reader", "scan", "first answer", "API's answer", "departure", "delivered")
NONE = "-"


@dataclass
class Row:
    """What came of one tap."""

    tap: Tap
    scan: Event | None = None
    resolutions: list[Event] = field(default_factory=list)
    departure: Event | None = None
    delivered: int = 0

    @property
    def answer(self) -> Event | None:
        """What the API answered."""
        return next((r for r in self.resolutions if r["source"] == "api"), None)

    @property
    def cells(self) -> tuple[str, ...]:
        """The row as it is shown."""
        first = self.resolutions[0] if self.resolutions else None
        return (
            self.tap.label,
            self.scan["reader"]["name"] if self.scan else NONE,
            self.scan.get("unrecognised", "recognised") if self.scan else NONE,
            f"{first['outcome']} ({first['source']})" if first else NONE,
            self.answer["outcome"] if self.answer else NONE,
            f"after {self.departure['heldMilliseconds']} ms" if self.departure else NONE,
            {0: NONE, 1: "once"}.get(self.delivered, f"{self.delivered} times"))

    @property
    def is_answered(self) -> bool:
        """Whether the scan has come, and the API's answer where there must be one."""
        return self.scan is not None and (self.tap.outcome is None or self.answer is not None)

    @property
    def is_over(self) -> bool:
        """Whether the departure has come too."""
        return self.is_answered and self.departure is not None

    def faults(self) -> list[str]:
        """What is not as it must be."""
        if not self.scan:
            return ["no scan"]
        found = [self._reader(), self._recognition(), *self._answers(), self._delivery()]
        if not self.departure:
            found.append("no departure")
        return [fault for fault in found if fault]

    def _reader(self) -> str | None:
        assert self.scan
        name = self.scan["reader"]["name"]
        return None if name == self.tap.reader else f"came from the reader {name}"

    def _recognition(self) -> str | None:
        assert self.scan
        reason = self.scan.get("unrecognised")
        if reason != self.tap.unrecognised:
            return f"unrecognised is {reason}, not {self.tap.unrecognised}"
        identifier = self.scan.get("identifier", {}).get("identifier")
        if identifier != self.tap.identifier:
            return f"the identifier is {identifier}, not {self.tap.identifier}"
        return None

    def _answers(self) -> list[str]:
        if self.tap.outcome is None:
            return [f"a resolution, {r['outcome']}" for r in self.resolutions]
        if not self.answer:
            return [f"no answer of the API, which must be {self.tap.outcome}"]
        faults = []
        if self.answer["outcome"] != self.tap.outcome:
            faults.append(f"the API's answer is {self.answer['outcome']}, not {self.tap.outcome}")
        if self.tap.from_cache and self.resolutions[0]["source"] != "cache":
            faults.append("the first answer is not from the cache")
        return faults

    def _delivery(self) -> str | None:
        due = 0 if self.tap.outcome is None else 1
        return None if self.delivered == due else f"delivered {self.delivered} times, not {due}"


class Verdict:
    """The taps, what came of each, and what is missing or too much."""

    def __init__(self, taps: Sequence[Tap], events: Sequence[Event],
                 deliveries: dict[str, int]) -> None:
        """`taps` in the order they were made; `deliveries`: scan events at the API by scan id."""
        self.rows = [Row(tap) for tap in taps]
        self._stray = 0
        for event in events:
            self._sort_in(event)
        for row in self.rows:
            if row.scan:
                row.delivered = deliveries.get(row.scan["scan"], 0)

    def _sort_in(self, event: Event) -> None:
        if event["type"] == "scan":
            uid = event.get("tag", {}).get("uid", "").upper()
            row = next((r for r in self.rows if not r.scan and r.tap.uid == uid), None)
            if row:
                row.scan = event
            else:
                self._stray += 1
        elif row := self._row(event.get("scan")):
            if event["type"] == "resolution":
                row.resolutions.append(event)
            elif event["type"] == "departure":
                row.departure = event

    def _row(self, scan: str | None) -> Row | None:
        return next((r for r in self.rows if r.scan and r.scan["scan"] == scan), None)

    @property
    def faults(self) -> list[str]:
        """What is not as it must be; empty where all is well."""
        faults = [f"{row.tap.label}: {fault}" for row in self.rows for fault in row.faults()]
        if self._stray:
            faults.append(f"{self._stray} {'scan' if self._stray == 1 else 'scans'} without a tap")
        return faults

    @property
    def table(self) -> str:
        """What came, a line for each tap."""
        lines = [HEADINGS, *(row.cells for row in self.rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
        return "\n".join("  ".join(
            cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)
