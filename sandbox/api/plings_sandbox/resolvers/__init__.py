"""The GraphQL schema with a resolver for each of its operations."""
from pathlib import Path

from ariadne import ScalarType, load_schema_from_path, make_executable_schema, upload_scalar

from ..timestamps import parse_iso
from . import placing, resolve, tagging
from .call import Call
from .objects import object_type, relation_type
from .queries import query

__all__ = ["SCHEMA", "Call"]

date_time = ScalarType("DateTime", serializer=lambda value: value)


@date_time.value_parser
def checked_date_time(value: object) -> object:
    """The text itself, which must be an ISO 8601 date-time."""
    parse_iso(value)
    return value


SCHEMA = make_executable_schema(
    load_schema_from_path(str(Path(__file__).parents[1] / "schema.graphql")),
    query, resolve.mutation, tagging.mutation, placing.mutation, object_type, relation_type,
    date_time, upload_scalar)
