"""Seals content into a query a provider will run. Imported by ``stages/validate`` alone."""

from typing import Any, cast

from esra import _key
from esra.sealed import QueryContent, ValidatedQuery


def stamp(content: QueryContent) -> ValidatedQuery:
    """A ``ValidatedQuery`` over exactly this content."""
    if type(content) is not QueryContent:
        raise TypeError("only a QueryContent can be stamped")
    query: ValidatedQuery = object.__new__(cast("type[Any]", ValidatedQuery))
    object.__setattr__(query, "_content", content)
    object.__setattr__(query, "_tag", _key.tag(content))
    return query
