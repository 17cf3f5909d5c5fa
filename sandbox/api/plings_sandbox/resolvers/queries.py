"""The queries."""
from typing import Any

from ariadne import QueryType

from ..collection import Document
from .call import Call, Info
from .objects import ShownObject, organization_view

query = QueryType()


@query.field("getObjectDetailsComplete")
def object_details(_: object, info: Info, id: str) -> ShownObject:
    """One object with everything about it."""
    call: Call = info.context
    call.require_caller()
    return ShownObject(call.object(id)["id"], in_detail=True)


@query.field("getSpatialChildren")
def spatial_children(_: object, info: Info, parentId: str) -> list[ShownObject]:
    """What is in or on an object."""
    call: Call = info.context
    call.require_caller()
    call.object(parentId)
    return [ShownObject(child) for child in call.sandbox.space.children_of(parentId)]


@query.field("myOrganizations")
def my_organizations(_: object, info: Info) -> list[dict[str, Any] | None]:
    """The caller's organisations."""
    call: Call = info.context
    call.require_caller()
    user = call.caller.user
    return [organization_view(call, org)
            for org in (user["memberships"] if user else call.sandbox.world.orgs)]


@query.field("myObjectsLight")
def my_objects_light(_: object, info: Info,
                     organizationId: str | None = None) -> list[ShownObject]:
    """Every object of the caller's organisations, or of one of them."""
    return [ShownObject(found["id"]) for found in my_objects(info.context, organizationId)]


@query.field("potentialContainers")
def potential_containers(_: object, info: Info, organizationId: str | None = None,
                         search: str | None = None, limit: int = 20) -> list[ShownObject]:
    """Where something could be put: last used first, then what holds most."""
    call: Call = info.context
    space = call.sandbox.space
    found = [thing for thing in my_objects(call, organizationId)
             if not search or search.lower() in thing["name"].lower()]
    found.sort(key=lambda thing: (-space.last_used.get(thing["id"], 0),
                                  -len(space.children_of(thing["id"])), thing["name"]))
    return [ShownObject(thing["id"]) for thing in found[:limit]]


def my_objects(call: Call, org: str | None) -> list[Document]:
    """The objects of the caller's organisations, or of one of them."""
    call.require_caller()
    return [found for found in call.sandbox.world.objects.values()
            if (call.caller.user is None or call.caller.is_member(found["org"]))
            and org in (None, found["org"])]
