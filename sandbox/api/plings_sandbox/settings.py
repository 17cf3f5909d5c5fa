"""What tests may switch about the API's behaviour."""
from collections.abc import Mapping
from typing import Any

from .collection import Collection
from .database import Database

DEFAULTS: dict[str, Any] = {
    "auth_failure": "graphql",
    "require_auth": True,
    "require_api_key": True,
    "api_key": "",
    "access_token_ttl": 3600,
    "refresh_reuse_interval": 10,
    "refresh_parent_reuse": True,
    "auth_error_style": "current",
    "error_status": "docs",
    "strict_keys": False,
    "max_param_length": 200,
    "create_conflict": "error",
    "last_seen_format": "offset",
    "resolve_extras": True,
    "known_cache_ttl": 300,
    "unknown_cache_ttl": 60,
    "honour_idempotency_key": False,
    "rate_limit_per_minute": 0,
    "rate_limit_window": 60,
    "rate_limit_ops": "*",
    "rate_limit_style": "http",
    "max_image_bytes": 20_000_000,
    "coords_owner_only": True,
}
"""The settings and their defaults; sandbox/api/README.md says what each does."""

CHOICES: dict[str, tuple[str, ...]] = {
    "auth_failure": ("graphql", "http"),
    "auth_error_style": ("current", "2024", "oauth"),
    "error_status": ("docs", "ariadne"),
    "create_conflict": ("error", "duplicate"),
    "last_seen_format": ("offset", "naive", "zulu"),
    "rate_limit_style": ("http", "graphql"),
}


class Settings:
    """The settings in force; they survive a restart."""

    def __init__(self, database: Database) -> None:
        self._changed = Collection(database, "settings")

    def __getitem__(self, name: str) -> Any:
        return self._changed.get(name, DEFAULTS[name])

    def as_dict(self) -> dict[str, Any]:
        """Every setting with its present value."""
        return {**DEFAULTS, **self._changed}

    def change(self, values: Mapping[str, Any]) -> None:
        """Sets all of these, or none and raises ValueError with the reason."""
        for name, value in values.items():
            check(name, value)
        for name, value in values.items():
            self._changed[name] = value

    def clear(self) -> None:
        """Back to the defaults."""
        self._changed.clear()


def check(name: str, value: Any) -> None:
    """Raises ValueError unless this setting exists and may have this value."""
    if name not in DEFAULTS:
        raise ValueError(f"unknown setting {name!r}")
    default = DEFAULTS[name]
    numeric = isinstance(default, int) and not isinstance(default, bool)
    if numeric and isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
        return
    if not numeric and type(value) is type(default) and value in CHOICES.get(name, (value,)):
        return
    expected = CHOICES.get(name) or ("a number from 0" if numeric else type(default).__name__)
    raise ValueError(f"setting {name}: expected {expected}, got {value!r}")
