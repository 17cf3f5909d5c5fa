"""A stand-in for the Plings GraphQL API, for development and tests.

It answers as the product's documentation says the API does, keeps what it was told, logs every
request, and fails on demand. `schema.graphql` marks what is documented and what is assumed.
"""
