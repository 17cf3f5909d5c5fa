"""The log and what is read from it."""
import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from client import CREATE, MOVE, ORGANIZATIONS, RESOLVE, Api


def test_every_request_is_in_the_log_in_order(api: Api, tags: Any) -> None:
    tag = tags["new-generic"]
    api.scan(tag, key="scan-1")
    created = api.ask(CREATE, {"input": {"tagInstanceKey": tag["instanceKey"]}})
    object_id = created["data"]["createObject"]["id"]
    api.upload(object_id, b"img")
    api.ask(ORGANIZATIONS)
    scan, create, upload = api.control("log?applied=1")["log"]
    assert [entry["ops"] for entry in (scan, create, upload)] == [
        ["resolveIdentifier"], ["createObject"], ["uploadObjectImages"]]
    assert scan["variables"]["input"]["identifier"] == tag["instanceKey"]
    assert scan["idempotency_key"] == "scan-1" and scan["kind"] == "mutation"
    assert scan["received_boot_ns"] < create["received_boot_ns"]
    assert scan["received_at"] < create["received_at"] <= create["finished_at"]
    assert create["results"] == [object_id] and create["http_status"] == 200
    assert upload["multipart"] and upload["variables"]["objectId"] == object_id
    shown = upload["variables"]["images"][0]["upload"]
    assert shown["sha256"] == hashlib.sha256(b"img").hexdigest() and shown["size"] == 3
    everything = api.control("log")["log"]
    assert len(everything) == 4 and everything[3]["kind"] == "query"
    assert api.control(f"log?since={scan['seq']}&limit=2")["log"] == [create, upload]
    assert api.control("log?op=createObject")["log"] == [create]
    assert set(api.control("duplicates")["count"].values()) == {0}


def test_connections_and_their_reuse_can_be_counted(api: Api) -> None:
    for _ in range(2):
        with api.another() as client:
            for _ in range(3):
                client.post("/graphql", json={"query": ORGANIZATIONS})
    log = api.control("log")["log"]
    assert [entry["request_on_connection"] for entry in log] == [1, 2, 3, 1, 2, 3]
    assert len({entry["connection"] for entry in log}) == api.control("stats")["connections"] == 2
    assert len({entry["peer"] for entry in log}) == 2


def test_a_harmless_repeat_is_told_from_a_second_effect(api: Api, tags: Any) -> None:
    order = {"input": {"objectId": tags["bike"]["objectId"],
                       "spatialParentId": tags["shelf"]["objectId"]}}
    api.ask(MOVE, order)
    api.ask(MOVE, order)
    counts = api.control("duplicates")["count"]
    assert (counts["received_twice"], counts["applied_twice"], counts["changed_twice"]) == (1, 1, 0)


def test_jobs_sent_side_by_side_are_noted(api: Api, tags: Any) -> None:
    api.control("faults", {"kind": "slow", "delay": 0.8, "count": -1})
    order = {"input": {"objectId": tags["bike"]["objectId"],
                       "spatialParentId": tags["shelf"]["objectId"]}}
    requests = [(MOVE, order)] * 2 + [(RESOLVE, api.scan_input(tags["drill"]))] * 3
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda request: api.raw(*request), requests))
    stats = api.control("stats")
    assert stats["max_queue_concurrency"] == 2
    assert stats["max_concurrency"] == {"moveObject": 2, "resolveIdentifier": 3}
    assert stats["ops"]["resolveIdentifier"] == {"received": 3, "applied": 3, "faulted": 3}
    assert api.violations() == ["concurrent_queue_jobs"]


def test_sixty_four_connections_are_answered(api: Api, tags: Any) -> None:
    scan = {"query": RESOLVE, "variables": api.scan_input(tags["drill"])}

    def scans(number: int) -> int:
        with api.another() as client:
            answers = [client.post("/graphql", json=scan, headers={
                "Authorization": "Bearer token-anna",
                "Idempotency-Key": f"{number}-{turn}"}) for turn in range(5)]
        return sum("errors" not in answer.json() for answer in answers)

    with ThreadPoolExecutor(64) as pool:
        assert sum(pool.map(scans, range(64))) == 320
    assert api.control("scan_events/count") == {
        "count": 320, "distinct_keys": 320, "without_key": 0}
    assert api.control("stats")["connections"] == 64


def test_long_variables_are_logged_by_their_hash(api: Api) -> None:
    api.raw(CREATE, {"input": {"name": "x" * 100_000}})
    assert api.control("log")["log"][0]["variables"]["omitted"]["characters"] > 100_000


def test_the_log_and_the_violations_can_be_emptied(api: Api, tags: Any) -> None:
    api.scan(tags["drill"], at="2026-06-14T08:00:00")
    assert api.violations() == ["timestamp_without_zone"]
    newest = api.control("health")["seq"]
    for what in ("log", "violations"):
        api.control(what, method="DELETE")
        assert api.control(what)[what] == []
    api.ask(ORGANIZATIONS)
    assert api.control("log")["log"][0]["seq"] == newest + 1
    assert api.control("scan_events/count")["count"] == 1


def test_the_control_says_what_is_wrong(api: Api) -> None:
    def wrong(path: str, body: Any = None, method: str = "POST") -> tuple[int, str]:
        answer = api.http.request(method, "/_control/" + path, json=body)
        return answer.status_code, answer.json()["error"]

    assert wrong("nothing") == (404, "no control /_control/nothing")
    assert wrong("stats", {}) == (405, "POST is not possible here")
    assert wrong("settings", {"colour": 1}) == (400, "unknown setting 'colour'")
    assert wrong("settings", {"auth_failure": "loud"})[0] == 400
    assert wrong("settings", {"rate_limit_per_minute": -1})[0] == 400
    assert wrong("settings", [])[0] == wrong("token", {"user": "nobody"})[0] == 400
    assert wrong("log?since=x", method="GET")[0] == 400
    assert api.http.post("/_control/reset", content=b"{").status_code == 400
    assert api.control("settings")["auth_failure"] == "graphql"
