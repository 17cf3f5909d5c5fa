"""Faults: which requests they hit, what the client gets, what was done nevertheless."""
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from client import CREATE, MOVE, ORGANIZATIONS, RESOLVE, Api, tag_data, wait_until


@pytest.mark.parametrize("status", [400, 401, 403, 408, 425, 429, 500, 502, 503, 504])
def test_http_errors_say_how_long_to_wait(api: Api, status: int) -> None:
    api.control("faults", {"status": status, "count": 2, "retry_after": 30})
    answers = [api.raw(ORGANIZATIONS) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [status, status, 200]
    assert answers[0].headers["retry-after"] == "30"
    assert api.violations()[0] == "retry_before_retry_after"


def test_retry_after_may_be_a_date(api: Api) -> None:
    date = "Wed, 21 Oct 2065 07:28:00 GMT"
    api.control("faults", {"status": 429, "retry_after": date})
    assert api.raw(ORGANIZATIONS).headers["retry-after"] == date


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_lead_elsewhere(api: Api, status: int) -> None:
    elsewhere = "http://127.0.0.1:9/login"
    api.control("faults", {"kind": "redirect", "status": status, "location": elsewhere})
    answer = api.raw(ORGANIZATIONS)
    assert (answer.status_code, answer.headers["location"]) == (status, elsewhere)


@pytest.mark.parametrize(("kind", "error"), [
    ("reset", httpx.ReadError), ("close", httpx.RemoteProtocolError),
    ("half_body", httpx.RemoteProtocolError)])
def test_connections_break(api: Api, kind: str, error: type[Exception]) -> None:
    api.control("faults", {"kind": kind})
    with pytest.raises(error):
        api.raw(ORGANIZATIONS)
    assert "errors" not in api.ask(ORGANIZATIONS)


@pytest.mark.parametrize(("kind", "content_type"), [
    ("invalid_json", "application/json"), ("html", "text/html"), ("empty", "application/json")])
def test_answers_are_not_json(api: Api, kind: str, content_type: str) -> None:
    api.control("faults", {"kind": kind})
    answer = api.raw(ORGANIZATIONS)
    assert answer.status_code == 200 and answer.headers["content-type"] == content_type
    with pytest.raises(ValueError):
        answer.json()


def test_graphql_errors_carry_the_code_asked_for(api: Api) -> None:
    api.control("faults", {"kind": "graphql_error", "code": "RATE_LIMITED", "message": "slow"})
    assert api.ask(ORGANIZATIONS) == {"data": None, "errors": [
        {"message": "slow", "path": ["myOrganizations"], "extensions": {"code": "RATE_LIMITED"}}]}


def test_any_answer_can_be_given(api: Api) -> None:
    body = {"data": {"resolveIdentifier": {"routing": {"action": "NEW_ACTION"}}}}
    api.control("faults", {"faults": [
        {"kind": "reply", "body": body},
        {"kind": "reply", "status": 418, "body": "tea", "content_type": "text/plain"}]})
    assert api.ask(ORGANIZATIONS) == body
    answer = api.raw(ORGANIZATIONS)
    assert (answer.status_code, answer.text) == (418, "tea")


def test_an_answer_may_drip_or_be_far_too_long(api: Api) -> None:
    api.control("faults", {"faults": [{"kind": "drip", "delay": 0.3, "when": "after"},
                                      {"kind": "oversized", "size": 3_000_000}]})
    began = time.monotonic()
    dripped = api.raw(ORGANIZATIONS)
    assert time.monotonic() - began >= 0.25 and dripped.json()["data"]["myOrganizations"]
    assert len(api.raw(ORGANIZATIONS).content) > 3_000_000


def test_a_timeout_holds_the_request_until_the_client_leaves(api: Api) -> None:
    api.control("faults", {"kind": "timeout"})
    with pytest.raises(httpx.ReadTimeout):
        api.raw(ORGANIZATIONS, timeout=0.2)
    assert api.control("log")["log"][0]["outcome"] == "timeout"


def test_what_is_held_is_let_go_by_a_reset(api: Api) -> None:
    api.control("faults", {"kind": "timeout"})
    with api.another() as patient:
        request = patient.build_request("POST", "/graphql", json={"query": ORGANIZATIONS})
        sent = RequestInBackground(patient, request)
        wait_until(lambda: api.control("log")["log"])
        api.control("reset", {})
        assert isinstance(sent.outcome(), httpx.RemoteProtocolError)
    assert api.control("log")["log"] == []


class RequestInBackground:
    """A request on a thread of its own."""

    def __init__(self, client: httpx.Client, request: httpx.Request) -> None:
        self._pool = ThreadPoolExecutor(1)
        self._future = self._pool.submit(client.send, request)

    def outcome(self) -> object:
        """The answer or the error."""
        try:
            return self._future.result(10)
        except httpx.HTTPError as error:
            return error
        finally:
            self._pool.shutdown()


def test_a_lost_answer_shows_as_a_duplicate(api: Api, tags: Any) -> None:
    api.control("settings", {"create_conflict": "duplicate"})
    api.control("faults", {"op": "createObject", "kind": "timeout", "when": "after"})
    tag = tags["new-generic"]
    order = {"input": {"tagInstanceKey": tag["instanceKey"], "tagData": tag_data(tag)}}
    api.scan(tag)
    with pytest.raises(httpx.ReadTimeout):
        api.raw(CREATE, order, timeout=0.3)
    assert api.scan(tag, at="2026-06-14T08:01:00Z")["object"] is not None
    api.raw(CREATE, order)
    counts = api.control("duplicates")["count"]
    assert counts["changed_twice"] == counts["applied_twice"] == 1
    assert counts["tags_on_several_objects"] == 1
    attempts = api.control("attempts?op=createObject")["attempts"]
    assert [group["attempts"] for group in attempts] == [2] and len(attempts[0]["gaps"]) == 1


def test_a_fault_before_a_scan_leaves_no_event_and_one_after_it_does(api: Api, tags: Any) -> None:
    for when, events in (("before", 0), ("after", 1)):
        api.control("faults", {"op": "resolveIdentifier", "status": 500, "when": when})
        assert api.raw(RESOLVE, api.scan_input(tags["drill"])).status_code == 500
        assert api.control("scan_events/count")["count"] == events
    logged = api.control("log")["log"]
    assert [(entry["applied"], entry["fault"]["when"]) for entry in logged] == [
        (False, "before"), (True, "after")]


def test_a_fault_can_be_for_one_tag(api: Api, tags: Any) -> None:
    api.control("faults", {"match": tags["bike"]["instanceKey"], "count": -1})
    statuses = [api.raw(RESOLVE, api.scan_input(tags[label])).status_code
                for label in ("drill", "bike", "room", "bike")]
    assert statuses == [200, 503, 200, 503]
    inline = 'mutation { resolveIdentifier(input: {type: "n", identifier: "%s", path: "1"}) ' \
             "{ success } }"
    assert api.raw(inline % tags["bike"]["instanceKey"]).status_code == 503
    order = {"input": {"tagInstanceKey": tags["bike"]["instanceKey"]}}
    assert api.raw(CREATE, order).status_code == 503


def test_a_fault_waits_its_turn_and_counts_down(api: Api) -> None:
    api.control("faults", {"op": "my*", "skip": 1, "count": 2})
    assert api.raw("{ __typename }").status_code == 200
    assert [api.raw(ORGANIZATIONS).status_code for _ in range(4)] == [200, 503, 503, 200]
    fault = api.control("faults")["faults"][0]
    assert (fault["skip"], fault["count"], fault["hits"]) == (0, 0, 2)
    api.control("faults", {"count": -1})
    api.control("faults", method="DELETE")
    assert api.raw(ORGANIZATIONS).status_code == 200


def test_a_slow_answer_is_the_right_one(api: Api) -> None:
    api.control("faults", {"faults": [{"kind": "slow", "delay": 0.3, "when": when}
                                      for when in ("before", "after")]})
    for _ in range(2):
        began = time.monotonic()
        assert "errors" not in api.ask(ORGANIZATIONS)
        assert time.monotonic() - began >= 0.25


def test_a_client_that_leaves_before_slow_work_begins_changes_nothing(api: Api, tags: Any) -> None:
    api.control("faults", {"kind": "slow", "delay": 0.6})
    with pytest.raises(httpx.ReadTimeout):
        api.raw(RESOLVE, api.scan_input(tags["drill"]), timeout=0.1)
    api.control("faults", {"kind": "slow", "delay": 0.8})
    api.raw(ORGANIZATIONS)
    assert api.control("scan_events/count")["count"] == 0


def test_token_requests_fail_only_when_named(api: Api) -> None:
    def sign_in() -> int:
        return api.http.post("/auth/v1/token?grant_type=password", json={
            "email": "anna@plings.test", "password": "anna-password"},
            headers={"apikey": "key"}).status_code

    api.control("faults", {"count": -1})
    assert sign_in() == 200
    api.control("faults", {"op": "auth.*", "status": 500})
    assert [sign_in(), sign_in()] == [500, 200]


@pytest.mark.parametrize(("fault", "reason"), [
    ({"kind": "nothing"}, "kind"), ({"when": "now"}, "when"), ({"colour": 1}, "colour"),
    ({"hits": 3}, "hits"), ({"kind": "redirect", "status": 200}, "redirect"),
    ({"status": "503"}, "status"), ({"count": "1"}, "count"), ("x", "object"), (3, "object")])
def test_a_senseless_fault_is_refused_with_the_reason(api: Api, fault: Any, reason: str) -> None:
    answer = api.http.post("/_control/faults", json={"faults": [{}, fault]})
    assert answer.status_code == 400 and reason in answer.json()["error"]
    assert api.control("faults")["faults"] == []


def test_error_status_follows_the_setting(api: Api) -> None:
    order = {"input": {"objectId": "nothing", "spatialParentId": "nothing"}}
    assert api.raw(MOVE, order).status_code == 200
    api.control("settings", {"error_status": "ariadne"})
    answer = api.raw(MOVE, order)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["extensions"]["code"] == "NOT_FOUND"


def test_requests_that_hold_no_operation_are_refused(api: Api) -> None:
    def post(files: list[tuple[str, Any]]) -> int:
        return api.http.post("/graphql", files=files).status_code

    assert post([("map", (None, "{}")), ("operations", (None, "{}"))]) == 400
    assert post([("operations", (None, "{}"))]) == 400
    for content, kind, status in ((b"{", "application/json", 400), (b"x", "text/plain", 415),
                                  (b"[]", "application/json", 400),
                                  (json.dumps({"query": "{", "operationName": [1]}).encode(),
                                   "application/json", 400)):
        answer = api.http.post("/graphql", content=content, headers={"content-type": kind})
        assert answer.status_code == status
    assert api.raw("{ nonsense").status_code == 400
    assert api.http.get("/graphql").status_code == 405
    assert api.http.get("/elsewhere").status_code == 404
