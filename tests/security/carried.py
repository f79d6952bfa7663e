"""Whether a command's parameters are what was asked, said apart from the renderers.

A term is its words; a text, a row cap, a fragment's length are themselves; a number is the same
number, a time the same instant to the microsecond.
"""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from esra.domain.plan import Value
from esra.domain.source import FieldType, Operator
from esra.providers.memory.command import Values
from esra.sealed import QueryContent
from esra.sources.relation import words

ROLES = ("required", "optional", "excluded", "phrases")


def wrong_in_postgres(values: Mapping[str, object], asked: QueryContent) -> list[str]:
    """The names of parameters that do not carry what was asked, or that nobody asked for."""
    expected = {role: [" ".join(words(text)) for text in getattr(asked, role)] for role in ROLES}
    positive = expected["required"] + expected["optional"] + expected["phrases"]
    fixed = expected | {
        "language": asked.relation.language,
        "positive": " ".join(positive),
        "fragment": asked.fragment,
        "rows": asked.rows,
        "widest": 2_000,
    }
    filters = {f"filter_{number}": given for number, given in enumerate(asked.filters)} | {
        f"visible_{number}_{part}": given
        for number, group in enumerate(asked.visible)
        for part, given in enumerate(group)
    }
    wrong = [name for name, value in fixed.items() if values.get(name) != value]
    wrong += [n for n, given in filters.items() if n not in values or not _holds(values[n], given)]
    return wrong + sorted(set(values) - set(fixed) - set(filters))


def wrong_in_memory(values: Values, asked: QueryContent) -> list[str]:
    """The same of the compiled form, whose terms without a word are gone."""
    wrong = [
        role
        for role in ROLES
        if getattr(values, role)
        != tuple(tuple(words(text)) for text in getattr(asked, role) if words(text))
    ]
    # By type and spelling, since NaN is not equal to itself and True is equal to 1.
    if repr(values.filters) != repr(tuple(given.values for given in asked.filters)):
        wrong.append("filters")
    claims = tuple(tuple(given.values for given in group) for group in asked.visible)
    if repr(values.visible) != repr(claims):
        wrong.append("claims")
    bounds = (values.rows, values.fragment) == (asked.rows, asked.fragment)
    return wrong if bounds else [*wrong, "bounds"]


def _holds(bound: object, given) -> bool:
    kind = FieldType(given.type)
    if given.operator is not Operator.IN:
        return _carries(bound, given.values[0], kind)
    return (
        isinstance(bound, list)
        and len(bound) == len(given.values)
        and all(_carries(one, value, kind) for one, value in zip(bound, given.values, strict=True))
    )


def _carries(bound: object, value: Value, kind: FieldType) -> bool:
    if isinstance(value, str) or kind is FieldType.BOOLEAN:
        return type(bound) is type(value) and repr(bound) == repr(value)
    if kind is FieldType.TEXT:
        return bound == str(value)
    if kind is FieldType.NUMBER:
        same = bound == Decimal(repr(value)) if isinstance(value, float) else bound == value
        return isinstance(bound, Decimal) and (same or (bound.is_nan() and value != value))
    return isinstance(bound, str) and _same_instant(bound, value)


def _same_instant(bound: str, value: float) -> bool:
    try:
        return abs(datetime.fromisoformat(bound).timestamp() - value) < 1e-6
    except ValueError:
        return bound == str(value)  # no instant: the server refuses it
