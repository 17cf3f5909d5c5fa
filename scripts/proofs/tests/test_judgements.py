"""The judgements of kill-9 find each kind of broken promise, and nothing where none is broken."""

import copy
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from judgements import Record, judgements  # noqa: E402


def scan(seq: int, uid: str, key: str | None) -> dict:
    event = {
        "seq": seq, "type": "scan", "scan": f"scan-{seq}", "at": f"time-{seq}", "medium": "nfc",
        "tag": {"uid": uid.lower()}}
    return event | ({"identifier": {"identifier": key}} if key else {"unrecognised": "foreign"})


def departure(seq: int, of: int) -> dict:
    return {"seq": seq, "type": "departure", "scan": f"scan-{of}", "at": f"time-{seq}"}


def by_hand(seq: int, key: str) -> dict:
    return {
        "seq": seq, "type": "scan", "scan": f"scan-{seq}", "at": f"time-{seq}",
        "medium": "manual", "identifier": {"identifier": key}}


def delivery(of: int, key: str) -> dict:
    return {"idempotency_key": f"scan-{of}", "identifier": key, "timestamp": f"time-{of}"}


def record() -> Record:
    """A run that kept every promise: scan 3 had its answer lost, and arrived twice."""
    rows = [
        scan(1, "04FF", "bike"), scan(2, "04A1", "bike"), scan(3, "04A2", "bike"),
        departure(4, 2), departure(5, 3), scan(6, "04B1", "drill"), departure(7, 6),
        by_hand(8, "drill"), scan(9, "04A3", None), departure(10, 9), scan(11, "04A4", "drill"),
        departure(12, 11), departure(13, 1)]
    delivered = [
        delivery(1, "bike"), delivery(2, "bike"), delivery(6, "drill"), delivery(3, "bike"),
        delivery(3, "bike"), delivery(8, "drill"), delivery(11, "drill")]
    return Record(
        rows=rows, told=copy.deepcopy(rows), delivered=delivered,
        tapped={"04A1": "bike", "04A2": "bike", "04A3": None, "04A4": "drill"},
        passing={"04B1"}, unmissable={"04B1"}, resting="04FF", submitted={"scan-8"},
        excused={"scan-3"}, honoured_after=8, places={"plingsd": Counter(idle=1, busy=2)},
        wanted={"plingsd": ["idle", "busy"]})


def drop_scan_everywhere(run: Record) -> None:
    """As if scan 11 had never been made."""
    run.rows = [row for row in run.rows if row["scan"] != "scan-11"]
    run.told = [row for row in run.told if row["scan"] != "scan-11"]
    run.delivered = [event for event in run.delivered if event["idempotency_key"] != "scan-11"]


def announce_again(run: Record, uid: str) -> None:
    for log in (run.rows, run.told):
        log += [scan(14, uid, "bike"), departure(15, 14)]
    run.delivered.append(delivery(14, "bike"))


# Each with what it does to the run, and the words of the judgement that has to say so.
BREAKAGES = {
    "a place was not reached": (
        lambda run: run.places["plingsd"].pop("busy"), "kills of plingsd fell at"),
    "an event is missing": (lambda run: run.told.pop(3), "without hole"),
    "an event came twice": (lambda run: run.told.insert(3, run.told[2]), "without hole"),
    "an event was told otherwise": (
        lambda run: run.told[4].update(heldMilliseconds=7), "what the log has"),
    "an event was stored and not told": (lambda run: run.told.pop(), "what the log has"),
    "a tag that stayed gave no scan": (drop_scan_everywhere, "tags that stayed"),
    "a tag was announced anew": (lambda run: announce_again(run, "04A4"), "announced anew"),
    "the resting tag was announced anew": (
        lambda run: announce_again(run, "04FF"), "lay still all the time"),
    "a passing tag was missed": (lambda run: run.unmissable.add("04B2"), "between two kills"),
    "a passing tag gave two scans": (lambda run: announce_again(run, "04B1"), "gave two"),
    "a scan of no tag": (lambda run: announce_again(run, "04C1"), "without a tag"),
    "another identifier": (
        lambda run: run.tapped.update({"04A3": "bike"}), "what is on its tag"),
    "no departure": (lambda run: run.rows.pop(3), "one departure"),
    "two departures": (lambda run: run.rows.append(departure(14, 2)), "one departure"),
    "a scan did not reach the API": (lambda run: run.delivered.pop(), "reached the API"),
    "a scan by hand was lost": (lambda run: run.submitted.add("scan-99"), "by hand"),
    "the API got a scan of nobody": (
        lambda run: run.delivered.append(delivery(99, "bike")), "nothing else"),
    "a scan arrived twice without cause": (
        lambda run: run.excused.clear(), "more than once"),
    "a scan arrived twice although keys are honoured": (
        lambda run: run.delivered.append(delivery(11, "drill")), "exactly once"),
    "an excuse does not count where keys are honoured": (
        lambda run: (run.delivered.append(delivery(11, "drill")), run.excused.add("scan-11")),
        "exactly once"),
    "an older scan came after a later one": (
        lambda run: run.delivered.insert(4, delivery(2, "bike")) or run.excused.add("scan-2"),
        "in their order"),
    "the time of the delivery in place of the scan's": (
        lambda run: run.delivered[0].update(timestamp="now"), "its own time"),
}


class JudgementTests(unittest.TestCase):
    def test_a_run_that_kept_every_promise_passes(self):
        self.assertEqual([text for text, cause in judgements(record()) if cause], [])

    def test_each_breakage_is_found_and_named(self):
        for name, (breakage, words) in BREAKAGES.items():
            with self.subTest(name):
                run = record()
                breakage(run)
                failed = [f"{text}: {cause}" for text, cause in judgements(run) if cause]
                self.assertTrue(any(words in text for text in failed), failed)


if __name__ == "__main__":
    unittest.main()
