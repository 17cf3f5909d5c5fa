"""Where objects are: the relations between them, present and normal."""
import time
import uuid
from collections import defaultdict

from .collection import Collection, Document
from .database import Database
from .refusals import refusal
from .timestamps import now_iso

KINDS = ("IN", "ON", "LEFT_OF", "RIGHT_OF", "ABOVE", "UNDER", "NEXT_TO", "ATTACHED_TO")
PARENT_KINDS = ("IN", "ON")
PRESENT_PARENT = ("CURRENT_IN", "CURRENT_ON")
NOT_BESIDE_ITSELF = "An object cannot be related to itself or its own contents"


class Space:
    """The relations. Their types are full edge names: CURRENT_IN, NORMAL_ON and so on."""

    def __init__(self, database: Database) -> None:
        self.relationships = Collection(database, "relationships")
        self.last_used = Collection(database, "containers_last_used")
        self.changes = 0
        self._index()

    def _index(self) -> None:
        self._from: dict[str, list[Document]] = defaultdict(list)
        self._to: dict[str, list[Document]] = defaultdict(list)
        for relation in self.relationships.values():
            self._from[relation["from"]].append(relation)
            self._to[relation["to"]].append(relation)

    def clear(self) -> None:
        """Removes every relation."""
        self.relationships.clear()
        self.last_used.clear()
        self._index()

    # Reading

    def parent_relation(self, object_id: str) -> Document | None:
        """The relation that says which container the object is in or on now."""
        return next((relation for relation in self._from.get(object_id, ())
                     if relation["type"] in PRESENT_PARENT), None)

    def parent_of(self, object_id: str) -> str | None:
        """The container the object is in or on now."""
        relation = self.parent_relation(object_id)
        return relation["to"] if relation else None

    def children_of(self, object_id: str) -> list[str]:
        """What is in or on this object now."""
        return [relation["from"] for relation in self._to.get(object_id, ())
                if relation["type"] in PRESENT_PARENT]

    def relations_of(self, object_id: str) -> list[Document]:
        """Every relation the object has a part in."""
        return [*self._from.get(object_id, ()), *self._to.get(object_id, ())]

    def is_inside(self, object_id: str | None, ancestor: str) -> bool:
        """Whether the object is the ancestor or somewhere within it."""
        seen: set[str] = set()
        while object_id and object_id not in seen:
            if object_id == ancestor:
                return True
            seen.add(object_id)
            object_id = self.parent_of(object_id)
        return False

    # Changing

    def relate(self, source: str, target: str, full_type: str) -> Document:
        """The relation of this type between the two; made if it isn't there.

        An object has one parent now and one normally: a new one takes the old one's place.
        """
        for relation in self._from.get(source, ()):
            if (relation["to"], relation["type"]) == (target, full_type):
                return relation
        side, kind = full_type.split("_", 1)
        if side == "CURRENT" and kind in PARENT_KINDS and self.is_inside(target, source):
            raise refusal("BAD_INPUT", NOT_BESIDE_ITSELF)
        if kind in PARENT_KINDS:
            self._remove([relation for relation in self._from.get(source, ())
                          if relation["type"] in (f"{side}_IN", f"{side}_ON")])
        return self._add(source, target, full_type)

    def place(self, source: str, target: str, kind: str) -> bool:
        """Puts an object at another, and says whether that changed anything.

        With IN and ON the target becomes the container; with the other kinds the object also
        comes into the target's own container.
        """
        if self.is_inside(target, source):
            raise refusal("BAD_INPUT", NOT_BESIDE_ITSELF)
        wanted = {(f"CURRENT_{kind}", target)}
        container = self.parent_of(target)
        if kind not in PARENT_KINDS and container:
            wanted.add(("CURRENT_IN", container))
        present = [relation for relation in self._from.get(source, ())
                   if relation["type"].startswith("CURRENT_")]
        if {(relation["type"], relation["to"]) for relation in present} == wanted:
            return False
        self._remove(present)
        for full_type, to in sorted(wanted):
            self._add(source, to, full_type)
        return True

    def _add(self, source: str, target: str, full_type: str) -> Document:
        relation = {"id": str(uuid.uuid4()), "type": full_type, "from": source, "to": target,
                    "at": now_iso()}
        self.relationships[relation["id"]] = relation
        self._from[source].append(relation)
        self._to[target].append(relation)
        self.changes += 1
        side, kind = full_type.split("_", 1)
        if side == "CURRENT":
            container = target if kind in PARENT_KINDS else self.parent_of(target) or target
            self.last_used[container] = time.time()
        return relation

    def _remove(self, relations: list[Document]) -> None:
        for relation in relations:
            del self.relationships[relation["id"]]
            self._from[relation["from"]].remove(relation)
            self._to[relation["to"]].remove(relation)
            self.changes += 1


def bare_kind(kind: str, side: str) -> str:
    """The kind without its CURRENT_ or NORMAL_ prefix; the other side's prefix is refused."""
    prefix, _, rest = kind.partition("_")
    if prefix not in ("CURRENT", "NORMAL"):
        return kind
    if prefix != side:
        raise refusal("BAD_INPUT", f"{kind} is not a {side}_* relationship")
    return rest
