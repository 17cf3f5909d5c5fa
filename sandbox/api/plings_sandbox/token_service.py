"""The token service: enough of Supabase's to sign in and to refresh.

Source: Supabase Auth, POST /token with grant_type password or refresh_token.
"""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from . import tokens
from .exchange import Reply
from .faults import AUTH_OPS
from .request_log import Entry, digest
from .sandbox import Sandbox

TOKEN_PATH = "/auth/v1/token"
GRANTS = ("password", "refresh_token")


@dataclass
class TokenRequest:
    """A request for an access token."""

    grant: str
    body: dict[str, Any]
    has_api_key: bool

    @staticmethod
    async def read(request: Request) -> TokenRequest:
        """The request, however malformed."""
        try:
            body = json.loads(await request.body())
        except ValueError:
            body = None
        return TokenRequest(request.query_params.get("grant_type", ""),
                            body if isinstance(body, dict) else {},
                            bool(request.headers.get("apikey")))

    @property
    def op(self) -> str:
        """The name under which faults and the log know it."""
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
        """A session, or the refusal."""
        if not self.has_api_key:
            sandbox.violations.add("token_request_without_apikey", entry.seq)
            if sandbox.settings["require_api_key"]:
                return Reply(401, {"message": "No API key found in request"})
        session = None
        with sandbox.database.transaction():
            if self.grant == "password":
                session = sandbox.sessions.sign_in(self.body.get("email"),
                                                   self.body.get("password"))
            elif self.grant == "refresh_token":
                session = sandbox.sessions.refresh(self.body.get("refresh_token"))
        if session is None:
            entry.errors = ["invalid_grant"]
            what = "login credentials" if self.grant == "password" else "Refresh Token"
            return Reply(400, {"error": "invalid_grant", "error_description": f"Invalid {what}"})
        entry.user = session["user"]["id"]
        return Reply(200, session)
