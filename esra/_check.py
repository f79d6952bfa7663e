"""Opens a sealed query for a provider. Imported by ``providers/base`` alone."""

import hmac

from esra import _key
from esra.sealed import QueryContent, ValidatedQuery


class NotSealed(TypeError):
    """Something that is not the validator's own query was handed to a provider."""


def check(query: ValidatedQuery) -> QueryContent:
    """The content, if the seal is whole; ``NotSealed`` before any socket is touched otherwise."""
    if type(query) is not ValidatedQuery:
        raise NotSealed(f"a provider runs only a ValidatedQuery, not {type(query).__name__}")
    content = getattr(query, "_content", None)
    tag = getattr(query, "_tag", None)
    if type(content) is not QueryContent or type(tag) is not bytes:
        raise NotSealed("the query carries no seal")
    if not hmac.compare_digest(tag, _key.tag(content)):
        raise NotSealed("the seal does not fit the content")
    return content
