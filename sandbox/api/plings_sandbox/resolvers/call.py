"""What every resolver is given: who calls, with which request, of which sandbox."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphql import GraphQLResolveInfo

from ..collection import Document
from ..refusals import refusal
from ..request_log import Entry
from ..sessions import Caller

if TYPE_CHECKING:
    from ..sandbox import Sandbox


@dataclass
class Call:
    """The context of one request; `info.context` in the resolvers."""

    sandbox: Sandbox
    caller: Caller
    entry: Entry

    def setting(self, name: str) -> Any:
        """The present value of a setting."""
        return self.sandbox.settings[name]

    def require_caller(self, services_too: bool = False) -> None:
        """Refuses a request without a user, or one with neither user nor service."""
        known = self.caller.user is not None or (services_too and self.caller.is_service)
        if self.setting("require_auth") and not known:
            raise refusal("UNAUTHENTICATED", "Authentication required")

    def object(self, object_id: str, what: str = "Object") -> Document:
        """The object with this id, which must exist."""
        found = self.sandbox.world.objects.get(object_id)
        if found is None:
            raise refusal("NOT_FOUND", f"{what} not found: {object_id}")
        return found

    def editable_object(self, object_id: str) -> Document:
        """The object with this id, which must exist and be the caller's to change."""
        found = self.object(object_id)
        if self.setting("require_auth") and not self.caller.is_member(found["org"]):
            raise refusal("FORBIDDEN", "Access denied: You do not have permission to edit this "
                                       "object.")
        return found

    def violation(self, kind: str, **details: Any) -> None:
        """Notes that this request broke a rule."""
        self.sandbox.violations.add(kind, self.entry.seq, **details)


Info = GraphQLResolveInfo[Call]
"""What Ariadne hands a resolver besides its arguments."""
