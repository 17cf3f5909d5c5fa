"""Who calls: fixed tokens, minted ones, passwords, refresh tokens."""
import uuid
from dataclasses import dataclass
from typing import Any

from . import seed, tokens
from .collection import Collection, Document
from .database import Database
from .settings import Settings
from .tokens import TokenRefused
from .world import World

FIXED_TOKENS = {"token-anna": seed.ANNA, "token-bo": seed.BO, "token-gateway": ""}
"""Never expire. The gateway's belongs to a service, not to a user."""

REFRESH_TOKENS = {"refresh-anna": seed.ANNA, "refresh-bo": seed.BO}
PASSWORDS = {"anna@plings.test": "anna-password", "bo@plings.test": "bo-password"}


@dataclass
class Caller:
    """Who a request comes from, as far as its Authorization header tells."""

    label: str
    user: Document | None = None
    org: str | None = None
    is_service: bool = False
    problem: str | None = None
    token_hash: str | None = None

    @property
    def user_id(self) -> str | None:
        """The caller's user id; a service has none."""
        return self.user["id"] if self.user else None

    def is_member(self, org: str) -> bool:
        """Whether the caller belongs to this organisation."""
        return self.user is not None and org in self.user["memberships"]


class Sessions:
    """Knows which tokens are good. What changed survives a restart."""

    def __init__(self, database: Database, world: World, settings: Settings) -> None:
        self._world = world
        self._settings = settings
        self._refresh = Collection(database, "refresh_tokens")
        self._revoked = Collection(database, "revoked_tokens")

    def clear(self) -> None:
        """Back to the seeded refresh tokens, nothing revoked."""
        self._refresh.clear()
        self._revoked.clear()
        self._refresh.update(REFRESH_TOKENS)

    def authenticate(self, authorization: str | None) -> Caller:
        """Whose request this is; the caller's `problem` says why a header is no good."""
        if not authorization:
            return Caller("none")
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token:
            return Caller("not bearer", problem="Authorization is not a Bearer token")
        try:
            caller = self._bearer(token)
        except (TokenRefused, ValueError, KeyError, TypeError) as error:
            reason = str(error) if isinstance(error, TokenRefused) else "Invalid token"
            caller = Caller(reason.lower(), problem=reason)
        caller.token_hash = tokens.fingerprint(token)
        return caller

    def _bearer(self, token: str) -> Caller:
        if tokens.fingerprint(token) in self._revoked:
            raise TokenRefused("Token revoked")
        if token in FIXED_TOKENS:
            user = self._world.users.get(FIXED_TOKENS[token])
            return Caller("fixed " + token.removeprefix("token-"), user, is_service=user is None)
        claims = tokens.read(token)
        user = self._world.users[claims["sub"]]
        return Caller("jwt " + user["id"], user, claims.get("org_id"))

    def mint(self, user: str, org: str | None = None, seconds: float | None = None) -> str:
        """An access token; raises KeyError for an unknown user."""
        person = self._world.users[user]
        org = org or next(iter(person["memberships"]))
        ttl = self._settings["access_token_ttl"] if seconds is None else seconds
        return tokens.mint(user, org, ttl, person["email"])

    def revoke(self, token: str) -> None:
        """Makes an access token no good from now on."""
        self._revoked[tokens.fingerprint(token)] = True

    def sign_in(self, email: object, password: object) -> Document | None:
        """A new session for the right password."""
        if not isinstance(email, str) or PASSWORDS.get(email, object()) != password:
            return None
        person = next(user for user in self._world.users.values() if user["email"] == email)
        return self._session(person)

    def refresh(self, token: object) -> Document | None:
        """A new session for a refresh token, which is used up by it."""
        user = self._refresh.pop(token, None) if isinstance(token, str) else None
        return self._session(self._world.users[user]) if user else None

    def _session(self, person: Document) -> dict[str, Any]:
        refresh_token = "refresh-" + uuid.uuid4().hex
        self._refresh[refresh_token] = person["id"]
        return {"access_token": self.mint(person["id"]), "token_type": "bearer",
                "expires_in": self._settings["access_token_ttl"],
                "refresh_token": refresh_token,
                "user": {"id": person["id"], "email": person["email"]}}
