"""Reads a model's text as JSON, or says it cannot be used. Accepts one code fence, nothing more.

The admit functions of the stages share it.
"""

import json
import re

_FENCE = re.compile(r"\A\s*```[A-Za-z0-9]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_LIMIT = 1_000_000


class Unusable(ValueError):
    """A reply that is not what was asked for; the stage falls back."""


def read_json(text: object) -> object:
    """The JSON value in ``text``; a single-element list around an object or list is unwrapped."""
    if not isinstance(text, str) or len(text) > _LIMIT:
        raise Unusable("a reply is text of at most a million characters")
    fenced = _FENCE.match(text)
    try:
        value = json.loads(
            fenced.group(1) if fenced else text,
            parse_constant=_refuse,
            object_pairs_hook=_unique,
        )
    except (ValueError, RecursionError) as error:
        raise Unusable("a reply is one JSON value") from error
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], (dict, list)):
        return value[0]
    return value


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    seen = dict(pairs)
    if len(seen) != len(pairs):
        raise ValueError("a key stands twice")
    return seen
