"""What the doctor finds wrong with one mapping: its language, relation, columns and rights.

Pure: judges what a server told, asks nobody.
"""

from collections.abc import Iterator

from esra.doctor import quote
from esra.doctor.finding import Fault, Finding, error
from esra.doctor.storage import storage_findings
from esra.domain.codes import FailureCode
from esra.domain.described import Column, Server, Table
from esra.domain.source import FieldType, Mapping, Relation
from esra.sources.searchable import VECTOR, has_language
from esra.typed import typed

_NUMBERS = frozenset({"int2", "int4", "int8", "float4", "float8", "numeric"})
# As a float two large numbers are one, and so would be two callers.
_EXACT = _NUMBERS - {"float4", "float8"}
_TIMES = frozenset({"date", "timestamp", "timestamptz"})
# Server types a field of each type may have; text may be anything that can be written out.
_TYPES = {
    FieldType.NUMBER: _NUMBERS,
    FieldType.BOOLEAN: frozenset({"bool"}),
    FieldType.TIMESTAMP: _TIMES,
}


def mapping_findings(about: str, mapping: Mapping, server: Server) -> Iterator[Finding]:
    """Every fault of the mapping, the gravest first."""
    relation = mapping.relation
    yield from _language(about, relation, server)
    table = server.table(relation.schema, relation.table)
    if table is None:
        yield error(
            Fault.RELATION_MISSING,
            about,
            f"database {quote.name(server.database)} has no relation {quote.relation(relation)}",
            "mend schema and table of the mapping, or the database of its provider",
        )
        return
    yield from _columns(about, mapping, table, server.role)
    yield from storage_findings(about, relation, table, server.role)


def _language(about: str, relation: Relation, server: Server) -> Iterator[Finding]:
    if has_language(server, relation.language):
        return
    elsewhere = sorted(s for s, name in server.languages if name == relation.language)
    known = sorted(name for schema, name in server.languages if schema == "pg_catalog")
    better = f'write language = "{elsewhere[0]}.{relation.language}"' if elsewhere else ""
    yield error(
        Fault.LANGUAGE_UNKNOWN,
        about,
        f"the server has no text-search configuration {relation.language!r}: "
        f"searches are refused ({FailureCode.TEXT_INDEX_UNAVAILABLE.value})",
        better
        or f"choose one of {quote.listed(known)}, or make it with CREATE TEXT SEARCH CONFIGURATION",
    )


def _columns(about: str, mapping: Mapping, table: Table, role: str) -> Iterator[Finding]:
    wanted = _wanted(mapping)
    for column, types in wanted.items():
        found = table.column(column)
        if found is None:
            yield error(
                Fault.COLUMN_MISSING,
                about,
                f"{quote.relation(mapping.relation)} has no column {quote.name(column)}",
                f"name one of {quote.listed([c.name for c in table.columns][:20])}",
            )
        elif types and found.type not in types:
            yield error(
                Fault.COLUMN_TYPE,
                about,
                f"column {quote.name(column)} is {found.type}, and the catalog uses it as "
                f"{quote.listed(sorted(types))}",
                _other_type(mapping.relation, found),
            )
    yield from _rights(about, mapping.relation, table, list(wanted), role)


def _wanted(mapping: Mapping) -> dict[str, frozenset[str]]:
    """Every column the mapping names, and the server types it may have (empty: any)."""
    relation, anything = mapping.relation, frozenset[str]()
    wanted = dict.fromkeys((relation.key, relation.title, relation.text), anything)
    wanted[relation.vector] = frozenset({VECTOR})
    if relation.timestamp is not None:
        wanted[relation.timestamp] = _TIMES
    for field in mapping.fields:
        wanted[field.column] = _TYPES.get(field.type) or wanted.get(field.column, anything)
    for rule in (rule for group in mapping.record_filter for rule in group):
        types = _EXACT if rule.type is FieldType.NUMBER else _TYPES.get(rule.type)
        wanted[rule.column] = types or wanted.get(rule.column, anything)
    return wanted


def _other_type(relation: Relation, found: Column) -> str:
    if found.name != relation.vector:
        return "give the field the type of its column, or name another column"
    return f"name a column of type {VECTOR}, or add one (`{typed('draft')}` writes the statement)"


def _rights(
    about: str, relation: Relation, table: Table, columns: list[str], role: str
) -> Iterator[Finding]:
    closed = [c.name for c in table.columns if c.name in columns and not c.readable]
    if table.reachable and not closed:
        return
    grants = [] if table.reachable else [f"GRANT USAGE ON SCHEMA {quote.name(table.schema)} TO"]
    what = f" ({quote.listed([quote.name(c) for c in closed])})"
    all_closed = len(closed) == len([c for c in table.columns if c.name in columns])
    if closed:
        columns_closed = "" if all_closed else what
        grants.append(f"GRANT SELECT{columns_closed} ON {quote.relation(relation)} TO")
    yield error(
        Fault.NOT_PERMITTED,
        about,
        f'the role "{role}" may not read {quote.relation(relation)}'
        + (what if closed and not all_closed else ""),
        " ".join(f"{grant} {quote.name(role)};" for grant in grants),
    )
