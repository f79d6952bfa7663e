"""Renders typed filters: a quoted column, a fixed operator, values as one parameter. Pure.

``allowed`` joins a query's own filters with the record filter, which holds the caller's claims.

A row without a value satisfies no filter, ``ne`` included: SQL's own rule, which the memory
provider follows. Text compares by its bytes in every engine. Times are compared as instants; a
value is ISO 8601 text or seconds since the epoch, and a time without a zone is UTC.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from psycopg import sql

from esra.domain.plan import Value
from esra.domain.source import FieldType, Operator
from esra.sealed import BoundFilter, QueryContent

_SIGN = {
    Operator.EQ: sql.SQL("="),
    Operator.NE: sql.SQL("<>"),
    Operator.LT: sql.SQL("<"),
    Operator.LTE: sql.SQL("<="),
    Operator.GT: sql.SQL(">"),
    Operator.GTE: sql.SQL(">="),
}

# The server's type of a field's value, and how the column is read so that the two compare.
_TYPE = {
    FieldType.TEXT: (sql.SQL("text"), sql.SQL('{}::text COLLATE "C"')),
    FieldType.NUMBER: (sql.SQL("numeric"), sql.SQL("{}")),
    FieldType.BOOLEAN: (sql.SQL("boolean"), sql.SQL("{}")),
    FieldType.TIMESTAMP: (sql.SQL("timestamptz"), sql.SQL("{}")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One clause, and its parameter."""

    text: sql.Composed
    name: str
    value: object


def allowed(content: QueryContent) -> tuple[sql.Composed, dict[str, object]]:
    """`` AND`` clauses over the alias ``r`` that a row has to pass, and their parameters."""
    groups = [
        [_condition(given, f"visible_{number}_{part}") for part, given in enumerate(group)]
        for number, group in enumerate(content.visible)
    ]
    groups += [[_condition(given, f"filter_{n}")] for n, given in enumerate(content.filters)]
    text = sql.Composed([sql.SQL(" AND ({})").format(_either(group)) for group in groups])
    return text, {made.name: made.value for group in groups for made in group}


def _either(group: Sequence[Condition]) -> sql.Composed:
    return sql.SQL(" OR ").join([made.text for made in group])


def _condition(given: BoundFilter, name: str) -> Condition:
    kind = FieldType(given.type)
    type_name, read = _TYPE[kind]
    column = read.format(sql.SQL("r.") + ident(given.column))
    values = [_bound(value, kind) for value in given.values]
    if given.operator is Operator.IN:
        text = sql.SQL("{} = ANY({}::{}[])").format(column, sql.Placeholder(name), type_name)
        return Condition(text=text, name=name, value=values)
    text = sql.SQL("{} {} {}::{}").format(
        column, _SIGN[given.operator], sql.Placeholder(name), type_name
    )
    return Condition(text=text, name=name, value=values[0] if values else None)


def ident(name: str) -> sql.Identifier:
    """A quoted identifier. ``%`` is doubled, since the text is read for placeholders again."""
    return sql.Identifier(name.replace("%", "%%"))


def _bound(value: Value, kind: FieldType) -> object:
    """A value as its parameter, unchanged in meaning: exact numbers, ISO times."""
    if kind is FieldType.NUMBER and isinstance(value, (int, float)):
        return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if kind is FieldType.TIMESTAMP and isinstance(value, (int, float)):
        return _iso(value)
    if kind is FieldType.TEXT:
        return value if isinstance(value, str) else str(value)
    return value


def _iso(seconds: float) -> str:
    if math.isfinite(seconds) and abs(seconds) < 2e11:
        try:
            return datetime.fromtimestamp(seconds, UTC).isoformat()
        except (OverflowError, ValueError):
            pass
    return str(seconds)  # no instant: the server refuses it as a bad value
