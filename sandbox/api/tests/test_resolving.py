"""Scans: what they resolve to, the events they leave, and "last seen"."""
import re
from typing import Any

import pytest
from client import ANNA, DETAIL, GEO, GREEN, RESOLVE, Api

from plings_sandbox.keys import decode, encode, fixture_key


def parameters(answer: Any) -> dict[str, str]:
    """The routing parameters of an answer."""
    return {entry["key"]: entry["value"] for entry in answer["routing"]["parameters"]}


def test_a_known_object_of_ones_own_may_be_edited(api: Api, tags: Any) -> None:
    answer = api.scan(tags["drill"])
    assert answer["success"] and answer["error"] is None
    assert answer["routing"]["action"] == "REDIRECT" and answer["routing"]["cacheTTL"] == 300
    assert answer["object"]["objectId"] == tags["drill"]["objectId"]
    assert answer["object"]["canEdit"] is True
    assert parameters(answer)["sid"] == answer["scanEvent"]["id"]


@pytest.mark.parametrize(("label", "status", "host"), [
    ("foreign", "FOR_RENT", "rent"), ("foreign-sale", "FOR_SALE", "market"),
    ("foreign-lend", "LENDABLE", "lend")])
def test_another_organisations_object_is_read_only(api: Api, tags: Any, label: str, status: str,
                                                   host: str) -> None:
    answer = api.scan(tags[label])
    assert answer["object"]["canEdit"] is False and answer["object"]["status"] == status
    assert answer["object"]["owner"]["name"] == "Annan Verkstad"
    assert answer["routing"]["destination"].startswith(f"https://{host}.plings.io/")


def test_a_valid_tag_without_an_object_is_unknown_and_no_error(api: Api, tags: Any) -> None:
    general, specific = api.scan(tags["new-generic"]), api.scan(tags["new-bike"], "q")
    odd = api.scan(tags["new-odd-class"])
    assert all(answer["success"] and answer["object"] is None and answer["error"] is None
               for answer in (general, specific, odd))
    assert "class" in parameters(specific).keys() - parameters(general).keys()
    assert parameters(odd)["type"] == "generic"
    assert tags["new-generic"]["instanceKey"] not in api.control("state")["identifiers"]
    assert [event["outcome"] for event in api.scan_events()] == [
        "UNKNOWN_GENERAL", "UNKNOWN_SPECIFIC", "UNKNOWN_GENERAL"]


@pytest.mark.parametrize("change", [
    {"identifier": "0OIl"}, {"identifier": ""}, {"path": "4..2"}, {"path": "4.2\n"}, {"type": "x"},
    {"classPointer": "no pe"}, {"identifier": "A" * 201}])
def test_a_malformed_identifier_is_an_error(api: Api, tags: Any, change: Any) -> None:
    answer = api.scan(tags["new-generic"], **change)
    assert not answer["success"] and answer["object"] is None
    assert answer["routing"]["action"] == "ERROR"
    assert answer["error"]["code"] == "INVALID_IDENTIFIER"


def test_a_forged_tag_is_an_error_and_a_duplicate_has_candidates(api: Api, tags: Any) -> None:
    assert api.scan(tags["forged"])["error"]["code"] == "VERIFICATION_FAILED"
    answer = api.scan(tags["twin"])
    assert not answer["success"] and answer["object"] is None
    assert answer["error"]["code"] == "DUPLICATE_TAG"
    assert {candidate["objectId"] for candidate in answer["candidates"]} == {
        tags["twin1"]["objectId"], tags["twin2"]["objectId"]}


def test_keys_of_the_wrong_length_are_refused_on_request(api: Api, tags: Any) -> None:
    assert api.scan(tags["drill"], identifier="ABC")["success"]
    api.control("settings", {"strict_keys": True})
    assert not api.scan(tags["drill"], identifier="ABC")["success"]
    assert api.scan(tags["drill"])["success"]


def test_every_answered_scan_is_one_event_with_all_it_brought(api: Api, tags: Any) -> None:
    api.scan(tags["drill"], geo=GEO, key="scan-1")
    api.scan(tags["new-generic"], "q")
    api.scan(tags["forged"])
    first, second, third = api.scan_events()
    assert (first["latitude"], first["longitude"], first["accuracy"], first["consent"]) == (
        65.5841, 22.1547, 8.0, True)
    assert first["scanning_user"] == "user:" + ANNA
    assert first["owner_at_time_of_scan"] == "org:" + GREEN
    assert first["object_id"] == tags["drill"]["objectId"] and first["identifier_type"] == "n"
    assert first["timestamp"] == "2026-06-14T08:00:00Z" and first["path"] == "1.1.103"
    assert first["idempotency_key"] == "scan-1" and first["geo"] is True
    assert first["received_at"] < second["received_at"] < third["received_at"]
    assert first["received_boot_ns"] < second["received_boot_ns"]
    assert second["geo"] is False and second["latitude"] is None
    assert second["object_id"] is None and second["owner_at_time_of_scan"] is None
    assert third["valid"] is False and third["outcome"] == "ERROR"


def test_events_can_be_picked_and_counted(api: Api, tags: Any) -> None:
    for key in ("a", "b", "b", None):
        api.scan(tags["drill"], key=key)
    api.scan(tags["bike"], key="c")
    drill = tags["drill"]["instanceKey"]
    assert api.control("scan_events/count") == {"count": 5, "distinct_keys": 3, "without_key": 1}
    assert api.control(f"scan_events/count?identifier={drill}")["count"] == 4
    assert api.control("scan_events/count?key=b")["count"] == 2
    assert [event["seq"] for event in api.scan_events(f"?identifier={drill}&key=b")] == [2, 3]
    assert [event["seq"] for event in api.scan_events("?since=2&limit=2")] == [3, 4]
    twice = api.control("duplicates")["idempotency_keys"]
    assert [case["idempotency_key"] for case in twice] == ["b"] and len(twice[0]["ids"]) == 2


def test_the_scan_delivered_last_is_the_one_seen_last(api: Api, tags: Any) -> None:
    drill = tags["drill"]

    def seen(token: str = "token-anna") -> Any:
        answer = api.ask(DETAIL, {"id": drill["objectId"]}, token=token)
        return answer["data"]["getObjectDetailsComplete"]["lastSeenInfo"]

    assert seen() is None
    api.scan(drill, geo=GEO)
    assert seen() == {"at": "2026-06-14T08:00:00+00:00", "latitude": 65.5841,
                      "longitude": 22.1547, "scannedBy": ANNA, "scannedByName": "Anna Lind"}
    assert seen("token-bo")["latitude"] is None
    api.scan(drill, at="2026-06-14T07:00:00Z")
    assert seen()["at"].startswith("2026-06-14T07") and seen()["latitude"] is None
    api.scan(drill, token="token-gateway", at="2026-06-15T07:00:00Z")
    assert seen()["at"].startswith("2026-06-14T07")
    assert api.scan_events()[-1]["scanning_user"] is None


@pytest.mark.parametrize(("style", "text"), [
    ("naive", "2026-06-14T08:00:00"), ("zulu", "2026-06-14T08:00:00Z")])
def test_last_seen_comes_with_or_without_a_zone(api: Api, tags: Any, style: str,
                                                text: str) -> None:
    api.control("settings", {"last_seen_format": style})
    api.scan(tags["drill"], at="2026-06-14T10:00:00+02:00")
    answer = api.ask(DETAIL, {"id": tags["drill"]["objectId"]})
    assert answer["data"]["getObjectDetailsComplete"]["lastSeenInfo"]["at"] == text


def test_a_place_without_consent_is_not_kept(api: Api, tags: Any) -> None:
    api.scan(tags["drill"], geo={**GEO, "consent": False})
    null = api.scan_input(tags["drill"])
    null["input"]["scanMetadata"]["geoLocation"] = None
    api.ask(RESOLVE, null)
    assert [event["latitude"] for event in api.scan_events()] == [None, None]
    assert api.violations() == ["geo_without_consent", "geo_location_null"]


def test_a_refused_scan_leaves_no_event(api: Api, tags: Any) -> None:
    assert api.error_code(RESOLVE, api.scan_input(tags["drill"], geo={**GEO, "latitude": 91.0})
                          ) == "BAD_INPUT"
    assert api.error_code(RESOLVE, api.scan_input(tags["drill"]), token=None) == "UNAUTHENTICATED"
    malformed = api.ask(RESOLVE, api.scan_input(tags["drill"], at="yesterday"))
    assert malformed["data"] is None and "yesterday" in malformed["errors"][0]["message"]
    assert api.control("scan_events/count")["count"] == 0


def test_fixtures_are_the_same_at_every_start(tags: Any) -> None:
    assert re.fullmatch(r"https://s\.plings\.io/\?t=n&i=[1-9A-HJ-NP-Za-km-z]{43,44}"
                        r"&p=4\.2\.3\.3\.6&cp=4K7mX9abDcE", tags["bike"]["nfc"])
    for label, entry in tags.items():
        if "instanceKey" in entry:
            assert entry["instanceKey"] == fixture_key(label)
    assert tags["drill"]["instanceKey"] == "Fnj43A642ckHkzXTd3NoUMqD3RX773ojtd2Jf3P9iikU"
    assert tags["drill"]["objectId"] == "25fecb89-9f16-5a8f-a4dc-3bedc35092f9"


def test_base58_is_reversible() -> None:
    for raw in (b"", b"\0", b"\0\0\x01", bytes(range(32))):
        assert decode(encode(raw)) == raw
