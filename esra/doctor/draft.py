"""Writes a first catalog of a database: what can be searched as it is, and what is missing for the
rest. Pure: makes text of what a server told. No address, secret or row is in it.
"""

import re

from esra.doctor import quote
from esra.doctor.block import face, source_block
from esra.doctor.choose import Choice, choose
from esra.doctor.missing import missing
from esra.doctor.toml import comments, string
from esra.domain.described import Server, Table
from esra.typed import typed

PROVIDER = "main"
# A slug has 26 characters, and a tool's name must not end like the one that fetches.
_LONGEST = 26


def draft(server: Server, reference: str, schema: str | None) -> str:
    """A catalog file. ``reference`` is where the address will be (``env:NAME``)."""
    chosen = _chosen(server)
    ids = source_ids([table for table, _ in chosen])
    lines = _head(server, reference, schema)
    if not chosen:
        lines += ["", *comments("Nothing can be searched as it is; what is missing stands below.")]
        lines += [f"{name} = []" for name in ("sources", "capabilities", "exposures")]
    lines += ["", f"[providers.{PROVIDER}]", 'engine = "postgres"', f"url = {string(reference)}"]
    for (table, choice), id in zip(chosen, ids, strict=True):
        lines += ["", *source_block(id, PROVIDER, table, choice, server)]
    if chosen:
        lines += ["", *face(slug_of(server.database), ids)]
    lines += ["", *missing(server)]
    return "\n".join(lines).rstrip() + "\n"


def searchable(server: Server) -> int:
    """How many of the relations the draft makes a source of."""
    return len(_chosen(server))


def slug_of(text: str) -> str:
    """What a tool may be called: ``a-z``, ``0-9`` and ``_``."""
    plain = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:_LONGEST].strip("_")
    return re.sub(r"(^|_)(fetch_?)+$", "", plain) or "search"


def variable_of(database: str) -> str:
    """The variable that is to hold the address."""
    return f"ESRA_{slug_of(database).upper()}_URL"


def source_ids(tables: list[Table]) -> list[str]:
    """An id for each, no two alike."""
    taken: list[str] = []
    for table in tables:
        plain = re.sub(r"[^a-z0-9]+", "_", table.name.lower()).strip("_") or "source"
        number = 1
        while (id := plain if number == 1 else f"{plain}_{number}") in taken:
            number += 1
        taken.append(id)
    return taken


def _chosen(server: Server) -> list[tuple[Table, Choice]]:
    made = ((table, choose(table)) for table in server.tables)
    return [(table, choice) for table, choice in made if isinstance(choice, Choice)]


def _head(server: Server, reference: str, schema: str | None) -> list[str]:
    where = f"schema {schema} of database" if schema else "database"
    kind, _, name = reference.partition(":")
    lines = comments(
        f"A first catalog of {where} {server.database}. Nothing in the database was changed.",
        f"Read it, change what is guessed, then: {typed('doctor')} --catalog FILE",
        "",
    )
    if kind == "env":
        lines += comments(
            "Where esra runs, the address of a role that only reads:",
            f"  export {name}='postgresql://esra_reader:PASSWORD@HOST:5432/DATABASE'",
        )
    if server.powers:
        lines += ["#", *_role(server)]
    return lines


def _role(server: Server) -> list[str]:
    """The statements for a role that may be used, since the one that looked may not."""
    schemas = sorted({table.schema for table, _ in _chosen(server)})
    grants = [f"GRANT USAGE ON SCHEMA {quote.name(name)} TO esra_reader;" for name in schemas]
    grants += [
        f"GRANT SELECT ON {quote.name(table.schema, table.name)} TO esra_reader;"
        for table, _ in _chosen(server)
    ]
    return comments(
        f"The role {server.role} {server.powers[0]}. esra refuses such a role; make one:",
        "  CREATE ROLE esra_reader LOGIN PASSWORD '...';",
        *(f"  {grant}" for grant in grants),
    )
