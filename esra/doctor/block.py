"""The blocks of a draft: a source with its mapping, and the capability and exposure over all.

Pure. What is guessed stands beside a comment; no field is offered until somebody opens it.
"""

from collections.abc import Sequence

from esra.doctor.choose import NUMBERS, TIMES, Choice, open_columns
from esra.doctor.storage import make_index
from esra.doctor.toml import comment, comments, string, strings
from esra.domain.described import Column, Kind, Server, Table
from esra.sources.searchable import unindexed
from esra.typed import typed

# Fields that are shown as a suggestion; more would hide the mapping they belong to.
_FIELDS = 20
_ORDERED = ("eq", "lt", "lte", "gt", "gte")


def source_block(id: str, provider: str, table: Table, choice: Choice, server: Server) -> list[str]:
    language = choice.language or server.language
    stamp = [] if choice.timestamp is None else [f"timestamp = {string(choice.timestamp)}"]
    return [
        comment(f"{table.schema}.{table.name}: {counted(table)}."),
        *comments(*(f"Guessed, look at it: {guess}." for guess in choice.guesses)),
        *_unserved(table, choice),
        "[[sources]]",
        f"id = {string(id)}",
        f"name = {string(_name(table.name) or id)}",
        f"provider = {string(provider)}",
        'description = ""  # what is in it, in a person\'s words: planners read this',
        "",
        "[[sources.mappings]]",
        f"id = {string(id)}",
        f"name = {string(_name(table.name) or id)}",
        f"schema = {string(table.schema)}",
        f"table = {string(table.name)}",
        f"key = {string(choice.key)}",
        f"title = {string(choice.title)}  # shown to every caller, and the text too",
        f"text = {string(choice.text)}",
        f"vector = {string(choice.vector)}",
        *stamp,
        f"language = {string(language.removeprefix('pg_catalog.'))}",
        *_fields(open_columns(table, choice)[:_FIELDS]),
    ]


def face(slug: str, ids: Sequence[str]) -> list[str]:
    """One capability over every source, published under one slug."""
    bindings = [
        line for id in ids for line in ("", "[[capabilities.bindings]]", f"source = {string(id)}")
    ]
    return [
        "[[capabilities]]",
        f"id = {string(slug)}",
        f"name = {string(_name(slug))}",
        'select = "all"       # or "statistics", "local", "model": which sources a question needs',
        'plan = "template"    # or "local", "model": the words to search with',
        'rerank = "none"      # or "local", "model": the order by meaning',
        *bindings,
        "",
        "[[exposures]]",
        f'slug = {string(slug)}  # {typed("retrieve")} {slug} "a question"',
        f"capability = {string(slug)}",
    ]


def counted(table: Table) -> str:
    if table.rows is None:
        return "rows not counted yet"
    return f"about {table.rows:,} rows"


def _name(text: str) -> str:
    """A title for people: ``order_lines`` is "Order lines"."""
    words = " ".join(text.replace("_", " ").split())
    return words[:1].upper() + words[1:]


def _unserved(table: Table, choice: Choice) -> list[str]:
    if table.kind is Kind.FOREIGN:
        return comments("It is kept on another server: see that the table there has an index.")
    if not any(unindexed(table, choice.vector)):
        return []
    return comments(
        "No index serves its text-search column, so searches are refused until one does:",
        f"  {make_index(table.kind, table.schema, table.name, choice.vector)}",
    )


def _fields(columns: Sequence[Column]) -> list[str]:
    """A suggestion, commented out: each field is one more thing that callers see or filter by."""
    if not columns:
        return []
    return [
        "# What callers may filter by and see. Take the # away from what is meant for them.",
        "# fields = [",
        *(f"#   {_field(column)}," for column in columns),
        "# ]",
    ]


def _field(column: Column) -> str:
    kind = _kind(column.type)
    operators = ("eq", "in") if kind == "text" else _ORDERED if kind != "boolean" else ("eq",)
    return (
        f"{{ name = {string(column.name)}, column = {string(column.name)}, type = {string(kind)}, "
        f"filterable = true, operators = {strings(operators)}, returnable = true }}"
    )


def _kind(type: str) -> str:
    if type in NUMBERS:
        return "number"
    if type in TIMES:
        return "timestamp"
    return "boolean" if type == "bool" else "text"
