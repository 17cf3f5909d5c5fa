"""The control beside the API, under /_control: what tests switch and read."""
import inspect
import json

from starlette.requests import ClientDisconnect

from ..exchange import Exchange, Reply
from ..sandbox import Sandbox
from . import switches, views
from .routing import ROUTES, Asked, Handler

__all__ = ["PREFIX", "handle", "switches", "views"]

PREFIX = "/_control"


async def handle(sandbox: Sandbox, exchange: Exchange) -> None:
    """Answers a request to the control."""
    methods = ROUTES.get(exchange.path.removeprefix(PREFIX).strip("/"))
    if methods is None:
        await exchange.respond(Reply(404, {"error": f"no control {exchange.path}"}))
    elif exchange.method not in methods:
        await exchange.respond(Reply(405, {"error": f"{exchange.method} is not possible here"},
                                     [("allow", ", ".join(methods))]))
    else:
        await exchange.respond(await answer(sandbox, exchange, methods[exchange.method]))


async def answer(sandbox: Sandbox, exchange: Exchange, handler: Handler) -> Reply:
    """What the handler says, or what was wrong with the request."""
    try:
        raw = await exchange.request.body()
        asked = Asked(sandbox, exchange, exchange.request.query_params,
                      json.loads(raw) if raw else {})
        result = handler(asked)
        if inspect.isawaitable(result):
            result = await result
    except (ValueError, TypeError) as error:
        return Reply(400, {"error": str(error)})
    except KeyError as error:
        return Reply(400, {"error": f"missing or unknown: {error}"})
    except ClientDisconnect:
        return Reply(400, {"error": "the client left"})
    return Reply(200, result)
