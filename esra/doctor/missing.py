"""The end of a draft: what is not a source, why, and the statements that would make it one. Pure.

The statements are comments: a draft changes nothing, and whoever may change the database decides.
"""

from collections.abc import Iterator, Sequence

from esra.doctor import quote
from esra.doctor.block import counted
from esra.doctor.choose import Unfit, choose
from esra.doctor.toml import comment, comments
from esra.domain.described import Kind, Server, Table


def missing(server: Server) -> list[str]:
    """Comment lines, none where everything is a source."""
    lines: list[str] = []
    for table in server.tables:
        unfit = choose(table)
        if isinstance(unfit, Unfit):
            lines += ["", *_one(table, unfit, server.language)]
    if server.left_out:
        lines += ["", comment(f"{server.left_out} more relations; name one schema by --schema.")]
    return lines and ["# Not a source:", *lines]


def _one(table: Table, unfit: Unfit, language: str) -> Iterator[str]:
    yield comment(f"{table.schema}.{table.name} ({counted(table)}): {unfit.why}.")
    if not unfit.texts:
        return
    match table.kind:
        case Kind.TABLE | Kind.PARTITIONED:
            yield from comments(
                "  Whoever may change it runs:", *_statements(table, unfit, language)
            )
        case Kind.VIEW | Kind.MATERIALIZED:
            yield comment("  Give it one from a table below, or build one in its query.")
        case Kind.FOREIGN:
            yield comment("  It is kept on another server; give it one there.")


def _statements(table: Table, unfit: Unfit, language: str) -> Sequence[str]:
    where, column = quote.name(table.schema, table.name), quote.name(_free(table))
    parts = " || ' ' || ".join(f"coalesce({quote.name(name)}::text, '')" for name in unfit.texts)
    made = f"GENERATED ALWAYS AS (to_tsvector({quote.text(language)}, {parts})) STORED"
    # The server makes no index of a partitioned table beside its writers.
    how = "CONCURRENTLY " if table.kind is Kind.TABLE else ""
    return (
        f"    ALTER TABLE {where} ADD COLUMN {column} tsvector {made};",
        f"    CREATE INDEX {how}ON {where} USING gin ({column});",
        f"    ANALYZE {where};",
    )


def _free(table: Table) -> str:
    """A name that no column has."""
    taken = {column.name for column in table.columns}
    return next(
        name
        for n in range(len(taken) + 1)
        if (name := f"search_{n}" if n else "search") not in taken
    )
