"""Renders typed filters: a quoted column, a fixed operator, values as one parameter. Pure.

A query's own filters and the record filter, which holds the caller's claims, are one thing here:
``shape`` says what is compared with what, and has no value in it.

A row without a value satisfies no filter, ``ne`` included: SQL's own rule, which the memory
provider follows. Text compares by its bytes in every engine. Times are compared as instants; a
value is ISO 8601 text or seconds since the epoch, and a time without a zone is UTC.
"""

import math
from collections.abc import Sequence
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


# The name of a parameter, and what it is compared with: column, type, operator. No value.
Clause = tuple[str, str, FieldType, Operator]
Clauses = tuple[tuple[Clause, ...], ...]


def shape(content: QueryContent) -> Clauses:
    """What a row has to pass: of every group one clause."""
    return tuple(
        tuple((name, f.column, FieldType(f.type), f.operator) for name, f in group)
        for group in _named(content)
    )


def bound(content: QueryContent) -> dict[str, object]:
    """A value for each parameter of the shape."""
    return {name: _value(given) for group in _named(content) for name, given in group}


def allowed(clauses: Clauses) -> sql.Composed:
    """The shape as `` AND`` clauses over the alias ``r``."""
    return sql.Composed(
        [
            sql.SQL(" AND ({})").format(sql.SQL(" OR ").join([_clause(one) for one in group]))
            for group in clauses
        ]
    )


def _named(content: QueryContent) -> Sequence[Sequence[tuple[str, BoundFilter]]]:
    visible = [
        [(f"visible_{number}_{part}", given) for part, given in enumerate(group)]
        for number, group in enumerate(content.visible)
    ]
    return visible + [[(f"filter_{n}", given)] for n, given in enumerate(content.filters)]


def _clause(clause: Clause) -> sql.Composed:
    name, column, kind, operator = clause
    type_name, read = _TYPE[kind]
    read_column = read.format(sql.SQL("r.") + ident(column))
    if operator is Operator.IN:
        return sql.SQL("{} = ANY({}::{}[])").format(read_column, sql.Placeholder(name), type_name)
    return sql.SQL("{} {} {}::{}").format(
        read_column, _SIGN[operator], sql.Placeholder(name), type_name
    )


def _value(given: BoundFilter) -> object:
    values = [_bound(value, FieldType(given.type)) for value in given.values]
    if given.operator is Operator.IN:
        return values
    return values[0] if values else None


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
