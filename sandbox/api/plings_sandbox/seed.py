"""The objects and tags a fresh sandbox holds: one for every kind of answer."""
import uuid

from .collection import Document
from .keys import SHORT_CODE_LENGTH, fixture_key
from .space import Space
from .world import GENERIC_CLASS, World

GREEN = "0f000000-0000-4000-8000-000000000001"
OTHER = "0f000000-0000-4000-8000-000000000002"
ANNA = "11111111-1111-1111-1111-111111111111"
BO = "22222222-2222-2222-2222-222222222222"
BIKE_POINTER = "4K7mX9abDcE"
DRILL_POINTER = "7TqWn2RxYvB"
ODD_POINTER = "5NoSuchCpt1"

PEOPLE: tuple[Document, ...] = (
    {"id": ANNA, "name": "Anna Lind", "email": "anna@plings.test", "memberships": {GREEN: "admin"}},
    {"id": BO, "name": "Bo Ek", "email": "bo@plings.test", "memberships": {OTHER: "member"}},
)
CLASSES: tuple[Document, ...] = (
    {"id": GENERIC_CLASS, "name": "Objekt", "pointer": None, "generic": True},
    {"id": "class-cykel", "name": "Cykel", "pointer": BIKE_POINTER, "generic": False},
    {"id": "class-borr", "name": "Borrmaskin", "pointer": DRILL_POINTER, "generic": False},
)
MANUFACTURERS = {"1": "Plings", "4": "Cykelfabriken", "8": "Verktyg AB"}
"""By the first part of a tag's path."""

OBJECTS = (
    # label, name, organisation, class, container, relation to it, status
    ("room", "Verkstad", GREEN, None, None, "IN", "active"),
    ("shelf", "Hylla A", GREEN, None, "room", "IN", "active"),
    ("box", "Låda 1", GREEN, None, "shelf", "ON", "active"),
    ("drill", "Borrmaskin", GREEN, "class-borr", "box", "IN", "active"),
    ("bike", "Blå cykel", GREEN, "class-cykel", "room", "IN", "active"),
    ("untagged", "Otaggad pall", GREEN, None, "room", "IN", "active"),
    ("foreign", "Främmande släp", OTHER, None, None, "IN", "for_rent"),
    ("foreign-sale", "Främmande stege", OTHER, None, None, "IN", "for_sale"),
    ("foreign-lend", "Främmande tält", OTHER, None, None, "IN", "lendable"),
    ("twin1", "Tvilling 1", GREEN, None, "room", "IN", "active"),
    ("twin2", "Tvilling 2", GREEN, None, "room", "IN", "active"),
)
TAGS = (
    # label, path, class pointer, labels of the objects it is on, whether the maker's
    ("room", "1.1.100", None, ("room",), False),
    ("shelf", "1.1.101", None, ("shelf",), False),
    ("box", "1.1.102", None, ("box",), False),
    ("drill", "1.1.103", None, ("drill",), False),
    ("drill-maker", "8.5.2.1000", DRILL_POINTER, ("drill",), True),
    ("bike", "4.2.3.3.6", BIKE_POINTER, ("bike",), True),
    ("foreign", "1.1.104", None, ("foreign",), False),
    ("foreign-sale", "1.1.106", None, ("foreign-sale",), False),
    ("foreign-lend", "1.1.107", None, ("foreign-lend",), False),
    ("twin", "1.1.105", None, ("twin1", "twin2"), False),
    ("new-generic", "1.1.12345", None, (), False),
    ("new-generic-2", "1.1.12346", None, (), False),
    ("new-bike", "4.2.3.3.7", BIKE_POINTER, (), False),
    ("new-odd-class", "9.1.7", ODD_POINTER, (), False),
    ("forged", "4.2.3.3.8", BIKE_POINTER, (), False),
)
FORGED = "forged"
TWIN = "twin"


def object_id(label: str) -> str:
    """The id of a seeded object: the same one at every start."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "plings-sandbox:" + label))


def seed(world: World, space: Space) -> None:
    """Fills an empty world."""
    world.orgs[GREEN] = {"id": GREEN, "name": "Grön Teknik", "type": "company"}
    world.orgs[OTHER] = {"id": OTHER, "name": "Annan Verkstad", "type": "company"}
    for person in PEOPLE:
        world.users[person["id"]] = person
    for kind in CLASSES:
        world.classes[kind["id"]] = kind
    for prefix, name in MANUFACTURERS.items():
        world.manufacturers[prefix] = name
    for label, name, org, class_id, container, relation, status in OBJECTS:
        owner = ANNA if org == GREEN else BO
        added = world.add_object(name, org, class_id, owner, object_id(label), [status])
        world.fixtures[label] = {"objectId": added}
        if container:
            space.relate(added, object_id(container), "CURRENT_" + relation)
    for label, path, pointer, holders, by_maker in TAGS:
        seed_tag(world, label, path, pointer, holders, by_maker)
    world.forged_keys[fixture_key(FORGED)] = True


def seed_tag(world: World, label: str, path: str, pointer: str | None,
             holders: tuple[str, ...], by_maker: bool) -> None:
    """Adds a tag, puts it on its objects and describes it among the fixtures."""
    key = fixture_key(label)
    tag = {"instanceKey": key, "path": path, "classKey": pointer,
           "shortCode": key[:SHORT_CODE_LENGTH], "isManufacturerTag": by_maker}
    for holder in holders:
        world.attach_tag(tag, object_id(holder))
    query = f"i={key}&p={path}" + (f"&cp={pointer}" if pointer else "")
    world.fixtures[label] = {
        **world.fixtures.get(label, {}), "instanceKey": key, "path": path,
        "classPointer": pointer, "shortCode": tag["shortCode"], "isManufacturerTag": by_maker,
        "qr": f"https://s.plings.io/?t=q&{query}", "nfc": f"https://s.plings.io/?t=n&{query}"}
