"""Refresh tokens that rotate as Supabase's do: each works once, with two exceptions.

One that was replaced is taken again for some seconds, and for as long as its replacement has not
been used, since its holder may never have got that; it then gives the same replacement. Any other
use of one that was replaced ends its whole session.
Source: Supabase docs, "User sessions" (refresh token reuse detection); Supabase Auth, token_refresh.
"""
import time
import uuid

from .collection import Collection, Document
from .database import Database
from .settings import Settings


class GrantRefused(Exception):
    """A grant that isn't good: the code of the auth server, and its sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class RefreshTokens:
    """The refresh tokens of all sessions, those that were replaced included."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._settings = settings
        self._tokens = Collection(database, "refresh_tokens")

    def clear(self, seeded: dict[str, str]) -> None:
        """Back to the seeded tokens, each the first of a session."""
        self._tokens.clear()
        for token, user in seeded.items():
            self._add(token, user, str(uuid.uuid5(uuid.NAMESPACE_URL, token)), None)

    def begin(self, user: str) -> tuple[str, Document]:
        """The first token of a new session."""
        return self._issue(user, str(uuid.uuid4()), None)

    def rotate(self, token: object) -> tuple[str, Document]:
        """The token that replaces this one, or GrantRefused."""
        held = self._tokens.get(token) if isinstance(token, str) else None
        if held is None:
            raise GrantRefused("refresh_token_not_found",
                               "Invalid Refresh Token: Refresh Token Not Found")
        if held["ended"]:
            raise GrantRefused("session_not_found", "Invalid Refresh Token: Session Not Found")
        if held["replaced_at"] is None:
            self._tokens.amend(token, replaced_at=time.time())
            return self._issue(held["user"], held["session"], token)
        return self._reused(token, held)

    def end(self, session: object) -> bool:
        """Ends a session; whether there was one."""
        found = [token for token, held in self._tokens.items()
                 if held["session"] == session and not held["ended"]]
        for token in found:
            self._tokens.amend(token, ended=True)
        return bool(found)

    def as_list(self) -> list[Document]:
        """Every token ever issued, oldest first."""
        return [{"refresh_token": token, **held} for token, held in self._tokens.items()]

    def _reused(self, token: str, held: Document) -> tuple[str, Document]:
        newest = next(reversed([(key, other) for key, other in self._tokens.items()
                                if other["session"] == held["session"]]))
        is_parent = self._settings["refresh_parent_reuse"] and newest[1]["parent"] == token
        age = time.time() - held["replaced_at"]
        if is_parent or age <= self._settings["refresh_reuse_interval"]:
            return newest
        self.end(held["session"])
        raise GrantRefused("refresh_token_already_used", "Invalid Refresh Token: Already Used")

    def _issue(self, user: str, session: str, parent: str | None) -> tuple[str, Document]:
        token = "refresh-" + uuid.uuid4().hex
        return token, self._add(token, user, session, parent)

    def _add(self, token: str, user: str, session: str, parent: str | None) -> Document:
        self._tokens[token] = {"user": user, "session": session, "parent": parent,
                               "replaced_at": None, "ended": False}
        return self._tokens[token]
