"""Labels of the stages before the ranking: which sources are right, and which plan.

``source_qrels.tsv`` (query-id, source-id, score) grades sources, ``plans.jsonl`` holds the right
plan of a query for a source, in the words of `esra/domain/plan.py`. Both may be absent.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from esra.domain.plan import Strategy
from eval.dataset.fields import text_of, texts_of
from eval.dataset.objects import JsonLine, json_lines
from eval.formats.findings import Findings, quoted
from eval.formats.qrels import judgement_rows

SOURCES, PLANS = "source_qrels.tsv", "plans.jsonl"
_WORDS = ("required", "optional", "excluded", "phrases")


@dataclass(frozen=True, slots=True, kw_only=True)
class RightPlan:
    """What a good plan for this query and source has: its strategies, and the words it searches.

    A label and no query: it says what must be there, and nothing about what else may be.
    """

    query: str
    source: str
    strategies: tuple[Strategy, ...] = ()
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()

    def line(self) -> str:
        """The plan as a line of ``plans.jsonl``."""
        told = {"query": self.query, "source": self.source, "strategies": self.strategies}
        told |= {name: getattr(self, name) for name in _WORDS}
        return json.dumps({name: value for name, value in told.items() if value}, sort_keys=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """``sources[query][source]`` is a grade, above 0 is right; ``plans[query]`` by source."""

    sources: Mapping[str, Mapping[str, int]]
    plans: Mapping[str, Mapping[str, RightPlan]]

    def marks(self) -> tuple[list[bytes], list[bytes]]:
        """Both labels as sorted lines: equal content, equal bytes."""
        graded = [
            json.dumps([query, source, grade]).encode()
            for query, given in self.sources.items()
            for source, grade in given.items()
        ]
        planned = [plan.line().encode() for own in self.plans.values() for plan in own.values()]
        return sorted(graded), sorted(planned)


NONE = Stages(sources={}, plans={})


def read_stages(folder: Path, queries: Collection[str], findings: Findings) -> Stages:
    """The labels beside a folder's queries; those of an unknown query are counted and left out."""
    sources: dict[str, dict[str, int]] = {}
    graded, planned = folder / SOURCES, folder / PLANS
    for row in judgement_rows(graded, findings) if graded.exists() else ():
        if row.query in queries:
            sources.setdefault(row.query, {})[row.document] = int(row.grade)
        else:
            kind = "right source of an unknown query, left out"
            findings.count(kind, graded, row.line, quoted(row.query))
    plans = _plans(planned, queries, findings) if planned.exists() else {}
    return Stages(sources=sources, plans=plans)


def joined(parts: Iterable[tuple[Stages, Mapping[str, str]]]) -> Stages:
    """Labels of several folders as one; each comes with the new id of each of its queries.

    What two folders say of one query and source, the first of them decides.
    """
    sources: dict[str, dict[str, int]] = {}
    plans: dict[str, dict[str, RightPlan]] = {}
    for stages, ids in parts:
        for query, given in stages.sources.items():
            for source, grade in given.items():
                sources.setdefault(ids[query], {}).setdefault(source, grade)
        for query, own in stages.plans.items():
            for source, plan in own.items():
                plans.setdefault(ids[query], {}).setdefault(source, plan)
    return Stages(sources=sources, plans=plans)


def _plans(
    path: Path, queries: Collection[str], findings: Findings
) -> dict[str, dict[str, RightPlan]]:
    found: dict[str, dict[str, RightPlan]] = {}
    for row in json_lines(path, findings):
        plan = _plan(row, path, findings)
        if plan is None:
            continue
        if plan.query not in queries:
            kind = "right plan of an unknown query, left out"
            findings.count(kind, path, row.line, quoted(plan.query))
        elif found.setdefault(plan.query, {}).setdefault(plan.source, plan) != plan:
            said = f"plans {quoted(plan.query)} for {quoted(plan.source)} a second time: keep one"
            findings.refuse(path, row.line, said)
    return found


def _plan(row: JsonLine, path: Path, findings: Findings) -> RightPlan | None:
    query, source = (text_of(row, name, path, findings) for name in ("query", "source"))
    given = texts_of(row, "strategies", path, findings)
    unknown = [name for name in given if name not in Strategy.__members__.values()]
    if not query.strip() or not source.strip():
        findings.refuse(path, row.line, "names no query or no source: write both")
    elif unknown:
        said = f"names the strategy {quoted(unknown[0])}; there are {', '.join(Strategy)}"
        findings.refuse(path, row.line, said)
    else:
        words = {name: texts_of(row, name, path, findings) for name in _WORDS}
        return RightPlan(
            query=query, source=source, strategies=tuple(map(Strategy, given)), **words
        )
    return None
