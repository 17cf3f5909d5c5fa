"""The verdict of scripts/demo --once notices whatever is missing, wrong or too much."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from station_demo.taps import Tap, round_of_taps  # noqa: E402
from station_demo.verdict import Verdict  # noqa: E402

FIXTURES = {label: {"nfc": f"https://s.plings.io/?t=n&i={label}&p=1", "instanceKey": label}
            for label in ("drill", "new-generic", "new-bike")}
TAPS = round_of_taps(FIXTURES)


def story(taps: list[Tap]) -> list[dict[str, Any]]:
    """The events that the taps must lead to."""
    events: list[dict[str, Any]] = [{"type": "api", "state": "online"}]
    for number, tap in enumerate(taps):
        scan = {"scan": f"scan-{number}", "reader": {"name": tap.reader}}
        event: dict[str, Any] = {"type": "scan", "tag": {"uid": tap.uid.lower()}, **scan}
        if tap.identifier:
            event["identifier"] = {"identifier": tap.identifier}
        else:
            event["unrecognised"] = tap.unrecognised
        events.append(event)
        sources = [] if not tap.outcome else ["cache", "api"] if tap.from_cache else ["api"]
        events += [{"type": "resolution", "source": source, "outcome": tap.outcome, **scan}
                   for source in sources]
        events.append({"type": "departure", "heldMilliseconds": 700, **scan})
    return events


def deliveries(taps: list[Tap]) -> dict[str, int]:
    """What the API must have been told."""
    return {f"scan-{number}": 1 for number, tap in enumerate(taps) if tap.outcome}


class VerdictTests(unittest.TestCase):
    """One test for each thing that may go wrong."""

    def faults(self, events: list[dict[str, Any]], **delivered: int) -> list[str]:
        """The faults of the usual taps with these events."""
        told = deliveries(TAPS) | {key.replace("_", "-"): n for key, n in delivered.items()}
        return Verdict(TAPS, events, told).faults

    def test_nothing_is_wrong_where_all_came(self) -> None:
        self.assertEqual(self.faults(story(TAPS)), [])

    def test_each_missing_event_is_noticed(self) -> None:
        events = story(TAPS)
        for index, event in enumerate(events):
            if event["type"] != "api":
                with self.subTest(event=event):
                    self.assertTrue(self.faults(events[:index] + events[index + 1:]))

    def test_another_answer_is_named(self) -> None:
        events = story(TAPS)
        next(e for e in events if e["type"] == "resolution")["outcome"] = "ERROR"
        self.assertEqual(self.faults(events), [
            "an object's tag: the API's answer is ERROR, not KNOWN_OBJECT"])

    def test_another_reason_is_named(self) -> None:
        events = story(TAPS)
        next(e for e in events if e.get("unrecognised") == "blank")["unrecognised"] = "unreadable"
        self.assertEqual(self.faults(events), [
            "an empty tag: unrecognised is unreadable, not blank"])

    def test_another_reader_is_named(self) -> None:
        events = story(TAPS)
        next(e for e in events if e["type"] == "scan")["reader"] = {"name": "shelf"}
        self.assertEqual(self.faults(events), ["an object's tag: came from the reader shelf"])

    def test_an_answer_to_a_tag_that_is_not_ours_is_too_much(self) -> None:
        events = story(TAPS)
        events.append({"type": "resolution", "source": "api", "outcome": "ERROR", "scan": "scan-3"})
        self.assertEqual(self.faults(events), ["somebody else's tag: a resolution, ERROR"])

    def test_a_scan_without_a_tap_is_too_much(self) -> None:
        events = story(TAPS)
        events.append({"type": "scan", "scan": "another", "reader": {"name": "shelf"},
                       "tag": {"uid": TAPS[0].uid}})
        self.assertEqual(self.faults(events), ["1 scan without a tap"])

    def test_deliveries_are_counted(self) -> None:
        self.assertEqual(self.faults(story(TAPS), scan_0=2, scan_1=0, scan_3=1), [
            "an object's tag: delivered 2 times, not 1",
            "a tag without an object: delivered 0 times, not 1",
            "somebody else's tag: delivered 1 times, not 0"])

    def test_the_table_shows_what_came_and_what_did_not(self) -> None:
        lines = Verdict(TAPS, story(TAPS)[:3], {"scan-0": 1}).table.splitlines()
        self.assertEqual(len(lines), 1 + len(TAPS))
        self.assertIn("KNOWN_OBJECT (api)", lines[1])
        self.assertIn("once", lines[1])
        self.assertEqual(lines[2].split()[-6:], ["-"] * 6)


if __name__ == "__main__":
    unittest.main()
