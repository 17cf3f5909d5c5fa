"""What the log and the data tell about a client: repeats, attempts, totals."""
from typing import Any

from . import seed
from .api import QUEUE
from .keys import fixture_key
from .sandbox import Sandbox


def attempts(sandbox: Sandbox, op: str | None = None) -> list[dict[str, Any]]:
    """Per distinct request: how often it came, what became of it, the gaps in seconds."""
    groups: dict[str, dict[str, Any]] = {}
    arrivals: dict[str, float] = {}
    for fingerprint, seq, ops, outcome, received_at in sandbox.log.fingerprinted():
        if op and op not in ops.split(","):
            continue
        group = groups.setdefault(fingerprint, {
            "fingerprint": fingerprint, "ops": ops.split(","), "attempts": 0, "seqs": [],
            "outcomes": [], "gaps": []})
        group["attempts"] += 1
        group["seqs"].append(seq)
        group["outcomes"].append(outcome)
        if fingerprint in arrivals:
            group["gaps"].append(round(received_at - arrivals[fingerprint], 3))
        arrivals[fingerprint] = received_at
    return list(groups.values())


def duplicates(sandbox: Sandbox) -> dict[str, Any]:
    """Everything that happened twice, by kind, with the counts first."""
    groups = repeated_mutations(sandbox)
    found = {
        "changed_twice": [group for group in groups if len(group["changed"]) > 1],
        "applied_twice": [group for group in groups if len(group["applied"]) > 1],
        "received_twice": groups,
        "tags_on_several_objects": shared_tags(sandbox),
        "scan_events": sandbox.scan_events.same_scan(),
        "idempotency_keys": sandbox.scan_events.same_key(),
        "images": same_images(sandbox)}
    return {"count": {kind: len(cases) for kind, cases in found.items()}, **found}


def repeated_mutations(sandbox: Sandbox) -> list[dict[str, Any]]:
    """Mutations that came more than once, with the numbers of their requests."""
    groups: dict[str, dict[str, Any]] = {}
    for fingerprint, seq, applied, changed in sandbox.log.repeated():
        if fingerprint not in groups:
            first = sandbox.log.entry(seq)
            groups[fingerprint] = {"ops": first["ops"], "variables": first["variables"],
                                   "received": [], "applied": [], "changed": []}
        for name, happened in (("received", True), ("applied", applied), ("changed", changed)):
            if happened:
                groups[fingerprint][name].append(seq)
    return list(groups.values())


def shared_tags(sandbox: Sandbox) -> list[dict[str, Any]]:
    """Tags on more than one object, but for the one that is seeded so."""
    holders: dict[str, set[str]] = {}
    for link in sandbox.world.tag_links.values():
        holders.setdefault(link["instanceKey"], set()).add(link["objectId"])
    holders.pop(fixture_key(seed.TWIN), None)
    return [{"instanceKey": key, "objects": sorted(objects)}
            for key, objects in holders.items() if len(objects) > 1]


def same_images(sandbox: Sandbox) -> list[dict[str, Any]]:
    """Pictures an object has more than once."""
    groups: dict[tuple[str, str], list[str]] = {}
    for image in sandbox.world.images.values():
        groups.setdefault((image["object_id"], image["sha256"]), []).append(image["id"])
    return [{"object_id": key[0], "sha256": key[1], "ids": ids}
            for key, ids in groups.items() if len(ids) > 1]


def stats(sandbox: Sandbox) -> dict[str, Any]:
    """Totals by operation, the most requests at once, connections, violations."""
    most = dict(sandbox.in_flight.most)
    return {"ops": sandbox.log.totals(), "max_queue_concurrency": most.pop(QUEUE, 0),
            "max_concurrency": most, "violations": len(sandbox.violations),
            "connections": sandbox.log.connections()}


def state(sandbox: Sandbox) -> dict[str, Any]:
    """The whole data."""
    world = sandbox.world
    return {"orgs": dict(world.orgs), "users": dict(world.users), "classes": dict(world.classes),
            "objects": dict(world.objects), "identifiers": dict(world.identifiers),
            "identifies": list(world.tag_links.values()),
            "relationships": dict(sandbox.space.relationships),
            "scan_events": sandbox.scan_events.select(), "images": dict(world.images),
            "audit": list(world.audit.values())}
