"""What tests switch: data, settings, faults, outages, tokens."""
from typing import Any

from .. import seed
from ..faults import make_fault
from .routing import Asked, route


@route("reset", "POST")
async def reset(asked: Asked) -> Any:
    """Everything as after a fresh start."""
    await asked.sandbox.reset()
    return {"ok": True}


@route("settings", "GET")
def settings(asked: Asked) -> Any:
    """The settings in force."""
    return asked.sandbox.settings.as_dict()


@route("settings", "POST", "PATCH")
def change_settings(asked: Asked) -> Any:
    """Changes settings and returns all."""
    asked.sandbox.settings.change(asked.fields())
    return settings(asked)


@route("faults", "GET")
def faults(asked: Asked) -> Any:
    """The ordered faults."""
    return {"faults": asked.sandbox.faults.as_list()}


@route("faults", "POST")
def add_faults(asked: Asked) -> Any:
    """Orders one fault, or several."""
    body = asked.body
    orders = body if isinstance(body, list) else asked.fields().get("faults", [body])
    asked.sandbox.faults.add([make_fault(order) for order in orders])
    return faults(asked)


@route("faults", "DELETE")
def remove_faults(asked: Asked) -> Any:
    """Takes back all faults."""
    asked.sandbox.faults.clear()
    return faults(asked)


@route("outage", "GET")
def outage(asked: Asked) -> Any:
    """The outage in force."""
    return {"outage": asked.sandbox.outage.current()}


@route("outage", "POST")
async def begin_outage(asked: Asked) -> Any:
    """Starts an outage."""
    await asked.sandbox.outage.begin(asked.fields(), spared=asked.exchange.transport)
    return outage(asked)


@route("outage", "DELETE")
async def end_outage(asked: Asked) -> Any:
    """Ends the outage."""
    await asked.sandbox.outage.end()
    return outage(asked)


@route("token", "POST")
def mint_token(asked: Asked) -> Any:
    """Mints an access token."""
    fields = asked.fields()
    return {"access_token": asked.sandbox.sessions.mint(
        fields.get("user", seed.ANNA), fields.get("org_id"), fields.get("ttl"))}


@route("token/revoke", "POST")
def revoke_token(asked: Asked) -> Any:
    """Makes a token no good."""
    asked.sandbox.sessions.revoke(asked.fields()["token"])
    return {"ok": True}


@route("object", "POST")
def add_object(asked: Asked) -> Any:
    """Adds an object with its tags and its place."""
    fields, world, space = asked.fields(), asked.sandbox.world, asked.sandbox.space
    org, parent = fields.get("org", seed.GREEN), fields.get("parent")
    if org not in world.orgs or (parent and parent not in world.objects):
        raise ValueError("unknown org or parent")
    with asked.sandbox.database.transaction():
        added = world.add_object(fields["name"], org, fields.get("class"),
                                 object_id=fields.get("id"), statuses=fields.get("statuses"))
        if parent:
            space.relate(added, parent, "CURRENT_" + fields.get("kind", "IN"))
        for tag in fields.get("tags", ()):
            world.attach_tag(tag, added)
    return {"id": added}
