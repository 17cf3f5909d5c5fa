"""JSON Web Tokens like those of the API's token service: HS256, signed with a known secret.

Source: RFC 7519 (claims), RFC 7515 section 3.1 (compact form), RFC 7518 section 3.2 (HS256).
"""
import base64
import hashlib
import hmac
import json
import math
import time
import uuid
from typing import Any

SECRET = b"sandbox-only-secret"


class TokenRefused(Exception):
    """A token that isn't good; the text says why."""


def mint(user: str, org: str | None, seconds: float, email: str = "",
         session: str | None = None) -> str:
    """A token for this user that is good for so many seconds, rounded up; negative is expired."""
    now = time.time()
    expiry = math.ceil(now + seconds) if seconds > 0 else math.floor(now + seconds)
    claims = {"sub": user, "email": email, "role": "org_member", "org_id": org,
              "aud": "authenticated", "iat": int(now), "exp": expiry, "jti": uuid.uuid4().hex,
              "session_id": session}
    signed = f"{packed({'alg': 'HS256', 'typ': 'JWT'})}.{packed(claims)}"
    return f"{signed}.{signature(signed)}"


def read(token: str) -> dict[str, Any]:
    """The claims of a token; raises TokenRefused unless it is ours and still good."""
    signed, _, given = token.rpartition(".")
    if not hmac.compare_digest(signature(signed).encode(), given.encode()):
        raise TokenRefused("Invalid token")
    claims = json.loads(unpacked(signed.partition(".")[2]))
    if claims["exp"] <= time.time():
        raise TokenRefused("Token expired")
    return claims


def packed(value: object) -> str:
    """The value as JSON in Base64url without padding."""
    return base64url(json.dumps(value).encode())


def unpacked(text: str) -> bytes:
    """The bytes of a Base64url text without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def base64url(raw: bytes) -> str:
    """The bytes in Base64url without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def signature(signed: str) -> str:
    """The HMAC-SHA256 of the first two parts of a token."""
    return base64url(hmac.new(SECRET, signed.encode(), hashlib.sha256).digest())


def fingerprint(token: str) -> str:
    """What stands for a token in the log: enough to tell two apart, of no use to a thief."""
    return hashlib.sha256(token.encode()).hexdigest()[:16]
