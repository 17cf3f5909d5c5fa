"""createSpatialRelationship, createNormalSpatialRelationship, moveObject."""
from typing import Any

from ariadne import MutationType

from ..collection import Document
from ..refusals import refusal
from ..space import NOT_BESIDE_ITSELF, bare_kind
from ..timestamps import now_iso
from .call import Call, Info
from .objects import ShownObject

mutation = MutationType()


@mutation.field("createSpatialRelationship")
def relate_now(_: object, info: Info, input: dict[str, Any]) -> Document:
    """Says where something is now."""
    return relate(info.context, input, "CURRENT")


@mutation.field("createNormalSpatialRelationship")
def relate_normally(_: object, info: Info, input: dict[str, Any]) -> Document:
    """Says where something belongs."""
    return relate(info.context, input, "NORMAL")


def relate(call: Call, order: dict[str, Any], side: str) -> Document:
    """Makes the relation, or finds it made."""
    call.require_caller()
    source = call.object(order["fromObjectId"])["id"]
    target = call.object(order["toObjectId"])["id"]
    call.editable_object(source)
    kind = bare_kind(order["type"], side)
    if source == target:
        raise refusal("BAD_INPUT", NOT_BESIDE_ITSELF)
    return call.sandbox.space.relate(source, target, f"{side}_{kind}")


@mutation.field("moveObject")
def move_object(_: object, info: Info, input: dict[str, Any]) -> ShownObject:
    """Puts an object in, on or beside another."""
    call: Call = info.context
    call.require_caller()
    moved = call.object(input["objectId"])["id"]
    target = call.object(input["spatialParentId"], "Spatial parent")["id"]
    call.editable_object(moved)
    kind = bare_kind(input.get("spatialRelationshipType") or "IN", "CURRENT")
    if call.sandbox.space.place(moved, target, kind):
        call.sandbox.world.objects.amend(moved, updated_at=now_iso())
    return ShownObject(moved)
