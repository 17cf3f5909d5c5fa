"""The refusals a GraphQL client sees."""
from graphql import GraphQLError


def refusal(code: str, message: str, **details: object) -> GraphQLError:
    """A GraphQL error with `extensions.code`, ready to be raised."""
    return GraphQLError(message, extensions={"code": code, **details})
