"""An outage of the whole API; the control goes on."""
import socket
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from client import ORGANIZATIONS, RESOLVE, Api, Running, wait_until


def test_a_reset_outage_ends_open_connections_and_new_requests(api: Api, tags: Any) -> None:
    with api.another() as kept:
        kept.post("/graphql", json={"query": "{ __typename }"})
        api.control("outage", {"mode": "reset"})
        with pytest.raises(httpx.TransportError):
            kept.post("/graphql", json={"query": "{ __typename }"})
    with pytest.raises(httpx.ReadError):
        api.raw(RESOLVE, api.scan_input(tags["drill"]))
    with pytest.raises(httpx.ReadError):
        api.http.post("/auth/v1/token?grant_type=password", json={})
    assert api.control("scan_events/count")["count"] == 0
    logged = api.control("log?op=resolveIdentifier")["log"]
    assert [(entry["outcome"], entry["fault"]["outage"]) for entry in logged] == [("reset", True)]
    api.control("outage", method="DELETE")
    assert "errors" not in api.ask(RESOLVE, api.scan_input(tags["drill"]))


def test_an_http_outage_answers_with_its_status(api: Api) -> None:
    began = api.control("outage", {"mode": "http", "status": 502, "retry_after": 7})
    assert began["outage"]["effective"] == "http"
    answer = api.raw(ORGANIZATIONS)
    assert (answer.status_code, answer.headers["retry-after"]) == (502, "7")
    assert api.http.get("/elsewhere").status_code == 502
    api.control("reset", {})
    assert api.control("outage") == {"outage": None}
    assert api.raw(ORGANIZATIONS).status_code == 200


def test_an_outage_ends_by_itself(api: Api) -> None:
    api.control("outage", {"mode": "http", "seconds": 1})
    assert api.raw(ORGANIZATIONS).status_code == 503
    wait_until(lambda: api.control("outage")["outage"] is None)
    assert api.raw(ORGANIZATIONS).status_code == 200


def test_an_outage_comes_before_ordered_faults(api: Api) -> None:
    api.control("faults", {"status": 500})
    api.control("outage", {"mode": "http", "status": 503})
    assert api.raw(ORGANIZATIONS).status_code == 503
    api.control("outage", method="DELETE")
    assert api.raw(ORGANIZATIONS).status_code == 500


def test_refusing_without_a_control_port_resets(api: Api) -> None:
    assert api.control("outage", {"mode": "refuse"})["outage"]["effective"] == "reset"
    with pytest.raises(httpx.ReadError):
        api.raw(ORGANIZATIONS)


@pytest.mark.parametrize("order", [{}, {"mode": "fire"}, {"mode": "http", "status": 200},
                                   {"mode": "http", "seconds": -1}, {"mode": "http", "x": 1}])
def test_a_senseless_outage_is_refused(api: Api, order: Any) -> None:
    assert api.http.post("/_control/outage", json=order).status_code == 400
    assert api.control("outage") == {"outage": None}


def accepts(address: httpx.URL) -> bool:
    """Whether a connection to this address is accepted."""
    try:
        socket.create_connection((address.host, address.port), 1).close()
    except ConnectionRefusedError:
        return False
    return True


@pytest.fixture
def gated() -> Iterator[Api]:
    """A sandbox whose control has a port of its own."""
    with Running("--control-port", 0) as api:
        yield api


def test_a_refusing_outage_closes_the_port_and_opens_it_again(gated: Api) -> None:
    address = httpx.URL(gated.base)
    assert gated.raw(ORGANIZATIONS).status_code == 200
    assert gated.control("outage", {"mode": "refuse"})["outage"]["effective"] == "refuse"
    with pytest.raises(httpx.TransportError):
        gated.raw(ORGANIZATIONS)
    assert not accepts(address)
    gated.control("outage", method="DELETE")
    assert gated.raw(ORGANIZATIONS).status_code == 200
    gated.control("outage", {"mode": "refuse", "seconds": 0.2})
    wait_until(lambda: gated.control("outage")["outage"] is None)
    wait_until(lambda: accepts(address))


def test_the_control_port_serves_the_control_alone(gated: Api) -> None:
    assert gated.control_http.post("/graphql", json={}).status_code == 404
    assert gated.http.get("/_control/health").status_code == 200
