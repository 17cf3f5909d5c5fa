"""The fields of objects, relations and organisations."""
from dataclasses import dataclass
from typing import Any

from ariadne import ObjectType

from ..collection import Document
from ..timestamps import shown
from .call import Call, Info

object_type = ObjectType("ObjectInstance")
relation_type = ObjectType("SpatialRelationship")


@dataclass(frozen=True)
class ShownObject:
    """An object as the API shows it; only the detail query sets `in_detail`."""

    id: str
    in_detail: bool = False


def stored(shown_object: ShownObject, call: Call) -> Document:
    """The object itself."""
    return call.sandbox.world.objects[shown_object.id]


def organization_view(call: Call, org: str) -> dict[str, Any] | None:
    """An organisation with the caller's role in it."""
    found = call.sandbox.world.orgs.get(org)
    if found is None:
        return None
    role = call.caller.user["memberships"].get(org) if call.caller.user else None
    return {**found, "role": role}


def class_view(kind: Document | None) -> dict[str, Any] | None:
    """An object class."""
    return kind and {"id": kind["id"], "name": kind["name"], "classPointer": kind["pointer"],
                     "isGeneric": kind["generic"]}


def image_views(call: Call, object_id: str) -> list[dict[str, Any]]:
    """The pictures of an object."""
    return [{"id": image["id"], "url": image["url"]}
            for image in call.sandbox.world.images_of(object_id)]


def stored_field(name: str, column: str) -> None:
    """Answers a field with what is stored under another name."""
    object_type.set_field(name, lambda shown_object, info: stored(
        shown_object, info.context)[column])


for _name, _column in {"name": "name", "description": "description", "statuses": "statuses",
                       "ownerOrganizationId": "org"}.items():
    stored_field(_name, _column)


@object_type.field("owner")
def owner(parent: ShownObject, info: Info) -> str:
    """The owner in the form the API writes owners."""
    return "org:" + stored(parent, info.context)["org"]


@object_type.field("organization")
def organization(parent: ShownObject, info: Info) -> dict[str, Any] | None:
    """The owning organisation."""
    return organization_view(info.context, stored(parent, info.context)["org"])


@object_type.field("canEdit")
def can_edit(parent: ShownObject, info: Info) -> bool:
    """Whether the caller may change the object."""
    return info.context.caller.is_member(stored(parent, info.context)["org"])


@object_type.field("objectClass")
def object_class(parent: ShownObject, info: Info) -> dict[str, Any] | None:
    """The object's class."""
    call: Call = info.context
    return class_view(call.sandbox.world.classes.get(stored(parent, call)["class"]))


@object_type.field("images")
def images(parent: ShownObject, info: Info) -> list[dict[str, Any]]:
    """The object's pictures."""
    return image_views(info.context, parent.id)


@object_type.field("imageUrls")
def image_urls(parent: ShownObject, info: Info) -> list[str]:
    """The addresses of the object's pictures."""
    return [image["url"] for image in image_views(info.context, parent.id)]


@object_type.field("mainImageUrl")
def main_image_url(parent: ShownObject, info: Info) -> str | None:
    """The address of the first picture."""
    return next(iter(image_urls(parent, info)), None)


@object_type.field("tags")
@object_type.field("shortCodes")
def short_codes(parent: ShownObject, info: Info) -> list[str]:
    """The short codes of the object's tags."""
    return [link["shortCode"] for link in info.context.sandbox.world.tags_of(parent.id)]


@object_type.field("identifiers")
def identifiers(parent: ShownObject, info: Info) -> list[dict[str, Any]] | None:
    """The tags, without their instance keys; only the detail query gives them."""
    if not parent.in_detail:
        return None
    return [{"shortCode": link["shortCode"], "isManufacturerTag": link["isManufacturerTag"]}
            for link in info.context.sandbox.world.tags_of(parent.id)]


@object_type.field("lastSeen")
def last_seen(parent: ShownObject, info: Info) -> str | None:
    """When the object was last scanned, else when it was made."""
    found = stored(parent, info.context)
    return shown(found["last_scanned_at"] or found["created_at"],
                 info.context.setting("last_seen_format"))


@object_type.field("lastSeenInfo")
def last_seen_info(parent: ShownObject, info: Info) -> dict[str, Any] | None:
    """When, where and by whom the object was last scanned; the place is for its owners."""
    call: Call = info.context
    found = stored(parent, call)
    if not found["last_scanned_at"]:
        return None
    exact = call.caller.is_member(found["org"]) or not call.setting("coords_owner_only")
    by = call.sandbox.world.users.get(found["last_scanned_by"])
    return {"at": shown(found["last_scanned_at"], call.setting("last_seen_format")),
            "latitude": found["last_scanned_latitude"] if exact else None,
            "longitude": found["last_scanned_longitude"] if exact else None,
            "scannedBy": found["last_scanned_by"], "scannedByName": by and by["name"]}


@object_type.field("createdAt")
def created_at(parent: ShownObject, info: Info) -> str | None:
    """When the object was made."""
    return shown(stored(parent, info.context)["created_at"],
                 info.context.setting("last_seen_format"))


@object_type.field("updatedAt")
def updated_at(parent: ShownObject, info: Info) -> str | None:
    """When the object was last changed."""
    return shown(stored(parent, info.context)["updated_at"],
                 info.context.setting("last_seen_format"))


@object_type.field("spatialParent")
def spatial_parent(parent: ShownObject, info: Info) -> ShownObject | None:
    """The container the object is in or on."""
    found = info.context.sandbox.space.parent_of(parent.id)
    return ShownObject(found) if found else None


@object_type.field("spatialChildren")
def spatial_children(parent: ShownObject, info: Info) -> list[ShownObject]:
    """What is in or on the object."""
    return [ShownObject(child) for child in info.context.sandbox.space.children_of(parent.id)]


@object_type.field("relationships")
def relationships(parent: ShownObject, info: Info) -> list[Document]:
    """Every relation the object has a part in."""
    return info.context.sandbox.space.relations_of(parent.id)


@relation_type.field("fromObject")
def from_object(relation: Document, _: Info) -> ShownObject:
    """The object a relation is about."""
    return ShownObject(relation["from"])


@relation_type.field("toObject")
def to_object(relation: Document, _: Info) -> ShownObject:
    """The object a relation points to."""
    return ShownObject(relation["to"])
