"""What a client posted: JSON or multipart, and the GraphQL document in it.

Source: the GraphQL multipart request specification (operations, map, then the files).
"""
import functools
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ariadne import combine_multipart_data
from graphql import (DocumentNode, FieldNode, GraphQLError, OperationDefinitionNode,
                     StringValueNode, Visitor, parse, visit)
from starlette.datastructures import UploadFile
from starlette.requests import Request

from .request_log import digest

JSON_TYPE = "application/json"
MULTIPART_TYPE = "multipart/form-data"
DOCUMENTS_KEPT = 256


class PostRefused(Exception):
    """A request that holds no operation; the text says why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Upload:
    """An uploaded file, known by its size and hash; the bytes are not kept."""

    def __init__(self, filename: str, content_type: str | None, content: bytes) -> None:
        self.filename = filename
        self.content_type = content_type or "application/octet-stream"
        self.size = len(content)
        self.sha256 = hashlib.sha256(content).hexdigest()

    def as_dict(self) -> dict[str, Any]:
        """What the log shows of it."""
        return dict(vars(self))


@dataclass(frozen=True)
class Operation:
    """One operation of a document: its kind, its root fields, the strings written in it."""

    kind: str | None
    fields: tuple[str, ...]
    texts: frozenset[str]


@dataclass
class Posted:
    """A request body with an operation in it."""

    query: str
    variables: Any
    operation_name: str | None

    def __post_init__(self) -> None:
        self.operation = chosen_operation(self.query, self.operation_name)
        self.ops = list(self.operation.fields)

    def data(self) -> dict[str, Any]:
        """The form in which Ariadne takes it."""
        return {"query": self.query, "variables": self.variables,
                "operationName": self.operation_name}

    def plain_variables(self) -> Any:
        """The variables with uploads as their size and hash."""
        return plain(self.variables)

    def fingerprint(self) -> str:
        """The same for two requests that ask for the same."""
        text = json.dumps([self.ops, plain(self.variables or {})], sort_keys=True)
        return digest(text, 16)

    def texts(self) -> set[str]:
        """Every string among the variables and in the document, such as an instance key."""
        return set(strings(self.variables)) | self.operation.texts


async def read(request: Request) -> Posted:
    """Reads a request; raises PostRefused if it holds no operation."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == JSON_TYPE:
        try:
            data = json.loads(await request.body())
        except ValueError as error:
            raise PostRefused(400, "Request body is not a valid JSON") from error
    elif kind == MULTIPART_TYPE:
        data = await read_multipart(request)
    else:
        raise PostRefused(
            415, f"Posted content must be of type {JSON_TYPE} or {MULTIPART_TYPE}")
    if not isinstance(data, dict) or not isinstance(data.get("query"), str):
        raise PostRefused(400, "Operation data should be a JSON object with a query string")
    name = data.get("operationName")
    if not isinstance(name, (str, type(None))):
        raise PostRefused(400, "operationName should be a string")
    return Posted(data["query"], data.get("variables"), name)


async def read_multipart(request: Request) -> Any:
    """The operations of a multipart request with the files in their places."""
    try:
        async with request.form() as form:
            if [name for name, _ in form.multi_items()][:2] != ["operations", "map"]:
                raise PostRefused(400, "multipart: 'operations' then 'map' must come first")
            operations, places = json.loads(str(form["operations"])), json.loads(str(form["map"]))
            files = {name: Upload(part.filename or "", part.content_type, await part.read())
                     for name, part in form.multi_items() if isinstance(part, UploadFile)}
        return combine_multipart_data(operations, places, files)
    except PostRefused:
        raise
    except Exception as error:
        # Starlette, the multipart parser, json and Ariadne each have their own errors here.
        raise PostRefused(400, f"bad multipart request: {error}") from error


@functools.lru_cache(maxsize=DOCUMENTS_KEPT)
def parsed(query: str) -> DocumentNode:
    """The document; clients send the same few again and again. Raises GraphQLError."""
    return parse(query)


@functools.lru_cache(maxsize=DOCUMENTS_KEPT)
def chosen_operation(query: str, name: str | None) -> Operation:
    """The operation of that name, else the first; an empty one for a document with errors."""
    try:
        document = parsed(query)
    except GraphQLError:
        return Operation(None, (), frozenset())
    found = [definition for definition in document.definitions
             if isinstance(definition, OperationDefinitionNode)]
    named = [definition for definition in found
             if name and definition.name and definition.name.value == name]
    if not found:
        return Operation(None, (), frozenset())
    operation = (named or found)[0]
    roots = tuple(selection.name.value for selection in operation.selection_set.selections
                  if isinstance(selection, FieldNode))
    return Operation(operation.operation.value, roots, frozenset(written_strings(operation)))


def written_strings(operation: OperationDefinitionNode) -> set[str]:
    """The string literals in an operation."""
    found: set[str] = set()

    class Strings(Visitor):
        """Collects them."""

        def enter_string_value(self, node: StringValueNode, *_: Any) -> None:
            """Called by graphql-core for each."""
            found.add(node.value)

    visit(operation, Strings())
    return found


def strings(value: Any) -> Iterator[str]:
    """Every string within this value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def plain(value: Any) -> Any:
    """The value with uploads replaced by what describes them, so that it can be written as JSON."""
    if isinstance(value, Upload):
        return {"upload": value.as_dict()}
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value
