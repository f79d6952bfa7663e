"""Why one query's list is as it is: every factor of every candidate, and what lost the others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from esra.domain.hit import Given, Omitted, Ranked
from eval.measure.arm import Arm, NotAnArm, Record
from eval.misses import cause
from eval.replay import recorded, replay

FACTORS = ("native", "low", "high", "normalised", "priority", "freshness", "evidence", "weighted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """rows: a candidate each, in the order of the ranking; lost: right documents not among the
    first k, and the cause of each.
    """

    arm: str
    query: str
    prompt: str | None
    rows: tuple[Mapping[str, Any], ...]
    lost: tuple[tuple[Record, str], ...]


def explain(arm: Arm, query: str, k: int) -> Explained:
    """By a replay under the recorded numbers, which is the runtime. NotAnArm without a trace."""
    trace = arm.traces.get(query)
    if trace is None:
        why = "an imported run has no factors" if arm.imported else "it was not recorded"
        raise NotAnArm(f"--explain {query!r}: no trace of it in {arm.name}; {why}")
    one = recorded(query, trace)
    grades = arm.judgements.get(query, {})
    right = sorted(record for record, grade in grades.items() if grade > 0)
    causes = [(record, cause(trace, query, record, k, arm.known)) for record in right]
    return Explained(
        arm=arm.name,
        query=query,
        prompt=trace["prompt"],
        rows=tuple(
            _row(place, ranked, grades)
            for place, ranked in enumerate(replay(one, one.numbers), start=1)
        ),
        lost=tuple((record, why.value) for record, why in causes if why is not None),
    )


def _row(place: int, ranked: Ranked, grades: Mapping[Record, int]) -> Mapping[str, Any]:
    candidate = ranked.candidate
    id = candidate.hit.id
    return {
        "rank": place,
        "source": id.source,
        "relation": id.relation,
        "key": id.key,
        "grade": grades.get((id.source, id.key)),
        "matches": [
            {
                "query": match.query,
                "strategy": match.strategy.value,
                **{name: getattr(match, name) for name in FACTORS},
            }
            for match in candidate.matches
        ],
        "bonus": candidate.bonus,
        "weighted": candidate.weighted,
        "semantic": _semantic(ranked),
        "final": ranked.final,
    }


def _semantic(ranked: Ranked) -> float | str:
    match ranked.semantic:
        case Given(value=value):
            return value
        case Omitted():
            return "omitted"
    return "not asked"
