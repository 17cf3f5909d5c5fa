"""Who calls: fixed tokens, minted ones, passwords, refresh tokens."""
import time
from dataclasses import dataclass

from . import seed, tokens
from .collection import Collection, Document
from .database import Database
from .refresh_tokens import GrantRefused, RefreshTokens
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
        self.refresh_tokens = RefreshTokens(database, settings)
        self._revoked = Collection(database, "revoked_tokens")

    def clear(self) -> None:
        """Back to the seeded refresh tokens, nothing revoked."""
        self._revoked.clear()
        self.refresh_tokens.clear(REFRESH_TOKENS)

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

    def mint(self, user: str, org: str | None = None, seconds: float | None = None,
             session: str | None = None) -> str:
        """An access token; raises KeyError for an unknown user."""
        person = self._world.users[user]
        org = org or next(iter(person["memberships"]))
        ttl = self._settings["access_token_ttl"] if seconds is None else seconds
        return tokens.mint(user, org, ttl, person["email"], session)

    def revoke(self, token: str) -> None:
        """Makes an access token no good from now on."""
        self._revoked[tokens.fingerprint(token)] = True

    def sign_in(self, email: object, password: object) -> Document:
        """A new session for the right password, or GrantRefused."""
        if not isinstance(email, str) or PASSWORDS.get(email, object()) != password:
            raise GrantRefused("invalid_credentials", "Invalid login credentials")
        person = next(user for user in self._world.users.values() if user["email"] == email)
        return self._session(*self.refresh_tokens.begin(person["id"]))

    def refresh(self, token: object) -> Document:
        """The session that a refresh token renews, or GrantRefused."""
        return self._session(*self.refresh_tokens.rotate(token))

    def sign_out(self, authorization: str | None) -> tuple[int, Document] | None:
        """Ends the session of an access token; None, or the status and body of the refusal."""
        scheme, _, token = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            return 401, {"code": 401, "error_code": "no_authorization",
                         "msg": "This endpoint requires a Bearer token"}
        try:
            session = tokens.read(token)["session_id"]
        except (TokenRefused, ValueError, KeyError, TypeError):
            return 403, {"code": 403, "error_code": "bad_jwt", "msg": "invalid JWT"}
        if not self.refresh_tokens.end(session):
            return 403, {"code": 403, "error_code": "session_not_found",
                         "msg": "Session from session_id claim in JWT does not exist"}
        return None

    def _session(self, refresh_token: str, held: Document) -> Document:
        person = self._world.users[held["user"]]
        ttl = self._settings["access_token_ttl"]
        return {"access_token": self.mint(person["id"], session=held["session"]),
                "token_type": "bearer", "expires_in": ttl, "expires_at": int(time.time() + ttl),
                "refresh_token": refresh_token,
                "user": {"id": person["id"], "email": person["email"]}}
