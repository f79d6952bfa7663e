"""Where ratings come home to: each source's under the query ids of its own folder.

A recording of several folders calls a query as their federation does: ``a/1`` where two folders
mean two questions by ``1``. A folder knows its own under ``1``. Another folder's question keeps the
federation's id in the folder that judges it, and is known there as that very question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eval.dataset import Federation

LISTED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """``ids[query]`` is the id under which a folder takes ratings of a query of the runs.

    ``guests`` are the queries that other folders ask and this one does not. ``unknown`` are those
    that no folder asks: nobody can say which question they are.
    """

    ids: Mapping[str, str] = field(default_factory=dict)
    guests: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def home(queries: Iterable[str], source: str, federation: Federation | None) -> Home:
    """The home of a source's ratings; without folders, or without a source, all ids stand."""
    queries = tuple(queries)
    if federation is None or not source:
        return Home(ids={query: query for query in queries})
    own = federation.own.get(source, {})
    asked = {query.id for query in federation.queries}
    return Home(
        ids={query: own.get(query, query) for query in queries if query in asked},
        guests=tuple(query for query in queries if query in asked and query not in own),
        unknown=tuple(query for query in queries if query not in asked),
    )


def listed(queries: Iterable[str]) -> str:
    """The first few by name."""
    named = [repr(query) for query in queries]
    return ", ".join(named[:LISTED]) + (", ..." if len(named) > LISTED else "")
