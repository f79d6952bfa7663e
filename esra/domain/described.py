"""What a server says of itself and of its relations, in its own names. Frozen; nothing acts here.

Goes from a provider to the doctor, to a draft and to the judge of ``sources.searchable``; like
``Relation`` it reaches no brief, response, warning or audit record.
"""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a relation is, by the server's own letter (``pg_class.relkind``)."""

    TABLE = "r"
    PARTITIONED = "p"
    MATERIALIZED = "m"
    VIEW = "v"
    FOREIGN = "f"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """``type`` is the server's short name (``text``, ``int4``), of a domain that below it.

    ``made`` is the expression or the trigger's arguments that fill it, "" where a client does.
    """

    name: str
    type: str
    readable: bool = True
    made: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextKey:
    """A part of an index that takes a ``tsvector``: of ``column``, or of an expression (None)."""

    column: str | None
    method: str
    valid: bool = True
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A table that holds rows of a relation: itself, each partition, or what a view reads."""

    name: str
    keys: tuple[TextKey, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSecurity:
    """``active`` for this role, admitted by ``policies`` of it; ``passed_by`` names the tables

    whose row security a view with its owner's rights does not apply to this role.
    """

    active: bool = False
    policies: int = 0
    passed_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A relation. ``rows`` is the planner's last count, None where it has none.

    ``unique`` are the columns that alone tell two rows apart, the primary key first;
    ``gathered`` says whether the planner knows what is in the columns; a materialised view that
    was never ``filled`` cannot be read.
    """

    schema: str
    name: str
    kind: Kind = Kind.TABLE
    columns: tuple[Column, ...] = ()
    unique: tuple[str, ...] = ()
    stores: tuple[Store, ...] = ()
    rows: int | None = None
    empty: bool = False
    filled: bool = True
    gathered: bool = True
    reachable: bool = True
    security: RowSecurity = RowSecurity()

    def column(self, name: str | None) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server as one role sees it; of the relations asked for, ``tables`` has those it has.

    ``powers`` are the reasons why the role may not read for esra; ``messages`` is the language
    of the server's words (``lc_messages``), ``encoding`` is that of the database's texts,
    ``language`` the one it reads texts in unless told otherwise; ``now`` its clock in seconds
    since the epoch; ``languages`` its text-search configurations as (schema, name).
    """

    database: str
    role: str
    powers: tuple[str, ...] = ()
    messages: str = "C"
    encoding: str = "UTF8"
    language: str = "pg_catalog.english"
    now: float = 0.0
    languages: frozenset[tuple[str, str]] = frozenset()
    tables: tuple[Table, ...] = ()
    left_out: int = 0

    def table(self, schema: str, name: str) -> Table | None:
        own = (table for table in self.tables if (table.schema, table.name) == (schema, name))
        return next(own, None)
