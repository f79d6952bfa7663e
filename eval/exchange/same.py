"""Queries that come under a new id and are one that is there: a question of a folder has one id.

Two ids of one question part its judgements: each is measured on half of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eval.dataset.records import Query
from eval.evidence import normal_form
from eval.formats.findings import Findings, quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class Same:
    """``ids[query]`` is the id that the folder has for a query of the file; ``notes`` say so."""

    ids: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def same_queries(
    there: Mapping[str, Query], come: Mapping[str, Query], path: Path, findings: Findings
) -> Same:
    """Which of the queries that come are queries of the folder, by their text.

    Another need or another date makes another question, and that is noted; so is one that the file
    tells apart itself, since it has both ids. Refused is one that several queries of the folder
    may be.
    """
    asked: dict[str, list[Query]] = {}
    for query in there.values():
        asked.setdefault(normal_form(query.text), []).append(query)
    ids: dict[str, str] = {}
    notes = []
    for query in come.values():
        known = asked.get(normal_form(query.text), [])
        if query.id in there or not known:
            continue
        alike = [one for one in known if _alike(one, query) and one.id not in come]
        named = ", ".join(quoted(one.id) for one in alike or known)
        if len(alike) > 1:
            said = f"query {quoted(query.id)} is asked by several queries of the folder ({named})"
            findings.refuse(path, 0, f"{said}: write the id of the one that was judged")
        elif alike:
            ids[query.id] = alike[0].id
            notes.append(f"query {quoted(query.id)} has the text of {named}, and is taken for it")
        else:
            said = f"query {quoted(query.id)} has the text of {named}, and is told apart from it"
            notes.append(f"{said} by its need, its date, or the file: it is a query of its own")
    return Same(ids=ids, notes=tuple(notes))


def _alike(one: Query, other: Query) -> bool:
    needs = {normal_form(query.need) for query in (one, other) if query.need}
    dates = {query.date for query in (one, other) if query.date}
    return len(needs) < 2 and len(dates) < 2
