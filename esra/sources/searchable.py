"""Says whether a relation can be searched with an index, by what its server told of it. Pure.

A search without an index reads every row for every question. On a small table nobody notices,
and on the day it has grown every search runs into its time limit; so the size is no excuse, and
a source says what it lacks from the first day. What the engine itself would refuse (a relation
or a column that is not there, a right that is missing) is left to the engine.

A view has no index of its own: it counts as indexed where a table it reads has one for text.
Whether a foreign table has one cannot be seen from here; it counts as indexed.
"""

import re
from collections.abc import Iterable, Iterator

from esra.domain.codes import FailureCode
from esra.domain.described import Kind, Server, Store, Table, TextKey
from esra.domain.source import Relation

# The index methods that answer "which rows hold these words" (PostgreSQL manual, 12.9; RUM).
METHODS = frozenset({"gin", "gist", "rum"})
VECTOR = "tsvector"

_NAME = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^".\s]+))\s*')
# Where an unqualified name is looked up: a command's search path holds nothing else.
HOME = "pg_catalog"


def refusal(server: Server, relation: Relation) -> FailureCode | None:
    """TEXT_INDEX_UNAVAILABLE, COLUMN_NOT_INDEXED, or None for one that may be searched."""
    if not has_language(server, relation.language):
        return FailureCode.TEXT_INDEX_UNAVAILABLE
    table = server.table(relation.schema, relation.table)
    column = table.column(relation.vector) if table else None
    if table is None or column is None or table.kind is Kind.FOREIGN:
        return None
    if column.type != VECTOR:
        return FailureCode.COLUMN_NOT_INDEXED
    return next((code for _, code in unindexed(table, relation.vector)), None)


def unindexed(table: Table, vector: str) -> Iterator[tuple[str, FailureCode]]:
    """The tables of a relation that lack a usable index of the column, each with what it lacks."""
    own = [(store, _keys(table, store, vector)) for store in table.stores]
    if table.kind is Kind.VIEW and any(_usable(keys) for _, keys in own):
        return iter(())
    lacking = ((store.name, _lack(keys)) for store, keys in own if not _usable(keys))
    nothing_below = iter([(table.name, FailureCode.COLUMN_NOT_INDEXED)])
    return lacking if own else nothing_below


def has_language(server: Server, language: str) -> bool:
    """Whether the server has this text-search configuration where a command looks for it."""
    return language_parts(language) in server.languages


def language_parts(language: str) -> tuple[str, str]:
    """(schema, name) as the server reads a name: unquoted letters are small ones."""
    found = list(_NAME.finditer(language))
    names = [m[1].replace('""', '"') if m[1] else m[2].lower() for m in found]
    if ".".join(m[0] for m in found) != language or not 1 <= len(names) <= 2:
        return ("", language)
    return (names[0], names[1]) if len(names) == 2 else (HOME, names[0])


def _keys(table: Table, store: Store, vector: str) -> list[TextKey]:
    """A view's column may be another one below it, or an expression: any key for text will do."""
    any_will_do = table.kind is Kind.VIEW
    return [key for key in store.keys if any_will_do or key.column == vector]


def _usable(keys: Iterable[TextKey]) -> bool:
    return any(key.method in METHODS and key.valid and not key.partial for key in keys)


def _lack(keys: list[TextKey]) -> FailureCode:
    """An index that is there and cannot serve is another trouble than none."""
    return FailureCode.TEXT_INDEX_UNAVAILABLE if keys else FailureCode.COLUMN_NOT_INDEXED
