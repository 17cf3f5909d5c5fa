"""Carries out a fault: what the client gets instead of the answer."""
import asyncio

from .exchange import PLAIN, Exchange, Hold, Reply, text_reply
from .faults import Fault

FOR_EVER = 3600.0
"""Seconds a `timeout` without a delay is held if the client doesn't leave first."""

CHUNK = 64 * 1024
UNUSABLE = {
    "invalid_json": Reply(200, b'{"data": {"oops": '),
    "html": Reply(200, b"<!doctype html><title>Sign in to Wi-Fi</title>",
                  content_type="text/html"),
    "empty": Reply(200, b""),
}


async def answer(exchange: Exchange, fault: Fault, right: Reply | None, ops: list[str],
                 release: asyncio.Event) -> None:
    """Answers a request as the fault says.

    `right` is the right answer where the operation ran; `release` ends all holding.
    """
    seconds = fault.delay
    if fault.kind == "timeout":
        await exchange.hold(seconds or FOR_EVER, release)
        await exchange.cut()
    elif fault.kind == "drip":
        await drip(exchange, right or padding(ops, 100), seconds or 1.0, release)
    elif seconds and await exchange.hold(seconds, release) is not Hold.ELAPSED:
        await exchange.cut()
    elif fault.kind in ("reset", "close"):
        await exchange.cut(reset=fault.kind == "reset")
    elif fault.kind == "half_body":
        await half_body(exchange, right or padding(ops, 400))
    elif fault.kind == "oversized":
        await oversized(exchange, fault.size)
    else:
        await exchange.respond(replacement(fault, right, ops))


def replacement(fault: Fault, right: Reply | None, ops: list[str]) -> Reply:
    """The whole answer that a fault gives in place of the right one."""
    if fault.kind in UNUSABLE:
        return UNUSABLE[fault.kind]
    if fault.kind == "graphql_error":
        return Reply(200, {"data": None, "errors": [
            {"message": fault.message, "path": ops[:1], "extensions": {"code": fault.code}}]})
    headers = [("retry-after", fault.retry_after)] if fault.retry_after is not None else []
    if fault.kind == "redirect":
        return text_reply(fault.status or 302, "", [*headers, ("location", fault.location)])
    if fault.kind == "reply":
        body = fault.body.encode() if isinstance(fault.body, str) else fault.body
        return Reply(fault.status or 200, body, headers, fault.content_type)
    if fault.kind == "http":
        if fault.status == 401:
            headers.append(("www-authenticate", "Bearer"))
        return Reply(fault.status or 503, fault.message.encode(), headers, PLAIN)
    assert right is not None, "a slow fault runs the operation"
    return right


def status(fault: Fault, right: Reply | None) -> int | None:
    """The HTTP status the client gets; None where the connection ends without one."""
    if fault.kind in ("timeout", "reset", "close"):
        return None
    if fault.kind in ("slow", "drip", "half_body") and right is not None:
        return right.status
    return fault.status or 200


def padding(ops: list[str], length: int) -> Reply:
    """A well-formed answer of some length without content."""
    return Reply(200, {"data": dict.fromkeys(ops), "extensions": {"padding": "x" * length}})


async def half_body(exchange: Exchange, reply: Reply) -> None:
    """Sends half of the bytes promised."""
    content = reply.content()
    await exchange.start(reply.status, len(content))
    await exchange.send_part(content[:len(content) // 2])
    await exchange.cut()


async def drip(exchange: Exchange, reply: Reply, seconds: float, release: asyncio.Event) -> None:
    """Sends the answer byte by byte, spread over so many seconds."""
    content = reply.content()
    await exchange.start(reply.status, len(content), reply.content_type, reply.headers)
    for position in range(len(content) - 1):
        await exchange.send_part(content[position:position + 1])
        if await exchange.hold(seconds / len(content), release) is not Hold.ELAPSED:
            await exchange.cut()
            return
    await exchange.send_part(content[-1:], last=True)


async def oversized(exchange: Exchange, size: int) -> None:
    """Sends well-formed JSON of about so many bytes."""
    head, tail = b'{"data": null, "extensions": {"padding": "', b'"}}'
    await exchange.start(200, len(head) + size + len(tail))
    await exchange.send_part(head)
    for sent in range(0, size, CHUNK):
        await exchange.send_part(b"x" * min(CHUNK, size - sent))
    await exchange.send_part(tail, last=True)
