"""What the doctor finds wrong with how a relation is kept: its index, its rows, who sees them.

Pure: judges what a server told, asks nobody.
"""

from collections.abc import Iterator

from esra.doctor import quote
from esra.doctor.finding import Fault, Finding, error, warning
from esra.domain.codes import FailureCode
from esra.domain.described import Kind, Table
from esra.domain.source import Relation
from esra.sources.searchable import VECTOR, unindexed


def storage_findings(about: str, relation: Relation, table: Table, role: str) -> Iterator[Finding]:
    yield from _index(about, relation, table)
    yield from _rows(about, relation, table)
    yield from _security(about, relation, table, role)


def _index(about: str, relation: Relation, table: Table) -> Iterator[Finding]:
    name = quote.relation(relation)
    column = table.column(relation.vector)
    if column is None or column.type != VECTOR:
        return
    if table.kind is Kind.FOREIGN:
        yield warning(
            Fault.INDEX_UNSEEN,
            about,
            f"{name} lives on another server, whose indexes cannot be seen from here",
            "see that the table there has a GIN index on the column",
        )
        return
    for store, code in unindexed(table, relation.vector):
        missing = code is FailureCode.COLUMN_NOT_INDEXED
        what = "no index serves" if missing else "an unfinished, partial or other index is on"
        where = "" if store == table.name else f" in {quote.name(store)}"
        make = make_index(table.kind, relation.schema, relation.table, relation.vector)
        yield error(
            Fault.INDEX_MISSING if missing else Fault.INDEX_UNUSABLE,
            about,
            f"{what} column {quote.name(relation.vector)} of {name}{where}: "
            f"searches are refused ({code.value})",
            make if missing else f"drop that index; {make}",
        )


def make_index(kind: Kind, schema: str, table: str, vector: str) -> str:
    """What somebody who may change the database does about a missing index."""
    if kind is Kind.VIEW:
        return "give the table below the view a GIN index on its tsvector column"
    # The server makes no index of a partitioned table beside its writers.
    how = "" if kind is Kind.PARTITIONED else "CONCURRENTLY "
    return f"CREATE INDEX {how}ON {quote.name(schema, table)} USING gin ({quote.name(vector)});"


def _rows(about: str, relation: Relation, table: Table) -> Iterator[Finding]:
    name = quote.relation(relation)
    if not table.filled:
        yield error(
            Fault.NEVER_FILLED,
            about,
            f"{name} was never filled: searches fail ({FailureCode.TEXT_INDEX_UNAVAILABLE.value})",
            f"REFRESH MATERIALIZED VIEW {name};",
        )
    elif table.empty:
        yield warning(
            Fault.RELATION_EMPTY,
            about,
            f"{name} has no rows",
            "load its records",
        )
    if not table.gathered:
        yield warning(
            Fault.NO_STATISTICS,
            about,
            f"the planner knows nothing of {name}, so that it may choose a slow way",
            f"ANALYZE {name};",
        )
    stored = table.kind in (Kind.TABLE, Kind.PARTITIONED, Kind.MATERIALIZED)
    if stored and table.column(relation.key) and relation.key not in table.unique:
        yield warning(
            Fault.KEY_NOT_UNIQUE,
            about,
            f"nothing keeps key {quote.name(relation.key)} unique: records that share one are one",
            f"CREATE UNIQUE INDEX ON {name} ({quote.name(relation.key)});",
        )


def _security(about: str, relation: Relation, table: Table, role: str) -> Iterator[Finding]:
    name = quote.relation(relation)
    security = table.security
    if security.active and not security.policies:
        yield error(
            Fault.ROW_SECURITY,
            about,
            f'row security of {name} hides every row from role "{role}"',
            f"CREATE POLICY ... ON {name} FOR SELECT TO {quote.name(role)} USING (...);",
        )
    elif security.active:
        yield warning(
            Fault.ROW_SECURITY,
            about,
            f"row security of {name} decides what is found, by the role alone: "
            "esra sets no tenant for a policy to read",
            "see that the policy does not read a setting, and let the mapping's record filter "
            "tell callers apart",
        )
    if security.passed_by:
        yield error(
            Fault.ROW_SECURITY_BYPASSED,
            about,
            f"the view {name} reads with its owner's rights, past the row security of "
            + quote.listed([quote.name(table) for table in security.passed_by]),
            f"ALTER VIEW {name} SET (security_invoker = true);",
        )
