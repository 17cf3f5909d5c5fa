"""The ASGI application: the control on one side, the API on the other."""
from . import control
from .api import Api
from .exchange import Exchange, Message, Receive, Reply, Send
from .sandbox import Sandbox


class Application:
    """Sends each request to the control or to the API."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._api = Api(sandbox)
        self.control_port: int | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Called by uvicorn for each request."""
        exchange = Exchange(scope, receive, send)
        if is_under(exchange.path, control.PREFIX):
            await control.handle(self._sandbox, exchange)
        elif self.control_port is not None and scope["server"][1] == self.control_port:
            await exchange.respond(Reply(404, {"error": "only the control is here"}))
        else:
            await self._api.handle(exchange)


def is_under(path: str, prefix: str) -> bool:
    """Whether a path is the prefix or below it."""
    return path == prefix or path.startswith(prefix + "/")
