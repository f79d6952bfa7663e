"""Seals content into a query a provider will run. Imported by ``stages/validate`` alone."""

from esra import _key
from esra.sealed import QueryContent, ValidatedQuery


def stamp(content: QueryContent) -> ValidatedQuery:
    """A ``ValidatedQuery`` over exactly this content."""
    if type(content) is not QueryContent:
        raise TypeError("only a QueryContent can be stamped")
    query = object.__new__(ValidatedQuery)
    object.__setattr__(query, "_content", content)
    object.__setattr__(query, "_tag", _key.tag(content))
    return query
