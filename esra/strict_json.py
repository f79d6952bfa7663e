"""JSON read strictly (RFC 8259): one value, no name twice in an object, no NaN, and one error.

The standard parser takes the last of two equal names and reads NaN, each without a word, so that
two readers of one text could mean two things by it.
"""

import json


def strict_json(text: str | bytes) -> object:
    """The one JSON value of ``text``; ``ValueError`` for whatever is none, depth included.

    Bytes are UTF-8 (8.1), with or without a mark; the parser alone would guess.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8-sig")
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_constant)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    seen = dict(pairs)
    if len(seen) != len(pairs):
        raise ValueError("a name stands twice")
    return seen


def _constant(text: str) -> object:
    raise ValueError(f"{text} is not JSON")
