"""Why one result stands where it stands: every factor of a recorded query's order.

A query of the sealed part is not explained: whoever looks at it and then turns a number has chosen
the number by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from esra.domain.hit import Given, Match, Omitted, Ranked
from eval import record, runfolder
from eval.evidence import sealed
from eval.evidence.split import LEAST_GROUPS
from eval.misses import Known, cause, known
from eval.replay import recorded, replay
from eval.runs.arm import Document
from eval.runs.folders import RunFolder
from eval.table import pair
from eval.tune.verdict import Case

SHOWN = 10


class NotExplained(ValueError):
    """No such query in the run, or one that may not be looked at."""


class KeptSealed(NotExplained):
    """The query is kept for promotions."""


def explain(
    run: RunFolder, query: str, *, even_sealed: bool = False, shown: int = SHOWN
) -> dict[str, object]:
    """The first results with their factors, and the right documents that are not among them."""
    case = runfolder.read(run.path)
    if not even_sealed and query in case.groups and is_sealed(case, query):
        raise KeptSealed(
            f"query {query!r} is of the sealed part: to look at it and then turn a number would "
            "use it up as evidence"
        )
    trace: Mapping[str, Any] | None = next(
        (trace for id, trace in record.lines(run.path / runfolder.TRACES) if id == query), None
    )
    if trace is None:
        raise NotExplained(f"run {run.id} holds no query {query!r}")
    one = recorded(query, trace)
    grades = case.judgements.get(query, {})
    ranked = replay(one, one.numbers)
    return {
        "run": run.id,
        "query": query,
        "ordered_by": trace["ordered_by"],
        "numbers": {
            "semantic_weight": one.numbers.semantic_weight,
            "lexical_weight": one.numbers.lexical_weight,
            "match_bonus": one.numbers.match_bonus,
        },
        "warnings": [warning["code"] for warning in trace["warnings"]],
        "results": [_result(rank, row, grades) for rank, row in enumerate(ranked[:shown], 1)],
        "missing": _missing(trace, query, grades, min(shown, case.k), known.read(run.path)),
    }


def is_sealed(case: Case, query: str) -> bool:
    """Whether a query is kept for promotions. Under 60 groups nothing is."""
    if len(set(case.groups.values())) < LEAST_GROUPS:
        return False
    return bool(sealed([case.groups[query]])[0])


def as_text(found: Mapping[str, Any]) -> str:
    """For a terminal; an id is shown on one line whatever it holds."""
    lines = [f"{found['run']}, query {found['query']}, ordered by {found['ordered_by']}"]
    for row in found["results"]:
        grade = "unjudged" if row["grade"] is None else f"grade {row['grade']}"
        lines.append(
            f"{row['rank']:>3}. {row['source']} {row['key']}  ({grade})  final {row['final']:.4f} "
            f"= semantic {_number(row['semantic'])} and weighted {row['weighted']:.4f}"
        )
        lines += [
            f"       {match['strategy']} query {match['query']}: native {match['native']:.4g}, "
            f"normalised {match['normalised']:.4f} x priority {match['priority']:g} x freshness "
            f"{match['freshness']:.4f} x evidence {match['evidence']:.4f}"
            for match in row["matches"]
        ]
        if row["bonus"]:
            lines.append(f"       bonus {row['bonus']:+.4f}")
    for lost in found["missing"]:
        lines.append(f"  not shown: {lost['source']} {lost['key']} ({lost['why']})")
    return "\n".join("".join(c if c.isprintable() else "\ufffd" for c in line) for line in lines)


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4f}"


def _result(rank: int, row: Ranked, grades: Mapping[Document, int]) -> dict[str, object]:
    source, key = pair(row.candidate.hit.id)
    return {
        "rank": rank,
        "source": source,
        "key": key,
        "grade": grades.get((source, key)),
        "final": row.final,
        "semantic": _semantic(row),
        "weighted": row.candidate.weighted,
        "bonus": row.candidate.bonus,
        "matches": [_match(match) for match in row.candidate.matches],
    }


def _semantic(row: Ranked) -> float | str:
    if isinstance(row.semantic, Given):
        return row.semantic.value
    return "omitted" if isinstance(row.semantic, Omitted) else "not asked"


def _match(match: Match) -> dict[str, object]:
    return {
        "query": match.query,
        "strategy": str(match.strategy),
        "native": match.native,
        "normalised": match.normalised,
        "priority": match.priority,
        "freshness": match.freshness,
        "evidence": match.evidence,
    }


def _missing(
    trace: Mapping[str, Any], query: str, grades: Mapping[Document, int], k: int, looked: Known
) -> list[dict[str, object]]:
    right = sorted(document for document, grade in grades.items() if grade > 0)
    lost = ((document, cause(trace, query, document, k, looked)) for document in right)
    return [{"source": source, "key": key, "why": str(why)} for (source, key), why in lost if why]
