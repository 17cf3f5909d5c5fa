"""resolveIdentifier: which object a tag stands for, and what to do next."""
from dataclasses import dataclass, field
from typing import Any

from ariadne import MutationType

from ..collection import Document
from .call import Call, Info
from .identifier_check import problem_with
from .objects import class_view
from .scan import record_scan, scan_place, scan_time

mutation = MutationType()

STATUSES = {"for_sale": "FOR_SALE", "for_rent": "FOR_RENT", "lendable": "LENDABLE", "lost": "LOST",
            "stolen": "LOST", "missing": "LOST", "archived": "ARCHIVED"}
DESTINATIONS = {"FOR_SALE": "https://market.plings.io/item",
                "FOR_RENT": "https://rent.plings.io/listing",
                "LENDABLE": "https://lend.plings.io/borrow", "LOST": "https://plings.io/found"}


@dataclass
class Resolution:
    """The answer to a scan, but for the scan event it becomes."""

    outcome: str
    destination: str | None = None
    parameters: list[tuple[str, str]] = field(default_factory=list)
    cache_ttl: int = 0
    object: dict[str, Any] | None = None
    candidates: list[dict[str, Any]] | None = None
    error: dict[str, str] | None = None

    def as_answer(self, event: dict[str, Any]) -> dict[str, Any]:
        """The GraphQL answer."""
        parameters = [*self.parameters, ("sid", event["id"])]
        return {"success": self.error is None, "object": self.object, "scanEvent": event,
                "error": self.error, "candidates": self.candidates,
                "routing": {"action": "ERROR" if self.error else "REDIRECT",
                            "destination": self.destination, "cacheTTL": self.cache_ttl,
                            "parameters": [{"key": key, "value": value}
                                           for key, value in parameters]}}


@mutation.field("resolveIdentifier")
def resolve_identifier(_: object, info: Info,
                       input: dict[str, Any]) -> dict[str, Any]:
    """Resolves a scan and stores it."""
    call: Call = info.context
    call.require_caller(services_too=True)
    metadata = input.get("scanMetadata") or {}
    at = scan_time(metadata, call)
    place = scan_place(metadata, input["identifier"], call)
    problem = problem_with(input, call)
    if problem:
        code, message = problem
        resolution = Resolution("ERROR", error={"code": code, "message": message})
    else:
        resolution = resolution_of(call, input)
    object_id = resolution.object["objectId"] if resolution.object else None
    event = record_scan(call, input, at, place, object_id, resolution.outcome, problem is None)
    return resolution.as_answer(event)


def resolution_of(call: Call, scan: dict[str, Any]) -> Resolution:
    """What a good identifier stands for."""
    key, path = scan["identifier"], scan["path"]
    holders = call.sandbox.world.holders(key)
    about_tag = [("ikey", key), ("path", path)]
    if len(holders) > 1:
        return Resolution(
            "DUPLICATE", parameters=[*about_tag, *(("oid", holder) for holder in holders)],
            error={"code": "DUPLICATE_TAG", "message": "The tag is on more than one object"},
            candidates=[object_context(call, holder, path) for holder in holders])
    if holders:
        found = call.sandbox.world.objects[holders[0]]
        return Resolution(
            "KNOWN_OBJECT", destination_of(call, found),
            [("oid", found["id"]), *about_tag, ("class", found["class"])],
            call.setting("known_cache_ttl"), object_context(call, found["id"], path))
    return unknown(call, scan, about_tag)


def unknown(call: Call, scan: dict[str, Any], about_tag: list[tuple[str, str]]) -> Resolution:
    """The answer for a valid tag without an object; a registered class makes it specific."""
    kind = call.sandbox.world.class_by_pointer(scan.get("classPointer"))
    ttl, extras = call.setting("unknown_cache_ttl"), call.setting("resolve_extras")
    if kind and not kind["generic"]:
        more = [("type", "specific"), ("className", kind["name"])] if extras else []
        return Resolution("UNKNOWN_SPECIFIC", "https://plings.io/claim",
                          [*about_tag, ("class", kind["id"]), *more], ttl)
    more = [("type", "generic")] if extras else []
    return Resolution("UNKNOWN_GENERAL", "https://plings.io/create", [*about_tag, *more], ttl)


def status_of(found: Document) -> str:
    """The one status the API shows of an object's several."""
    return next((STATUSES[status] for status in found["statuses"] if status in STATUSES), "ACTIVE")


def destination_of(call: Call, found: Document) -> str:
    """Where a scan of this object leads."""
    page = "edit" if call.caller.is_member(found["org"]) else "o"
    return DESTINATIONS.get(status_of(found), f"https://plings.io/{page}/{found['id']}")


def object_context(call: Call, object_id: str, path: str) -> dict[str, Any]:
    """An object as the answer to a scan shows it."""
    world, space = call.sandbox.world, call.sandbox.space
    found = world.objects[object_id]
    org = world.orgs.get(found["org"], {})
    maker = path.split(".")[0]
    at = space.parent_relation(object_id)
    return {
        "objectId": object_id, "name": found["name"], "status": status_of(found),
        "statuses": found["statuses"], "canEdit": call.caller.is_member(found["org"]),
        "owner": {"id": found["org"], "name": org.get("name"), "type": org.get("type")},
        "manufacturer": {"id": maker, "name": world.manufacturers[maker]}
        if maker in world.manufacturers else None,
        "class": class_view(world.classes.get(found["class"])),
        "location": {"objectId": at["to"], "name": world.objects[at["to"]]["name"],
                     "relationship": at["type"]} if at else None}
