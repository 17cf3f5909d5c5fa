"""The verdicts on outages, stops and backlogs find each breakage, and nothing where none is."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from verdicts import (  # noqa: E402
    Backlog, Outage, Stop, of_backlog, of_backlog_times, of_outage, of_outage_times, of_stop,
    of_stop_times)


def delivery(number: int, key: str = "bike") -> dict:
    return {"idempotency_key": f"s{number}", "identifier": key, "timestamp": f"t{number}"}


def outage() -> Outage:
    """Sixty scans, delivered ten seconds after the return, one a second."""
    return Outage(
        scans={f"s{n}": {"scan": f"s{n}", "seq": n, "at": f"t{n}"} for n in range(60)},
        delivered=[delivery(n) for n in range(60)], arrived=[10.0 + n for n in range(60)],
        answered=60, waiting=60, share=60)


def stop() -> Stop:
    return Stop(
        seqs=list(range(1, 101)), last=100, lacking=[0, 0, 0], kept=[True], closed=[True],
        resident={"reading": [20, 21], "stopped": [23, 24]},
        latencies={"reading": [1.0] * 100, "stopped": [1.2] * 100})


def backlog() -> Backlog:
    return Backlog(
        wanted=1000, queued=1000, growing=[30.0, 31.0, 32.0],
        resident={"empty": [26.0], "full": [27.0]}, ready={"empty": [40.0], "full": [50.0]},
        told={"empty": [2.0], "full": [3.0]}, answered={"empty": [20.0], "full": [30.0]},
        delivered=[delivery(n) for n in range(100)], order={f"s{n}": n for n in range(1000)},
        left={f"s{n}" for n in range(100, 1000)}, stops=3, rate=740, share=750)


def change(**members):
    """Sets members of a run."""
    return lambda run: [setattr(run, name, value) for name, value in members.items()]


def delivered_late(run: Outage) -> None:
    run.arrived = [at + 11 for at in run.arrived]


# Each with the run, its judgements, what is done to it, and the words that have to say so.
BREAKAGES = {
    "a scan was not answered": (outage, of_outage, change(answered=59), "published and answered"),
    "a scan did not wait": (outage, of_outage, change(waiting=59), "waited for the API"),
    "a scan was lost": (outage, of_outage, lambda run: run.delivered.pop(), "reached the API"),
    "a scan came twice": (
        outage, of_outage, lambda run: run.delivered.append(delivery(59)), "none twice"),
    "the time of the delivery": (
        outage, of_outage, lambda run: run.delivered[3].update(timestamp="now"), "own time"),
    "overtaken": (
        outage, of_outage, lambda run: run.delivered.insert(0, run.delivered.pop()),
        "in their order"),
    "too fast": (outage, of_outage, change(share=30), "in any minute"),
    "begun too late": (outage, of_outage_times, delivered_late, "began within"),
    "too slow": (outage, of_outage_times, change(share=100), "of the pace"),
    "another missed a scan": (stop, of_stop, change(lacking=[0, 1]), "the other subscribers"),
    "closed too early": (stop, of_stop, change(kept=[True, False]), "still connected"),
    "never closed": (stop, of_stop, change(closed=[False]), "was closed"),
    "an event is missing": (stop, of_stop, lambda run: run.seqs.pop(50), "each of 100 events"),
    "the end is missing": (stop, of_stop, lambda run: run.seqs.pop(), "each of 100 events"),
    "an event came twice": (
        stop, of_stop, lambda run: run.seqs.insert(50, 50), "each of 100 events"),
    "it piles up in memory": (
        stop, of_stop, change(resident={"reading": [20], "stopped": [30]}), "while it is stopped"),
    "each stop leaves something": (
        stop, of_stop, change(resident={"reading": [24], "stopped": [22, 25]}), "after the last"),
    "the others are held up": (
        stop, of_stop_times, change(latencies={"reading": [1.0] * 100, "stopped": [3.0] * 100}),
        "the others' p95"),
    "not all queued": (backlog, of_backlog, change(queued=999), "was queued"),
    "memory grows": (backlog, of_backlog, change(growing=[30.0, 35.0]), "nine tenths"),
    "a start reads all": (
        backlog, of_backlog, change(resident={"empty": [26.0], "full": [60.0]}), "a start with"),
    "delivered twice": (
        backlog, of_backlog, lambda run: run.delivered.extend([delivery(99)] * 4), "twice"),
    "lost from the backlog": (backlog, of_backlog, lambda run: run.left.remove("s500"),
        "make up all"),
    "not the oldest first": (
        backlog, of_backlog, lambda run: run.delivered.insert(0, run.delivered.pop()),
        "oldest went first"),
    "a slow start": (
        backlog, of_backlog_times, change(ready={"empty": [40.0], "full": [140.0]}), "READY"),
    "a new scan is told late": (
        backlog, of_backlog_times, change(told={"empty": [2.0], "full": [80.0]}), "is told"),
    "a new scan is answered late": (
        backlog, of_backlog_times, change(answered={"empty": [20.0], "full": [80.0]}),
        "is answered"),
    "a slow backlog": (backlog, of_backlog_times, change(rate=600), "of the pace"),
}


class VerdictTests(unittest.TestCase):
    def test_runs_that_kept_every_promise_pass(self):
        for run, judged in ((outage, of_outage), (outage, of_outage_times), (stop, of_stop),
                            (stop, of_stop_times), (backlog, of_backlog),
                            (backlog, of_backlog_times)):
            self.assertEqual([text for text, cause in judged(run()) if cause], [])

    def test_each_breakage_is_found_and_named(self):
        for name, (make, judged, breakage, words) in BREAKAGES.items():
            with self.subTest(name):
                run = make()
                breakage(run)
                failed = [f"{text}: {cause}" for text, cause in judged(run) if cause]
                self.assertTrue(any(words in text for text in failed), failed)


if __name__ == "__main__":
    unittest.main()
