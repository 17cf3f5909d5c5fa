"""createObject, assignTagToObject, removeTagFromObject, uploadObjectImages."""
import re
import uuid
from collections.abc import Mapping
from typing import Any

from ariadne import MutationType

from ..collection import Document
from ..keys import SHORT_CODE, is_base58, is_path
from ..posted import Upload
from ..refusals import refusal
from ..space import bare_kind
from ..world import GENERIC_CLASS
from .call import Call, Info
from .objects import ShownObject

mutation = MutationType()


@mutation.field("createObject")
def create_object(_: object, info: Info, input: dict[str, Any]) -> ShownObject:
    """Makes an object, with its tag and its place."""
    call: Call = info.context
    call.require_caller()
    world, user = call.sandbox.world, call.caller.user_id
    tag = given_tag(input)
    if tag:
        check_new_tag(call, tag)
    container = input.get("spatialParentId")
    if container:
        call.object(container, "Spatial parent")
    org = organization_for(call, input.get("organizationId"))
    kind = class_for(call, input.get("objectClassId"), tag)
    relation = bare_kind(input.get("spatialRelationshipType") or "IN", "CURRENT")
    name = name_for(call, input, org, kind, tag)
    created = world.add_object(name, org, kind["id"], user, description=input.get("description"))
    if tag:
        world.attach_tag(tag, created)
    if container:
        call.sandbox.space.place(created, container, relation)
    world.note("createObject", created, user)
    call.entry.results.append(created)
    return ShownObject(created)


def given_tag(order: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The tag of the new object, from tagData or the bare key."""
    tag, key = order.get("tagData"), order.get("tagInstanceKey")
    if tag and key and tag["instanceKey"] != key:
        raise refusal("BAD_INPUT", "tagInstanceKey and tagData.instanceKey differ")
    return tag or ({"instanceKey": key} if key else None)


def check_tag(call: Call, tag: Mapping[str, Any]) -> None:
    """Refuses a tag that is malformed or forged; notes one that was never scanned."""
    key, path, code = tag["instanceKey"], tag.get("path"), tag.get("shortCode")
    if not is_base58(key) or len(key) > call.setting("max_param_length"):
        raise refusal("BAD_INPUT", "tagData.instanceKey is not a Base58 key")
    if key in call.sandbox.world.forged_keys:
        raise refusal("BAD_INPUT", "Identifier not valid")
    if path and not is_path(path):
        raise refusal("BAD_INPUT", "tagData.path is not valid")
    if code is not None and not SHORT_CODE.fullmatch(code):
        raise refusal("BAD_INPUT", "tagData.shortCode is not valid")
    if not call.sandbox.scan_events.knows(key):
        call.violation("tag_used_before_resolve", identifier=key)


def check_new_tag(call: Call, tag: Mapping[str, Any]) -> None:
    """Refuses a tag for a new object as `check_tag` does, and one that is in use."""
    check_tag(call, tag)
    world = call.sandbox.world
    taken = world.holders(tag["instanceKey"])
    if taken and call.setting("create_conflict") == "error":
        name = world.objects[taken[0]]["name"]
        raise refusal("TAG_CONFLICT", f"This tag is already assigned to {name}",
                      objectId=taken[0], objectName=name)


def organization_for(call: Call, asked: str | None) -> str:
    """The owner of a new object: as asked, as the token says, else the caller's first."""
    caller, orgs = call.caller, call.sandbox.world.orgs
    first = next(iter(caller.user["memberships"] if caller.user else orgs), "")
    org = asked or caller.org or first
    if org not in orgs or (caller.user and not caller.is_member(org)):
        raise refusal("FORBIDDEN", "You are not a member of this organization")
    return org


def class_for(call: Call, asked: str | None, tag: Mapping[str, Any] | None) -> Document:
    """The class of a new object: as asked, as its tag says, else the generic one."""
    world = call.sandbox.world
    if asked and asked not in world.classes:
        raise refusal("BAD_INPUT", "Unknown object class")
    if asked:
        return world.classes[asked]
    return world.class_by_pointer((tag or {}).get("classKey")) or world.classes[GENERIC_CLASS]


def name_for(call: Call, order: Mapping[str, Any], org: str, kind: Document,
             tag: Mapping[str, Any] | None) -> str:
    """The name given, else "[organisation] [class] [short code]"."""
    name = (order.get("name") or "").strip()
    if name:
        return name
    if order.get("autoGenerateName") is False:
        raise refusal("BAD_INPUT", "name is required when autoGenerateName is false")
    world = call.sandbox.world
    code = [world.register_identifier(tag)["shortCode"]] if tag else []
    return " ".join([world.orgs[org]["name"], kind["name"], *code])


@mutation.field("assignTagToObject")
def assign_tag(_: object, info: Info, objectId: str,
               tagData: dict[str, Any]) -> dict[str, Any]:
    """Puts a tag on an object, unless it is on another: then nothing is written."""
    call: Call = info.context
    call.require_caller()
    world, target = call.sandbox.world, call.editable_object(objectId)["id"]
    check_tag(call, tagData)
    key = tagData["instanceKey"]
    holders = world.holders(key)
    if holders and target not in holders:
        return {"conflict": {"objectId": holders[0],
                             "objectName": world.objects[holders[0]]["name"],
                             "shortCode": world.identifiers[key]["shortCode"]}}
    if not holders:
        world.attach_tag(tagData, target)
        world.note("assignTag", target, call.caller.user_id, key=key)
    return {"object": ShownObject(target), "shortCode": world.identifiers[key]["shortCode"]}


@mutation.field("removeTagFromObject")
def remove_tag(_: object, info: Info, objectId: str,
               shortCode: str) -> dict[str, Any]:
    """Takes a tag off an object; asking for one that isn't there is harmless."""
    call: Call = info.context
    call.require_caller()
    world, target = call.sandbox.world, call.editable_object(objectId)["id"]
    link = next((tag for tag in world.tags_of(target) if tag["shortCode"] == shortCode), None)
    if link is None:
        return {"object": ShownObject(target), "removed": False}
    if link["isManufacturerTag"]:
        raise refusal("FORBIDDEN", "A manufacturer tag cannot be removed")
    world.detach_tag(link)
    world.note("removeTag", target, call.caller.user_id, key=link["instanceKey"])
    return {"object": ShownObject(target), "removed": True}


@mutation.field("uploadObjectImages")
def upload_images(_: object, info: Info, objectId: str,
                  images: list[Any]) -> list[dict[str, Any]]:
    """Adds pictures to an object that exists."""
    call: Call = info.context
    call.require_caller()
    if objectId not in call.sandbox.world.objects:
        call.violation("upload_before_create", objectId=objectId)
    target = call.editable_object(objectId)["id"]
    if not images:
        raise refusal("BAD_INPUT", "images is empty")
    for image in images:
        check_image(call, image)
    return [store_image(call, target, image) for image in images]


def check_image(call: Call, image: object) -> None:
    """Refuses what isn't a picture of a proper size, sent as a file."""
    if not isinstance(image, Upload):
        raise refusal("BAD_INPUT", "images must be sent as a GraphQL multipart request")
    if not image.content_type.startswith("image/"):
        raise refusal("BAD_INPUT", f"not an image: {image.content_type}")
    if not 0 < image.size <= call.setting("max_image_bytes"):
        raise refusal("BAD_INPUT", "image is empty or too large")


def store_image(call: Call, target: str, image: Upload) -> dict[str, Any]:
    """Adds one picture."""
    image_id = str(uuid.uuid4())
    name = re.sub(r"[^A-Za-z0-9._-]", "_", image.filename or "image")
    url = ("https://storage.invalid/object-images/objects/ObjectInstance/"
           f"{target}/{image_id}-{name}")
    call.sandbox.world.add_image(target, {"id": image_id, **image.as_dict(), "url": url})
    call.entry.results.append(image_id)
    return {"id": image_id, "url": url}
