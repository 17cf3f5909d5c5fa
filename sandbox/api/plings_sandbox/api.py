"""The API as its clients see it: GraphQL and the token service, with faults in between."""
from collections.abc import Callable

from starlette.requests import ClientDisconnect

from . import spoiling
from .exchange import Exchange, Hold, Reply, text_reply
from .execution import execute
from .faults import Fault
from .posted import PostRefused, read
from .request_log import Entry, shown_variables
from .sandbox import Sandbox
from .token_service import PATHS, AuthRequest

GRAPHQL_PATH = "/graphql"
QUEUE_OPS = {"createObject", "uploadObjectImages", "assignTagToObject", "removeTagFromObject",
             "moveObject", "createSpatialRelationship", "createNormalSpatialRelationship"}
"""Operations a client sends from its queue, one at a time."""

QUEUE = "(queue)"
KEPT_HEADERS = ("user-agent", "content-type", "accept", "accept-encoding", "idempotency-key",
                "x-request-id", "apollo-require-preflight", "host", "expect")


class Api:
    """Answers the requests that aren't the control's."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def handle(self, exchange: Exchange) -> None:
        """Logs a request, answers it and logs how."""
        entry = self._begin(exchange)
        try:
            if exchange.path.rstrip("/") == GRAPHQL_PATH and exchange.method == "POST":
                await self._graphql(exchange, entry)
            elif exchange.path in PATHS and exchange.method == "POST":
                await self._token(exchange, entry)
            else:
                await self._no_such_thing(exchange, entry)
        except ClientDisconnect:
            entry.errors = ["the client left while sending"]
            self._conclude(entry)

    def _begin(self, exchange: Exchange) -> Entry:
        connection = self._sandbox.connections.note_request(exchange.transport)
        headers = exchange.request.headers
        entry = Entry(
            method=exchange.method, path=exchange.path, peer=exchange.peer,
            connection=connection.number, request_on_connection=connection.requests,
            http_version=exchange.http_version,
            headers={name: headers[name] for name in KEPT_HEADERS if name in headers},
            bytes=int(headers.get("content-length") or 0),
            idempotency_key=headers.get("idempotency-key"))
        self._sandbox.log.begin(entry)
        return entry

    def _conclude(self, entry: Entry) -> None:
        entry.conclude()
        self._sandbox.log.update(entry)

    async def _graphql(self, exchange: Exchange, entry: Entry) -> None:
        try:
            posted = await read(exchange.request)
        except PostRefused as refused:
            entry.errors = [str(refused)]
            reply = text_reply(refused.status, str(refused))
            await self._answer(exchange, entry, set(), lambda: reply)
            return
        entry.ops, entry.kind = posted.ops, posted.operation.kind
        entry.operationName = posted.operation_name
        entry.variables = shown_variables(posted.plain_variables())
        entry.multipart = entry.headers.get("content-type", "").startswith("multipart/")
        entry.fingerprint = posted.fingerprint()
        authorization = exchange.request.headers.get("authorization")
        await self._answer(exchange, entry, posted.texts(), lambda: execute(
            self._sandbox, posted, entry, exchange.client_address, authorization))

    async def _token(self, exchange: Exchange, entry: Entry) -> None:
        asked = await AuthRequest.read(exchange.request)
        entry.ops, entry.kind, entry.variables = [asked.op], "auth", asked.as_logged()
        entry.fingerprint = asked.fingerprint()
        await self._answer(exchange, entry, set(),
                           lambda: asked.answer(self._sandbox, entry))

    async def _no_such_thing(self, exchange: Exchange, entry: Entry) -> None:
        reply = text_reply(404, "not found")
        if exchange.path.rstrip("/") in (GRAPHQL_PATH, *PATHS):
            reply = text_reply(405, "", [("allow", "POST")])
        await self._answer(exchange, entry, set(), lambda: reply)

    async def _answer(self, exchange: Exchange, entry: Entry, texts: set[str],
                      right_answer: Callable[[], Reply]) -> None:
        """Answers as the outage, the next fault that fits, or nothing in the way, will have it."""
        names = {*entry.ops, *({QUEUE} if QUEUE_OPS.intersection(entry.ops) else ())}
        with self._sandbox.in_flight.counted(names):
            self._watch_order(entry)
            fault = self._sandbox.outage.fault() or self._sandbox.faults.pick(entry.ops, texts)
            if fault is None:
                await self._answer_rightly(exchange, entry, right_answer)
            else:
                await self._answer_wrongly(exchange, entry, right_answer, fault)

    def _watch_order(self, entry: Entry) -> None:
        sandbox = self._sandbox
        if QUEUE_OPS.intersection(entry.ops):
            entry.queue_in_flight = sandbox.in_flight.now(QUEUE)
            if entry.queue_in_flight > 1:
                sandbox.violations.add("concurrent_queue_jobs", entry.seq, ops=entry.ops)
        early = sandbox.retry_after.early_by(entry.fingerprint) if entry.fingerprint else 0
        if early:
            sandbox.violations.add("retry_before_retry_after", entry.seq, early_by=early)

    async def _answer_rightly(self, exchange: Exchange, entry: Entry,
                              right_answer: Callable[[], Reply]) -> None:
        reply = right_answer()
        entry.http_status = reply.status
        self._note_waiting(entry, dict(reply.headers).get("retry-after"))
        self._conclude(entry)
        await exchange.respond(reply)

    async def _answer_wrongly(self, exchange: Exchange, entry: Entry,
                              right_answer: Callable[[], Reply], fault: Fault) -> None:
        release = self._sandbox.release
        entry.fault = fault.as_logged()
        self._sandbox.log.update(entry)
        late_start = fault.kind == "slow" and fault.when == "before"
        if late_start and await exchange.hold(fault.delay, release) is not Hold.ELAPSED:
            self._conclude(entry)
            await exchange.cut()
            return
        right = right_answer() if fault.when == "after" or late_start else None
        entry.http_status = spoiling.status(fault, right)
        self._note_waiting(entry, fault.retry_after)
        self._conclude(entry)
        if late_start and right:
            await exchange.respond(right)
        else:
            await spoiling.answer(exchange, fault, right, entry.ops, release)
            self._conclude(entry)

    def _note_waiting(self, entry: Entry, retry_after: object) -> None:
        if retry_after is not None and entry.fingerprint:
            self._sandbox.retry_after.told(entry.fingerprint, retry_after)
