"""Creating, tagging, placing, pictures, and what the queries show of them."""
import hashlib
from typing import Any

import pytest
from client import CREATE, DETAIL, GREEN, MOVE, Api, tag_data

ASSIGN = """
mutation Assign($object: ID!, $tag: TagDataInput!) {
  assignTagToObject(objectId: $object, tagData: $tag) {
    object { id } shortCode conflict { objectId objectName } } }"""
REMOVE = """
mutation Remove($object: ID!, $code: String!) {
  removeTagFromObject(objectId: $object, shortCode: $code) { object { id } removed } }"""
RELATE = """
mutation Relate($input: Create%sSpatialRelationshipInput!) {
  create%sSpatialRelationship(input: $input) {
    id type fromObject { id name } toObject { id name } } }"""
KINDS = ("IN", "ON", "LEFT_OF", "RIGHT_OF", "ABOVE", "UNDER", "NEXT_TO", "ATTACHED_TO")


def test_a_new_object_gets_its_name_tag_and_place(api: Api, tags: Any) -> None:
    tag = tags["new-bike"]
    api.scan(tag)
    created = api.ask(CREATE, {"input": {
        "tagInstanceKey": tag["instanceKey"], "tagData": tag_data(tag), "autoGenerateName": True,
        "spatialParentId": tags["box"]["objectId"], "spatialRelationshipType": "IN",
    }})["data"]["createObject"]
    assert created["name"] == "Grön Teknik Cykel " + tag["shortCode"]
    assert created["spatialParent"]["name"] == "Låda 1"
    assert api.scan(tag)["object"]["objectId"] == created["id"]
    assert api.violations() == []
    again = api.ask(CREATE, {"input": {"name": "x", "tagInstanceKey": tag["instanceKey"]}})
    details = again["errors"][0]["extensions"]
    assert (details["code"], details["objectId"]) == ("TAG_CONFLICT", created["id"])


def test_a_name_that_is_given_wins(api: Api) -> None:
    named = api.ask(CREATE, {"input": {"name": "Min sak", "autoGenerateName": True}})
    assert named["data"]["createObject"]["name"] == "Min sak"
    assert api.error_code(CREATE, {"input": {"autoGenerateName": False}}) == "BAD_INPUT"


@pytest.mark.parametrize(("order", "code"), [
    ({"organizationId": "0f000000-0000-4000-8000-000000000002"}, "FORBIDDEN"),
    ({"objectClassId": "nothing"}, "BAD_INPUT"), ({"spatialParentId": "nothing"}, "NOT_FOUND"),
    ({"tagInstanceKey": "0OIl"}, "BAD_INPUT"),
    ({"tagInstanceKey": "ABC", "tagData": {"instanceKey": "abc"}}, "BAD_INPUT")])
def test_a_bad_order_creates_nothing(api: Api, tags: Any, order: Any, code: str) -> None:
    before = len(api.control("state")["objects"])
    assert api.error_code(CREATE, {"input": {"name": "x", **order}}) == code
    assert len(api.control("state")["objects"]) == before


def test_operations_the_api_does_not_have_are_refused(api: Api) -> None:
    answer = api.raw("mutation { createObjectWithTag(id: 1) { id } }")
    assert answer.status_code == 400
    assert "Cannot query field" in answer.json()["errors"][0]["message"]


def test_pictures_need_an_object_and_a_proper_kind(api: Api, tags: Any) -> None:
    picture = b"\xff\xd8jpeg"
    missing = api.upload("nothing", picture)
    assert missing["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    assert api.violations() == ["upload_before_create"]
    bike = tags["bike"]["objectId"]
    urls = api.upload(bike, picture, b"second")["data"]["uploadObjectImages"]
    assert len(urls) == 2 and all(image["url"].startswith("https://") for image in urls)
    stored = api.control("state")["images"].values()
    assert {image["sha256"] for image in stored} == {
        hashlib.sha256(content).hexdigest() for content in (picture, b"second")}
    refused = api.upload(bike, b"text", kind="text/plain")
    assert refused["errors"][0]["extensions"]["code"] == "BAD_INPUT"
    shown = api.ask("{ myObjectsLight { id imageUrls mainImageUrl images { id url } } }")
    light = next(found for found in shown["data"]["myObjectsLight"] if found["id"] == bike)
    assert light["images"] == urls and light["imageUrls"] == [image["url"] for image in urls]
    assert light["mainImageUrl"] == urls[0]["url"]


def test_a_tag_on_another_object_is_a_conflict_and_nothing_is_written(api: Api, tags: Any) -> None:
    tag, pallet = tags["new-bike"], tags["untagged"]["objectId"]
    api.scan(tag)

    def assign(target: str, assigned: Any) -> Any:
        answer = api.ask(ASSIGN, {"object": target, "tag": tag_data(assigned)})
        return answer["data"]["assignTagToObject"]

    first, second = assign(pallet, tag), assign(pallet, tag)
    assert first == second == {
        "object": {"id": pallet}, "shortCode": tag["shortCode"], "conflict": None}
    refused = assign(pallet, tags["drill"])
    assert refused["object"] is None
    assert refused["conflict"]["objectId"] == tags["drill"]["objectId"]
    links = [link for link in api.control("state")["identifies"] if link["objectId"] == pallet]
    assert len(links) == 1
    foreign = {"object": tags["foreign"]["objectId"], "tag": tag_data(tag)}
    assert api.error_code(ASSIGN, foreign) == "FORBIDDEN"


def test_a_tag_used_before_it_was_scanned_is_noted(api: Api, tags: Any) -> None:
    api.ask(CREATE, {"input": {"tagInstanceKey": tags["new-generic"]["instanceKey"]}})
    assert api.violations() == ["tag_used_before_resolve"]


def test_removing_a_tag_twice_is_harmless_and_a_makers_tag_stays(api: Api, tags: Any) -> None:
    drill, maker = tags["drill"], tags["drill-maker"]

    def remove(code: str) -> Any:
        return api.ask(REMOVE, {"object": drill["objectId"], "code": code})

    assert remove(drill["shortCode"])["data"]["removeTagFromObject"]["removed"] is True
    assert remove(drill["shortCode"])["data"]["removeTagFromObject"] == {
        "object": {"id": drill["objectId"]}, "removed": False}
    assert remove(maker["shortCode"])["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    details = api.ask(DETAIL, {"id": drill["objectId"]})["data"]["getObjectDetailsComplete"]
    assert details["identifiers"] == [
        {"shortCode": maker["shortCode"], "isManufacturerTag": True}]
    assert api.scan(drill)["object"] is None


def test_light_queries_show_ones_own_objects_without_their_tags_in_detail(
        api: Api, tags: Any) -> None:
    light = api.ask("{ myObjectsLight { id shortCodes identifiers { shortCode } } }")
    found = {thing["id"]: thing for thing in light["data"]["myObjectsLight"]}
    drill = found[tags["drill"]["objectId"]]
    assert drill["identifiers"] is None and len(drill["shortCodes"]) == 2
    assert tags["foreign"]["objectId"] not in found
    organizations = api.ask("{ myOrganizations { id name role } }")["data"]["myOrganizations"]
    assert organizations == [{"id": GREEN, "name": "Grön Teknik", "role": "admin"}]
    children = api.ask("query($p: ID!) { getSpatialChildren(parentId: $p) { id } }",
                       {"p": tags["box"]["objectId"]})
    assert children["data"]["getSpatialChildren"] == [{"id": tags["drill"]["objectId"]}]


def test_the_container_used_last_is_suggested_first(api: Api, tags: Any) -> None:
    api.ask(MOVE, {"input": {
        "objectId": tags["bike"]["objectId"], "spatialParentId": tags["shelf"]["objectId"],
        "spatialRelationshipType": "ON"}})
    suggested = api.ask("{ potentialContainers(limit: 1) { name } }")
    assert suggested["data"]["potentialContainers"] == [{"name": "Hylla A"}]
    searched = api.ask('{ potentialContainers(search: "låda") { name } }')
    assert searched["data"]["potentialContainers"] == [{"name": "Låda 1"}]


@pytest.mark.parametrize("kind", KINDS)
def test_relations_now_and_normally(api: Api, tags: Any, kind: str) -> None:
    bike, shelf, room = (tags[label]["objectId"] for label in ("bike", "shelf", "room"))
    order = {"fromObjectId": bike, "toObjectId": shelf, "type": kind}
    now = api.ask(RELATE % ("", ""), {"input": order})["data"]["createSpatialRelationship"]
    normally = api.ask(RELATE % ("Normal", "Normal"), {
        "input": {**order, "type": "NORMAL_" + kind}})["data"]["createNormalSpatialRelationship"]
    assert (now["type"], normally["type"]) == ("CURRENT_" + kind, "NORMAL_" + kind)
    assert normally["toObject"]["id"] == shelf
    assert api.error_code(RELATE % ("Normal", "Normal"), {
        "input": {**order, "type": "CURRENT_" + kind}}) == "BAD_INPUT"
    moved = api.ask(MOVE, {"input": {"objectId": bike, "spatialParentId": shelf,
                                     "spatialRelationshipType": kind}})["data"]["moveObject"]
    assert moved["spatialParent"]["id"] == (shelf if kind in ("IN", "ON") else room)
    kept = {relation["type"] for relation in api.control("state")["relationships"].values()
            if relation["from"] == bike}
    assert {"CURRENT_" + kind, "NORMAL_" + kind} <= kept


def test_nothing_can_be_put_into_itself(api: Api, tags: Any) -> None:
    room, drill = tags["room"]["objectId"], tags["drill"]["objectId"]
    assert api.error_code(MOVE, {"input": {"objectId": room, "spatialParentId": drill}}
                          ) == "BAD_INPUT"
    for target in (room, drill):
        order = {"fromObjectId": room, "toObjectId": target, "type": "IN"}
        assert api.error_code(RELATE % ("", ""), {"input": order}) == "BAD_INPUT"


def test_objects_can_be_added_by_the_control(api: Api, tags: Any) -> None:
    added = api.control("object", {
        "name": "Ny", "parent": tags["box"]["objectId"], "tags": [{"instanceKey": "ABC"}]})["id"]
    answer = api.scan({"instanceKey": "ABC", "path": "1.1.1"})
    assert answer["object"]["objectId"] == added
    assert answer["object"]["location"]["objectId"] == tags["box"]["objectId"]
