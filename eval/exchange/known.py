"""The queries that an import knows, each under one id: the folder's, a named file's, its own."""

from __future__ import annotations

from pathlib import Path

from eval.dataset.labels import QUERIES
from eval.dataset.records import Query
from eval.exchange.asked import Asked, new_query, read_asked
from eval.exchange.incoming import Incoming, Wish
from eval.exchange.same import Same, same_queries
from eval.formats.findings import Finding, Findings, FormatError, quoted


def known_queries(wish: Wish, come: Incoming, findings: Findings) -> tuple[Asked, Same]:
    """Queries of the folder imported into, of the file a person named, of the import itself; and
    which of those that come are the folder's under another id. Raises FormatError.
    """
    if wish.queries is not None and not wish.queries.exists():
        raise FormatError([Finding(file=str(wish.queries), line=0, message="is not there")])
    path = wish.target / QUERIES
    there = read_asked(path) if path.exists() else Asked()
    named = read_asked(wish.queries) if wish.queries else Asked()
    fresh = {**come.asked.queries, **named.queries}
    for id, text in come.sheet.texts.items():
        if id not in there.queries:
            fresh.setdefault(id, new_query(id, text, come.sheet.needs.get(id, "")))
    same = same_queries(there.queries, fresh, Path(wish.given), findings)
    queries: dict[str, Query] = {}
    lines: dict[str, bytes] = {}
    for part in (there, named, come.asked):
        for id, query in part.queries.items():
            if id in same.ids:
                continue
            first = queries.setdefault(id, query)
            if first is query and id in part.lines:
                lines[id] = part.lines[id]
            elif first.text != query.text:
                said = other_text(id, query.text, first.text)
                raise FormatError([Finding(file=wish.given, line=0, message=said)])
    return Asked(queries=queries, lines=lines), same


def other_text(id: str, here: str, there: str) -> str:
    """What is said of one id for two questions."""
    return f"query {quoted(id)} is {quoted(here)} here, {quoted(there)} there"
