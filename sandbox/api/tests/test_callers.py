"""Tokens, sessions, the rate limit, Idempotency-Keys."""
import base64
import json
from typing import Any

import pytest
from client import ANNA, CREATE, MOVE, ORGANIZATIONS, RESOLVE, Api

TYPENAME = "{ __typename }"
SIGN_IN = {"email": "anna@plings.test", "password": "anna-password"}


def bad_tokens(api: Api) -> list[str]:
    """A token nobody gave out, one that ran out, one with another's claims, one revoked."""
    good = api.control("token", {})["access_token"]
    head, _, mark = good.split(".")
    claims = base64.urlsafe_b64encode(json.dumps({"sub": ANNA, "exp": 2 ** 40}).encode()).decode()
    api.control("token/revoke", {"token": good})
    expired = api.control("token", {"ttl": -5})["access_token"]
    return ["nonsense", expired, f"{head}.{claims}.{mark}", good]


@pytest.mark.parametrize("query", [ORGANIZATIONS, TYPENAME])
@pytest.mark.parametrize(("style", "status"), [("graphql", 200), ("http", 401)])
def test_a_bad_token_is_refused_whatever_is_asked(api: Api, query: str, style: str,
                                                  status: int) -> None:
    api.control("settings", {"auth_failure": style})
    for token in bad_tokens(api):
        answer = api.raw(query, token=token)
        assert answer.status_code == status
        assert answer.json()["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"
        assert ("www-authenticate" in answer.headers) == (status == 401)


@pytest.mark.parametrize(("style", "status"), [("graphql", 200), ("http", 401)])
def test_without_a_token_only_the_schema_is_answered(api: Api, style: str, status: int) -> None:
    api.control("settings", {"auth_failure": style})
    assert api.ask(TYPENAME, token=None) == {"data": {"__typename": "Query"}}
    assert api.ask(TYPENAME) == {"data": {"__typename": "Query"}}
    refused = api.raw(ORGANIZATIONS, token=None)
    assert refused.status_code == status
    assert refused.json()["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"


def test_a_token_is_needed_only_while_the_setting_says_so(api: Api) -> None:
    api.control("settings", {"require_auth": False})
    assert len(api.ask(ORGANIZATIONS, token=None)["data"]["myOrganizations"]) == 2


def test_a_minted_token_is_good(api: Api) -> None:
    token = api.control("token", {"ttl": 60})["access_token"]
    assert "errors" not in api.ask(ORGANIZATIONS, token=token)


def token_request(api: Api, grant: str, body: Any, api_key: str | None = "key") -> Any:
    """The answer of the token service."""
    headers = {"apikey": api_key} if api_key else {}
    return api.http.post(f"/auth/v1/token?grant_type={grant}", json=body, headers=headers)


def test_a_session_begins_with_a_password_and_is_refreshed_once(api: Api) -> None:
    api.control("settings", {"access_token_ttl": 120})
    session = token_request(api, "password", SIGN_IN).json()
    assert session["expires_in"] == 120 and session["token_type"] == "bearer"
    renewed = token_request(api, "refresh_token",
                            {"refresh_token": session["refresh_token"]}).json()
    for token in (session["access_token"], renewed["access_token"]):
        assert "errors" not in api.ask(ORGANIZATIONS, token=token)
    assert token_request(api, "refresh_token", {"refresh_token": "refresh-anna"}).is_success


def refreshed(api: Api, refresh_token: str) -> Any:
    """The answer to a refresh."""
    return token_request(api, "refresh_token", {"refresh_token": refresh_token})


def test_a_replaced_refresh_token_gives_the_same_replacement_for_a_while(api: Api) -> None:
    first = token_request(api, "password", SIGN_IN).json()["refresh_token"]
    second = refreshed(api, first).json()["refresh_token"]
    assert refreshed(api, first).json()["refresh_token"] == second
    third = refreshed(api, second).json()["refresh_token"]
    assert refreshed(api, first).json()["refresh_token"] == third


def test_a_replaced_refresh_token_is_good_until_its_replacement_is_used(api: Api) -> None:
    api.control("settings", {"refresh_reuse_interval": 0})
    first = token_request(api, "password", SIGN_IN).json()["refresh_token"]
    second = refreshed(api, first).json()["refresh_token"]
    assert refreshed(api, first).json()["refresh_token"] == second
    third = refreshed(api, second).json()["refresh_token"]
    reused = refreshed(api, first)
    assert (reused.status_code, reused.json()["error_code"]) == (400, "refresh_token_already_used")
    assert refreshed(api, third).json()["error_code"] == "session_not_found"


def test_without_that_exception_a_replaced_refresh_token_is_dead(api: Api) -> None:
    api.control("settings", {"refresh_reuse_interval": 0, "refresh_parent_reuse": False})
    first = token_request(api, "password", SIGN_IN).json()["refresh_token"]
    assert refreshed(api, first).is_success
    assert refreshed(api, first).json()["error_code"] == "refresh_token_already_used"


def test_signing_out_ends_the_session_and_no_other(api: Api) -> None:
    one, other = (token_request(api, "password", SIGN_IN).json() for _ in range(2))
    head = {"apikey": "key", "Authorization": f"Bearer {one['access_token']}"}
    assert api.http.post("/auth/v1/logout?scope=local", headers=head).status_code == 204
    assert "errors" not in api.ask(ORGANIZATIONS, token=one["access_token"])
    assert refreshed(api, one["refresh_token"]).json()["error_code"] == "session_not_found"
    assert refreshed(api, other["refresh_token"]).is_success
    again = api.http.post("/auth/v1/logout", headers=head)
    assert (again.status_code, again.json()["error_code"]) == (403, "session_not_found")
    bare = api.http.post("/auth/v1/logout", headers={"apikey": "key"})
    assert (bare.status_code, bare.json()["error_code"]) == (401, "no_authorization")


@pytest.mark.parametrize(("grant", "body", "code"), [
    ("password", {**SIGN_IN, "password": "wrong"}, "invalid_credentials"),
    ("password", {}, "invalid_credentials"), ("password", [], "invalid_credentials"),
    ("refresh_token", {"refresh_token": "wrong"}, "refresh_token_not_found"),
    ("refresh_token", {"refresh_token": [1]}, "refresh_token_not_found"),
    ("implicit", SIGN_IN, "unsupported_grant_type")])
@pytest.mark.parametrize(("style", "member"), [
    ("current", "error_code"), ("2024", "code"), ("oauth", "error")])
def test_a_bad_grant_is_refused(api: Api, grant: str, body: Any, code: str, style: str,
                                member: str) -> None:
    api.control("settings", {"auth_error_style": style})
    answer = token_request(api, grant, body)
    assert answer.status_code == 400
    assert answer.json()[member] == ("invalid_grant" if style == "oauth" else code)


def test_the_api_key_is_watched_and_required(api: Api) -> None:
    assert token_request(api, "password", SIGN_IN, api_key=None).status_code == 401
    assert api.violations() == ["token_request_without_apikey"]
    api.control("settings", {"api_key": "right"})
    assert token_request(api, "password", SIGN_IN).json()["message"] == "Invalid API key"
    assert token_request(api, "password", SIGN_IN, api_key="right").is_success
    api.control("settings", {"require_api_key": False})
    assert token_request(api, "password", SIGN_IN, api_key=None).is_success


def test_no_secret_is_in_the_log(api: Api) -> None:
    secrets = [SIGN_IN["password"], "refresh-anna", "token-anna",
               *bad_tokens(api), api.control("token", {})["access_token"]]
    token_request(api, "password", SIGN_IN)
    token_request(api, "refresh_token", {"refresh_token": "refresh-anna"})
    for token in secrets:
        api.raw(ORGANIZATIONS, token=token)
    log = api.control("log")["log"]
    text = json.dumps(log)
    assert not [secret for secret in secrets if secret in text]
    assert [entry["ops"] for entry in log[:2]] == [["auth.password"], ["auth.refresh_token"]]
    labels = [entry["auth"] for entry in log[2:]]
    assert labels[2] == "fixed anna" and labels[-1] == "jwt " + ANNA
    assert "token expired" in labels and "token revoked" in labels
    assert len({entry["auth_hash"] for entry in log[2:]}) == len(secrets)


@pytest.mark.parametrize(("style", "status"), [("http", 429), ("graphql", 200)])
def test_the_rate_limit_says_how_long_to_wait(api: Api, style: str, status: int) -> None:
    api.control("settings", {"rate_limit_per_minute": 2, "rate_limit_style": style})
    answers = [api.raw(ORGANIZATIONS) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, status]
    assert 0 < int(answers[2].headers["retry-after"]) <= 61
    assert answers[2].json()["errors"][0]["extensions"]["code"] == "RATE_LIMITED"
    api.raw(ORGANIZATIONS)
    assert api.violations() == ["retry_before_retry_after"]


def test_the_rate_limit_may_count_scans_only(api: Api, tags: Any) -> None:
    api.control("settings", {"rate_limit_per_minute": 1, "rate_limit_ops": "resolveIdentifier"})
    assert all(api.raw(ORGANIZATIONS).status_code == 200 for _ in range(3))
    scan = api.scan_input(tags["drill"])
    assert [api.raw(RESOLVE, scan).status_code for _ in range(2)] == [200, 429]


def test_an_idempotency_key_is_only_noted(api: Api, tags: Any) -> None:
    first, second = (api.scan(tags["drill"], key="k") for _ in range(2))
    assert first["scanEvent"] != second["scanEvent"]
    assert api.control("scan_events/count?key=k")["count"] == 2


def test_an_honoured_idempotency_key_gets_the_first_answer_again(api: Api, tags: Any) -> None:
    api.control("settings", {"honour_idempotency_key": True})
    first, second = (api.scan(tags["drill"], key="k") for _ in range(2))
    assert first == second
    assert api.control("scan_events/count") == {"count": 1, "distinct_keys": 1, "without_key": 0}
    order = {"input": {"name": "En"}}
    one, again = (api.raw(CREATE, order, key="c") for _ in range(2))
    assert one.json() == again.json() and again.headers["idempotent-replayed"] == "true"
    assert api.control("log?op=createObject")["log"][1]["replayed"] is True
    api.raw(CREATE, order, key="c", token="token-bo")
    assert api.control("duplicates")["count"]["changed_twice"] == 1
    wrong = {"input": {"objectId": "nothing", "spatialParentId": "nothing"}}
    assert api.error_code(MOVE, wrong, key="m") == api.error_code(MOVE, wrong, key="m")
    assert [entry["replayed"] for entry in api.control("log?op=moveObject")["log"]] == [
        False, False]
