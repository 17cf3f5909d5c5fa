"""The auth server: enough of Supabase's to sign in, to refresh and to sign out.

Source: Supabase Auth (GoTrue), POST /token with grant_type password or refresh_token, POST /logout,
and its error codes; the gateway before it asks for the apikey header.
"""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from . import tokens
from .exchange import Reply
from .faults import AUTH_OPS
from .refresh_tokens import GrantRefused
from .request_log import Entry, digest
from .sandbox import Sandbox

TOKEN_PATH = "/auth/v1/token"
LOGOUT_PATH = "/auth/v1/logout"
PATHS = (TOKEN_PATH, LOGOUT_PATH)
GRANTS = ("password", "refresh_token")


@dataclass
class AuthRequest:
    """A request for an access token, or to sign out."""

    grant: str
    body: dict[str, Any]
    api_key: str | None
    authorization: str | None
    is_logout: bool

    @staticmethod
    async def read(request: Request) -> AuthRequest:
        """The request, however malformed."""
        try:
            body = json.loads(await request.body())
        except ValueError:
            body = None
        return AuthRequest(request.query_params.get("grant_type", ""),
                           body if isinstance(body, dict) else {},
                           request.headers.get("apikey"), request.headers.get("authorization"),
                           request.url.path == LOGOUT_PATH)

    @property
    def op(self) -> str:
        """The name under which faults and the log know it."""
        if self.is_logout:
            return AUTH_OPS + "logout"
        return AUTH_OPS + (self.grant if self.grant in GRANTS else "unknown")

    def as_logged(self) -> dict[str, Any]:
        """The request without its secrets."""
        given = self.body.get("refresh_token")
        return {"grant_type": self.grant, "email": self.body.get("email"),
                "refresh_token_hash": tokens.fingerprint(given) if isinstance(given, str) else None}

    def fingerprint(self) -> str:
        """The same for two requests that ask for the same."""
        return digest(json.dumps(self.as_logged()), 16)

    def answer(self, sandbox: Sandbox, entry: Entry) -> Reply:
        """What was asked for, or the refusal."""
        refused = self._refused_key(sandbox, entry)
        if refused is not None:
            return refused
        with sandbox.database.transaction():
            return self._sign_out(sandbox, entry) if self.is_logout else self._grant(sandbox, entry)

    def _refused_key(self, sandbox: Sandbox, entry: Entry) -> Reply | None:
        """The gateway's refusal of a missing or wrong apikey."""
        wanted = sandbox.settings["api_key"]
        if not self.api_key:
            sandbox.violations.add("token_request_without_apikey", entry.seq)
            if sandbox.settings["require_api_key"]:
                return Reply(401, {"message": "No API key found in request",
                                   "hint": "No `apikey` request header or url param was found."})
        elif wanted and self.api_key != wanted:
            return Reply(401, {"message": "Invalid API key",
                               "hint": "Double check your API key."})
        return None

    def _grant(self, sandbox: Sandbox, entry: Entry) -> Reply:
        try:
            if self.grant == "password":
                session = sandbox.sessions.sign_in(self.body.get("email"),
                                                   self.body.get("password"))
            elif self.grant == "refresh_token":
                session = sandbox.sessions.refresh(self.body.get("refresh_token"))
            else:
                raise GrantRefused("unsupported_grant_type", "unsupported_grant_type")
        except GrantRefused as refused:
            entry.errors = [refused.code]
            return Reply(400, refusal(sandbox, refused.code, str(refused)))
        entry.user = session["user"]["id"]
        return Reply(200, session)

    def _sign_out(self, sandbox: Sandbox, entry: Entry) -> Reply:
        refused = sandbox.sessions.sign_out(self.authorization)
        if refused is None:
            return Reply(204, b"")
        status, body = refused
        entry.errors = [body["error_code"]]
        return Reply(status, body)


def refusal(sandbox: Sandbox, code: str, message: str) -> dict[str, Any]:
    """The body of a refusal, in the form of one of the server's versions."""
    style = sandbox.settings["auth_error_style"]
    if style == "oauth":
        return {"error": "invalid_grant", "error_description": message}
    if style == "2024":
        return {"code": code, "message": message}
    return {"code": 400, "error_code": code, "msg": message}
