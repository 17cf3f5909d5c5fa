"""Carries out one GraphQL operation: who asks, how often, and then Ariadne."""
import functools
import logging
from typing import Any

from ariadne import graphql_sync
from graphql import DocumentNode, GraphQLError, validate

from .exchange import Reply
from .posted import DOCUMENTS_KEPT, Posted, parsed
from .request_log import Entry
from .resolvers import SCHEMA, Call
from .sandbox import Sandbox
from .sessions import Caller

QUIET = logging.getLogger("plings_sandbox.resolvers")
QUIET.setLevel(logging.CRITICAL)
"""Ariadne logs every refusal with a traceback; here refusals are what the API is for."""


def execute(sandbox: Sandbox, posted: Posted, entry: Entry, address: str,
            authorization: str | None) -> Reply:
    """The right answer. What it changed is stored when this returns."""
    caller = sandbox.sessions.authenticate(authorization)
    entry.auth, entry.auth_hash, entry.user = caller.label, caller.token_hash, caller.user_id
    with sandbox.database.transaction():
        return (refused_caller(sandbox, caller, posted)
                or over_limit(sandbox, address, posted.ops)
                or repeated(sandbox, caller, entry)
                or executed(sandbox, caller, posted, entry))


def refused_caller(sandbox: Sandbox, caller: Caller, posted: Posted) -> Reply | None:
    """The refusal of a request with a bad token, or without one where HTTP asks for it.

    Without a token GraphQL decides field by field, so `{ __typename }` is answered.
    """
    by_http = sandbox.settings["auth_failure"] == "http"
    problem = caller.problem
    if by_http and caller.label == "none" and any(
            not op.startswith("__") for op in posted.ops):
        problem = "Authentication required"
    if problem is None or not sandbox.settings["require_auth"]:
        return None
    body = {"errors": [{"message": problem, "extensions": {"code": "UNAUTHENTICATED"}}],
            "data": None}
    if by_http:
        return Reply(401, body, [("www-authenticate", "Bearer")])
    return Reply(status_without_data(sandbox), body)


def over_limit(sandbox: Sandbox, address: str, ops: list[str]) -> Reply | None:
    """The refusal of a request beyond the rate limit."""
    seconds = sandbox.rate_limit.seconds_to_wait(address, ops)
    if not seconds:
        return None
    status = 429 if sandbox.settings["rate_limit_style"] == "http" else 200
    return Reply(status, {"data": None, "errors": [
        {"message": "Rate limit exceeded", "extensions": {"code": "RATE_LIMITED"}}]},
        [("retry-after", seconds)])


def repeated(sandbox: Sandbox, caller: Caller, entry: Entry) -> Reply | None:
    """The first answer again, where Idempotency-Keys are honoured."""
    if not entry.idempotency_key or not sandbox.settings["honour_idempotency_key"]:
        return None
    reply = sandbox.first_answers.find(caller.user_id, entry.idempotency_key)
    entry.replayed = reply is not None
    return reply


def executed(sandbox: Sandbox, caller: Caller, posted: Posted, entry: Entry) -> Reply:
    """The answer of the resolvers."""
    changes = sandbox.changes
    has_data, result = run(posted, Call(sandbox, caller, entry))
    entry.errors = [str((error.get("extensions") or {}).get("code") or error.get("message"))
                    for error in result.get("errors", ())]
    entry.applied = has_data and entry.kind == "mutation" and not entry.errors
    entry.changed = sandbox.changes != changes
    status = 400
    if has_data:
        status = 200
    elif "data" in result:
        status = status_without_data(sandbox)
    reply = Reply(status, result)
    if entry.applied and entry.idempotency_key and sandbox.settings["honour_idempotency_key"]:
        sandbox.first_answers.keep(caller.user_id, entry.idempotency_key, reply)
    return reply


def run(posted: Posted, call: Call) -> tuple[bool, dict[str, Any]]:
    """Whether there is data, and the whole GraphQL result."""
    try:
        document: DocumentNode | None = parsed(posted.query)
    except GraphQLError:
        document = None  # Ariadne parses it again and answers with the error.
    return graphql_sync(
        SCHEMA, posted.data(), query_document=document, context_value=call, logger=QUIET,
        query_validator=lambda *_, **__: mistakes(posted.query))


@functools.lru_cache(maxsize=DOCUMENTS_KEPT)
def mistakes(query: str) -> list[GraphQLError]:
    """What is wrong with a document of proper syntax; clients send the same few."""
    return validate(SCHEMA, parsed(query))


def status_without_data(sandbox: Sandbox) -> int:
    """The HTTP status of a GraphQL answer whose data is null."""
    return 200 if sandbox.settings["error_status"] == "docs" else 400
