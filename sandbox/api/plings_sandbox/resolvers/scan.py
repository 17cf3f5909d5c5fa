"""The scan that came with a resolveIdentifier: checked, stored as an event, seen last."""
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..refusals import refusal
from ..request_log import digest
from ..timestamps import has_zone, now_iso
from .call import Call


@dataclass(frozen=True)
class Place:
    """Where a scan was made; without consent nothing of it is kept."""

    given: bool = False
    latitude: float | None = None
    longitude: float | None = None
    accuracy: float | None = None
    consent: bool | None = None


def scan_place(metadata: Mapping[str, Any], identifier: str, call: Call) -> Place:
    """The place the client sent along; BAD_INPUT for one that is nowhere on Earth."""
    if "geoLocation" not in metadata:
        return Place()
    geo = metadata["geoLocation"]
    if geo is None:
        call.violation("geo_location_null", identifier=identifier)
        return Place()
    if geo["consent"] is not True:
        call.violation("geo_without_consent", identifier=identifier)
        return Place(given=True, consent=False)
    latitude, longitude = geo.get("latitude"), geo.get("longitude")
    if (latitude is None) != (longitude is None) or (
            latitude is not None and not (abs(latitude) <= 90 and abs(longitude) <= 180)):
        raise refusal("BAD_INPUT", "geoLocation out of range")
    return Place(True, latitude, longitude, geo.get("accuracy"), True)


def scan_time(metadata: Mapping[str, Any], call: Call) -> str:
    """The time of the scan as the client wrote it."""
    at = metadata.get("timestamp") or now_iso()
    if not has_zone(at):
        call.violation("timestamp_without_zone", timestamp=at)
    return at


def record_scan(call: Call, scan: Mapping[str, Any], at: str, place: Place, object_id: str | None,
                outcome: str, valid: bool) -> dict[str, Any]:
    """Stores the scan event, makes it the object's "last seen", and returns it as shown.

    "Last seen" needs a resolved object and a user; the scan of a service is an event only.
    """
    world, user, entry = call.sandbox.world, call.caller.user_id, call.entry
    owner = None
    if object_id and user:
        world.record_last_seen(object_id, at, user, place.latitude, place.longitude)
        owner = "org:" + world.objects[object_id]["org"]
    metadata = scan.get("scanMetadata") or {}
    event = {
        "id": f"scan_{uuid.uuid4()}", "request_seq": entry.seq, "received_at": entry.received_at,
        "received_boot_ns": entry.received_boot_ns, "timestamp": at,
        "identifier_type": scan["type"], "identifier": scan["identifier"], "path": scan["path"],
        "class_pointer": scan.get("classPointer"), "outcome": outcome, "object_id": object_id,
        "geo": place.given, "latitude": place.latitude, "longitude": place.longitude,
        "accuracy": place.accuracy, "consent": place.consent,
        "scanning_user": f"user:{user}" if user else None, "owner_at_time_of_scan": owner,
        "scanned_known_identifier": scan["identifier"] in world.identifiers, "valid": valid,
        "ip_hash": digest(metadata["ipAddress"], 16) if metadata.get("ipAddress") else None,
        "user_agent": metadata.get("userAgent"), "idempotency_key": entry.idempotency_key}
    call.sandbox.scan_events.append(event)
    return {"id": event["id"], "timestamp": at, "identifierType": scan["type"],
            "objectId": object_id, "latitude": place.latitude, "longitude": place.longitude,
            "scanningUser": event["scanning_user"], "ownerAtTimeOfScan": owner}
