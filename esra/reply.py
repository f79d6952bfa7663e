"""Reads a model's text as JSON, or says it cannot be used.

One code fence and one needless nesting are accepted, the commonest habits of models; nothing more.

The admit functions of the stages share it.
"""

import re

from esra.strict_json import strict_json

_FENCE = re.compile(r"\A\s*```[A-Za-z0-9]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_LIMIT = 1_000_000


class Unusable(ValueError):
    """A reply that is not what was asked for; the stage falls back."""


def read_rows(text: object, key: str) -> list[object]:
    """The list a reply holds: as ``{key: [...]}`` or bare, nested once too often or not."""
    value = _read_json(text)
    if isinstance(value, list) and len(value) == 1:
        inner = value[0]
        if isinstance(inner, list) or (isinstance(inner, dict) and key in inner):
            value = inner
    rows = value.get(key) if isinstance(value, dict) else value
    if not isinstance(rows, list):
        raise Unusable(f"a reply holds a list of {key}")
    return rows


def _read_json(text: object) -> object:
    if not isinstance(text, str) or len(text) > _LIMIT:
        raise Unusable("a reply is text of at most a million characters")
    fenced = _FENCE.match(text)
    try:
        return strict_json(fenced.group(1) if fenced else text)
    except ValueError as error:
        raise Unusable("a reply is one JSON value") from error
