"""One form of a JSON value, so that it has one hash: RFC 8785 (JCS), and how such JSON is read.

Names are sorted by UTF-16 units, nothing is spaced, text stands as UTF-8, and a number is written
as ECMAScript writes the double that it is. So any language that knows the RFC finds the same hash.
Narrower than the RFC: nesting has an end, and a whole number that no double holds is refused.
"""

import json
import math
from collections.abc import Mapping
from decimal import Decimal

from esra.strict_json import strict_json

DEEPEST = 16  # containers within one another
LARGEST_WHOLE = 2**53 - 1  # RFC 7493: beyond it two numbers share a double


class NotCanonical(ValueError):
    """A value that has no canonical form; the message says why."""


def canonical(value: object) -> bytes:
    """The RFC 8785 form of mappings, lists, tuples, text, numbers, booleans and None."""
    try:
        return _written(value, DEEPEST).encode()
    except UnicodeEncodeError as error:
        raise NotCanonical("half of a surrogate pair is no text") from error


def parsed(text: bytes) -> dict[str, object]:
    """The object in strict JSON: UTF-8, no name twice in an object, every number finite.

    Raises ValueError.
    """
    value = strict_json(text.decode("utf-8"))
    if not isinstance(value, dict):
        raise NotCanonical("not an object")
    return value


def _written(value: object, room: int) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return number(value)
    if room == 0:
        raise NotCanonical(f"nested deeper than {DEEPEST}")
    if isinstance(value, Mapping):
        members = sorted((_units(name), name, inner) for name, inner in value.items())
        own = (f"{_written(name, 0)}:{_written(inner, room - 1)}" for _, name, inner in members)
        return "{" + ",".join(own) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_written(inner, room - 1) for inner in value) + "]"
    raise NotCanonical(f"{type(value).__name__} is not JSON")


def _units(name: object) -> bytes:
    if not isinstance(name, str):
        raise NotCanonical("a name that is no text")
    return name.encode("utf-16-be")


def _whole(value: int) -> str:
    if abs(value) > LARGEST_WHOLE:
        raise NotCanonical("a whole number beyond 2^53")
    return str(value)


def number(value: float) -> str:
    """A finite double as ECMAScript's Number::toString writes it (ECMA-262, 6.1.6.1.20)."""
    if not math.isfinite(value):
        raise NotCanonical("a number that is not finite")
    if value == 0:
        return "0"  # minus zero too
    # Python's repr has the same shortest digits; only their layout differs.
    sign, own, exponent = Decimal(repr(float(value))).as_tuple()
    assert isinstance(exponent, int)
    whole = "".join(map(str, own)).lstrip("0")
    digits = whole.rstrip("0")
    point = len(whole) + exponent  # the value is 0.DIGITS x 10^point
    return ("-" if sign else "") + _laid_out(digits, point)


def _laid_out(digits: str, point: int) -> str:
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"
