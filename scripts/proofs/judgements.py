"""What the kills must not have changed, judged from what was recorded: no process, no clock."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Iterator


NO_UID = "NONE"


@dataclass
class Record:
    """All that a run has left behind."""

    # The event log of the station and what a subscriber got that resumed after every kill.
    rows: list[dict]
    told: list[dict]
    # The scan events and requests of the API, in the order of their arrival.
    delivered: list[dict]
    # UID of each tag that was left until it was told, with the identifier that is on it or None.
    tapped: dict[str, str | None]
    # UIDs of tags that came and went meanwhile; those that nobody can have missed.
    passing: set[str]
    unmissable: set[str]
    # The UID of a tag that lay on a reader from before the first kill until after the last.
    resting: str
    # Scans by hand.
    submitted: set[str]
    # Scans whose answer was lost, or under way at a kill: they may have arrived twice.
    excused: set[str]
    # The first seq after which the API honoured the keys of requests.
    honoured_after: int
    places: dict[str, Counter] = field(default_factory=dict)
    wanted: dict[str, list[str]] = field(default_factory=dict)


def some(found: list) -> str:
    """The first few of what speaks against a check."""
    if not found:
        return ""
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return ", ".join(str(one) for one in found[:3]) + more


def judgements(record: Record) -> Iterator[tuple[str, str]]:
    """Each promise with what speaks against it, which is empty where it was kept."""
    yield from of_places(record)
    yield from of_events(record)
    yield from of_tags(record)
    yield from of_deliveries(record)


def of_places(record: Record) -> Iterator[tuple[str, str]]:
    for process, wanted in record.wanted.items():
        missed = [place for place in wanted if not record.places[process][place]]
        yield f"kills of {process} fell at all {len(wanted)} places", some(missed)


def of_events(record: Record) -> Iterator[tuple[str, str]]:
    seqs = [event["seq"] for event in record.told]
    wrong = [seq for place, seq in enumerate(seqs, 1) if seq != place]
    yield f"{len(seqs)} events were told without hole or repetition", some(wrong)
    logged = {row["seq"]: row for row in record.rows}
    other = [event["seq"] for event in record.told if logged.get(event["seq"]) != event]
    lacking = sorted(set(logged) - set(seqs))
    yield "what was told is what the log has", some(
        [f"seq {seq} differs" for seq in other] + [f"seq {seq} was not told" for seq in lacking])


def of_tags(record: Record) -> Iterator[tuple[str, str]]:
    scans = Counter(uid for row in record.rows if (uid := scanned_uid(row)))
    lost = [uid for uid in record.tapped if not scans[uid]]
    yield f"each of {len(record.tapped)} tags that stayed gave a scan", some(lost)
    twice = [uid for uid in record.tapped if scans[uid] > 1]
    yield "none that lay over a kill was announced anew", some(twice)
    count = scans[record.resting]
    yield "the tag that lay still all the time was announced once", (
        "" if count == 1 else f"{count} times")
    missed = sorted(uid for uid in record.unmissable if scans[uid] != 1)
    yield f"each of {len(record.unmissable)} passing tags between two kills gave one scan", some(
        [f"{uid}: {scans[uid]}" for uid in missed])
    doubled = sorted(uid for uid in record.passing if scans[uid] > 1)
    yield f"none of {len(record.passing)} passing tags gave two", some(doubled)
    # One that was pulled away before anything of it was known has no UID.
    known = set(record.tapped) | record.passing | {record.resting, NO_UID}
    invented = sorted(uid for uid in scans if uid not in known)
    yield "no scan without a tag", some(invented)
    said = {scanned_uid(row): row.get("identifier", {}).get("identifier") for row in record.rows}
    wrong = [uid for uid, identifier in record.tapped.items() if said.get(uid) != identifier]
    yield "each scan says what is on its tag", some(wrong)
    departures = Counter(row["scan"] for row in record.rows if row["type"] == "departure")
    wrong = [
        f"{departures[row['scan']]} for {row['scan']}" for row in record.rows
        if scanned_uid(row) and departures[row["scan"]] != 1]
    yield "each scanned tag has one departure", some(wrong)


def scanned_uid(row: dict) -> str | None:
    """The UID of the tag of a scan."""
    if row["type"] != "scan" or row["medium"] != "nfc":
        return None
    return row.get("tag", {}).get("uid", NO_UID).upper()


def of_deliveries(record: Record) -> Iterator[tuple[str, str]]:
    scans = {row["scan"]: row for row in record.rows if row["type"] == "scan"}
    recognised = {scan for scan, row in scans.items() if "identifier" in row}
    counts = Counter(event["idempotency_key"] for event in record.delivered)
    missing = sorted(recognised - set(counts))
    yield f"each of {len(recognised)} recognised scans reached the API", some(missing)
    gone = sorted(record.submitted - set(scans))
    yield f"each of {len(record.submitted)} scans by hand that were answered is there", some(gone)
    strange = sorted(set(counts) - recognised)
    yield "nothing else reached it", some(strange)
    late = {scan for scan in recognised if scans[scan]["seq"] > record.honoured_after}
    before = [scan for scan, count in counts.items() if count > 1 and scan not in late]
    yield (f"{len(before)} arrived more than once where keys are not honoured, all of lost answers",
           some([scan for scan in before if scan not in record.excused]))
    again = [f"{counts[scan]} of {scan}" for scan in sorted(late) if counts[scan] != 1]
    yield f"each of {len(late)} scans arrived exactly once where keys are honoured", some(again)
    yield "the scans of one identifier arrived in their order", some(
        overtaken(record.delivered, scans))
    moved = [
        event["idempotency_key"] for event in record.delivered
        if event["idempotency_key"] in scans
        and event["timestamp"] != scans[event["idempotency_key"]]["at"]]
    yield "each with its own time", some(moved)


def overtaken(delivered: list[dict], scans: dict[str, dict]) -> list[str]:
    """The scans that arrived after a later one of the same identifier."""
    last: dict[str, int] = defaultdict(int)
    found = []
    for event in delivered:
        scan = scans.get(event["idempotency_key"])
        if scan is None:
            continue
        if scan["seq"] < last[event["identifier"]]:
            found.append(scan["scan"])
        last[event["identifier"]] = max(last[event["identifier"]], scan["seq"])
    return found
