"""What survives the process, and what its state file tells."""
from pathlib import Path
from typing import Any

import httpx
import pytest
from client import CREATE, ORGANIZATIONS, Running

from plings_sandbox.database import Database
from plings_sandbox.request_log import Entry, RequestLog


def snapshot(running: Running) -> dict[str, Any]:
    """Everything the control tells."""
    return {path: running.api.control(path) for path in (
        "state", "scan_events", "log", "faults", "settings", "violations", "fixtures",
        "attempts", "duplicates", "scan_events/count", "outage")}


def test_everything_answered_survives_a_kill(tmp_path: Path) -> None:
    first = Running("--state", tmp_path / "state")
    tags = first.api.control("fixtures")
    first.api.control("settings", {"honour_idempotency_key": True})
    first.api.control("faults", {"op": "myOrganizations", "kind": "reset", "skip": 1})
    created = first.api.ask(CREATE, {"input": {
        "name": "Kvar", "spatialParentId": tags["box"]["objectId"],
        "tagInstanceKey": tags["new-generic"]["instanceKey"]}})["data"]["createObject"]
    answers = [first.api.scan(tags["new-generic"], key=f"k{i}") for i in range(3)]
    first.api.ask(ORGANIZATIONS)
    refreshed = first.api.http.post("/auth/v1/token?grant_type=refresh_token",
                                    json={"refresh_token": "refresh-bo"},
                                    headers={"apikey": "key"}).json()
    before = snapshot(first)
    first.kill()
    second = Running("--state", tmp_path / "state")
    with second as api:
        assert snapshot(second) == before
        assert api.scan(tags["new-generic"], key="k2") == answers[2]
        assert api.scan(tags["new-generic"], key="k3")["object"]["objectId"] == created["id"]
        assert [event["seq"] for event in api.scan_events()] == [1, 2, 3, 4]
        with pytest.raises(httpx.ReadError):
            api.raw(ORGANIZATIONS)
        assert api.http.post("/auth/v1/token?grant_type=refresh_token", json={
            "refresh_token": refreshed["refresh_token"]}, headers={"apikey": "key"}).is_success
        log = api.control("log")["log"]
        assert [entry["seq"] for entry in log] == list(range(1, len(log) + 1))
        connections = [entry["connection"] for entry in log]
        assert max(connections[:6]) < min(connections[6:])


def test_an_outage_survives_a_restart(tmp_path: Path) -> None:
    first = Running("--state", tmp_path / "state", "--control-port", 0)
    first.api.control("outage", {"mode": "refuse"})
    first.stop()
    with Running("--state", tmp_path / "state", "--control-port", 0) as api:
        with pytest.raises(httpx.ConnectError):
            api.raw(ORGANIZATIONS)
        api.control("outage", method="DELETE")
        assert api.raw(ORGANIZATIONS).status_code == 200


def test_a_reset_leaves_nothing_for_the_next_start(tmp_path: Path) -> None:
    first = Running("--state", tmp_path / "state")
    first.api.ask(CREATE, {"input": {"name": "Borta"}})
    first.api.control("reset", {})
    first.kill()
    with Running("--state", tmp_path / "state") as api:
        names = {found["name"] for found in api.control("state")["objects"].values()}
        assert "Borta" not in names and "Blå cykel" in names
        assert api.control("log")["log"] == []


def test_a_state_file_has_one_user(tmp_path: Path) -> None:
    with Running("--state", tmp_path / "state"):
        with pytest.raises(AssertionError, match="in use by another process"):
            Running("--state", tmp_path / "state")


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be one" * 99])
def test_a_foreign_state_file_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "state"
    file.write_bytes(content)
    with pytest.raises(AssertionError, match="state file .*state: "):
        Running("--state", file)
    assert file.read_bytes() == content


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with Running() as api:
        port = httpx.URL(api.base).port
        with pytest.raises(AssertionError, match=f"127.0.0.1 port {port}: Address already in use"):
            Running("--port", port)


def test_the_log_keeps_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plings_sandbox.request_log.KEPT", 30)
    monkeypatch.setattr("plings_sandbox.request_log.TRIM_EVERY", 10)
    database = Database()
    log = RequestLog(database)
    for number in range(100):
        log.begin(Entry("POST", "/graphql", f"peer:{number}", number, 1, "1.1", {}, 0))
    assert (len(list(log.select())), log.last_seq()) == (30, 100)
    database.close()
