"""Organisations, people, classes, objects, the tags on them and their pictures."""
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from .collection import Collection, Document
from .database import Database
from .keys import SHORT_CODE_LENGTH
from .timestamps import now_iso

GENERIC_CLASS = "class-object"


class World:
    """What the API knows. `changes` grows with every change, so that a harmless repeat shows."""

    def __init__(self, database: Database) -> None:
        self.orgs = Collection(database, "orgs")
        self.users = Collection(database, "users")
        self.classes = Collection(database, "classes")
        self.manufacturers = Collection(database, "manufacturers")
        self.objects = Collection(database, "objects")
        self.identifiers = Collection(database, "identifiers")
        self.tag_links = Collection(database, "tag_links")
        self.forged_keys = Collection(database, "forged_keys")
        self.images = Collection(database, "images")
        self.audit = Collection(database, "audit")
        self.fixtures = Collection(database, "fixtures")
        self.changes = 0
        self._index_links()

    def _collections(self) -> Iterable[Collection]:
        return (value for value in vars(self).values() if isinstance(value, Collection))

    def _index_links(self) -> None:
        self._links_of_key: dict[str, list[Document]] = defaultdict(list)
        self._links_of_object: dict[str, list[Document]] = defaultdict(list)
        for link in self.tag_links.values():
            self._links_of_key[link["instanceKey"]].append(link)
            self._links_of_object[link["objectId"]].append(link)

    def clear(self) -> None:
        """Removes everything."""
        for collection in self._collections():
            collection.clear()
        self._index_links()

    # Objects

    def add_object(self, name: str, org: str, class_id: str | None = None,
                   created_by: str | None = None, object_id: str | None = None,
                   statuses: Iterable[str] | None = None, description: str | None = None) -> str:
        """Adds an object and returns its id."""
        object_id = object_id or str(uuid.uuid4())
        now = now_iso()
        self.objects[object_id] = {
            "id": object_id, "name": name, "description": description, "org": org,
            "class": class_id or GENERIC_CLASS, "statuses": list(statuses or ["active"]),
            "created_by": created_by, "created_at": now, "updated_at": now,
            "last_scanned_at": None, "last_scanned_by": None,
            "last_scanned_latitude": None, "last_scanned_longitude": None}
        self.changes += 1
        return object_id

    def record_last_seen(self, object_id: str, at: str, user: str,
                         latitude: float | None, longitude: float | None) -> None:
        """Overwrites when and where an object was last seen, whatever stood there before.

        Times are not compared, as documented: a scan delivered late makes "last seen" run
        backwards.
        """
        self.objects.amend(object_id, last_scanned_at=at, last_scanned_by=user,
                           last_scanned_latitude=latitude, last_scanned_longitude=longitude)
        self.changes += 1

    def class_by_pointer(self, pointer: str | None) -> Document | None:
        """The class registered for this class pointer."""
        return next((found for found in self.classes.values()
                     if pointer and found["pointer"] == pointer), None)

    # Tags

    def register_identifier(self, tag: Mapping[str, Any]) -> Document:
        """The identifier with this tag's instance key, made from the tag when it is new."""
        key = tag["instanceKey"]
        if key not in self.identifiers:
            self.identifiers[key] = {
                "instanceKey": key, "path": tag.get("path"), "classKey": tag.get("classKey"),
                "shortCode": tag.get("shortCode") or key[:SHORT_CODE_LENGTH],
                "isManufacturerTag": bool(tag.get("isManufacturerTag")),
                "created_at": now_iso()}
        return self.identifiers[key]

    def attach_tag(self, tag: Mapping[str, Any], object_id: str) -> Document:
        """Puts a tag on an object and returns the link between them."""
        identifier = self.register_identifier(tag)
        link = {"instanceKey": identifier["instanceKey"], "objectId": object_id,
                "shortCode": identifier["shortCode"],
                "isManufacturerTag": identifier["isManufacturerTag"], "at": now_iso()}
        self.tag_links[link_key(link)] = link
        self._links_of_key[link["instanceKey"]].append(link)
        self._links_of_object[object_id].append(link)
        self.changes += 1
        return link

    def detach_tag(self, link: Document) -> None:
        """Takes a tag off an object."""
        del self.tag_links[link_key(link)]
        self._links_of_key[link["instanceKey"]].remove(link)
        self._links_of_object[link["objectId"]].remove(link)
        self.changes += 1

    def holders(self, key: str) -> list[str]:
        """The ids of the objects that carry this tag; more than one is a duplicate tag."""
        return [link["objectId"] for link in self._links_of_key.get(key, ())]

    def tags_of(self, object_id: str) -> list[Document]:
        """The links of the tags on this object."""
        return list(self._links_of_object.get(object_id, ()))

    # Pictures and who did what

    def add_image(self, object_id: str, image: Document) -> Document:
        """Adds a picture of an object; returns it with its id."""
        image = {**image, "object_id": object_id, "at": now_iso()}
        self.images[image["id"]] = image
        self.changes += 1
        return image

    def images_of(self, object_id: str) -> list[Document]:
        """The pictures of this object in the order of upload."""
        return [image for image in self.images.values() if image["object_id"] == object_id]

    def note(self, action: str, object_id: str, user: str | None, **details: Any) -> None:
        """Adds a line to the audit trail."""
        self.audit.append({"action": action, "object": object_id, "user": user, **details,
                           "at": now_iso()})


def link_key(link: Mapping[str, Any]) -> str:
    """The document key of a tag's link to an object."""
    return f"{link['instanceKey']} {link['objectId']}"
