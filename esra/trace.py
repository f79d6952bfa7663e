"""A trace: everything one invocation saw and decided, as plain JSON values.

It is the pivot between runtime and workbench: with it the same stages compute the same floats
again under other numbers. Titles and fragments stay out, only how long they are together stands
there; the prompt is there as retention allows.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from esra.domain.capability import Scoring
from esra.domain.hit import Answer, Given, NativeHit, NotAsked, Omitted, RecordId
from esra.domain.invocation import Call
from esra.domain.outcome import Failed
from esra.domain.plan import SourcePlan
from esra.domain.ranking import Ranking
from esra.domain.response import Response
from esra.domain.scope import Scope, ScopedSource
from esra.domain.usage import Asked

# Raised when what stands in a trace would mean something else. A key that is new beside the others
# raises nothing: what was recorded without it stays readable, and nobody pays for it twice.
SCHEMA = 1
PIPELINE = 1  # raised when a stage would order the same trace differently


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the stages of one invocation produced."""

    scope: Scope
    chosen: tuple[ScopedSource, ...]
    plans: tuple[SourcePlan, ...]
    answers: tuple[Answer, ...]
    evidence: Mapping[str, float]
    ranking: Ranking
    calls: tuple[Asked, ...] = ()


def trace_of(call: Call, seen: Seen, response: Response, prompt: str | None) -> dict[str, object]:
    """The trace of one invocation."""
    scope, ranking = seen.scope, seen.ranking
    return {
        "schema": SCHEMA,
        "pipeline": PIPELINE,
        "invocation": call.id,
        "exposure": call.exposure,
        "capability": scope.capability,
        "configuration": scope.version,
        "revision": asdict(scope.revision),
        "now": call.now,
        "prompt": prompt,
        "forms": {k: str(v) for k, v in asdict(scope.forms).items()},
        "scoring": scoring_json(scope.scoring),
        "scope": [scoped.source.id for scoped in scope.sources],
        "chosen": [scoped.source.id for scoped in seen.chosen],
        "plans": [_plan(plan) for plan in seen.plans],
        "answers": [_answer(answer) for answer in seen.answers],
        "evidence": dict(seen.evidence),
        "asked": [_id(record) for record in ranking.asked],
        "ordered_by": ranking.ordered_by.value,
        "ranking": [
            [*_id(one.candidate.hit.id), _semantic(one.semantic), one.final]
            for one in ranking.ranked
        ],
        "lengths": [_length(one.candidate.hit) for one in ranking.ranked],
        "shown": len(response.results),
        "calls": [asdict(asked) for asked in seen.calls],
        "warnings": [asdict(warning) for warning in response.warnings],
        "notices": [asdict(notice) for notice in response.notices],
    }


def scoring_json(numbers: Scoring) -> dict[str, object]:
    """The numbers as plain JSON; ``sources`` keyed by source id."""
    plain = asdict(numbers)
    plain["sources"] = {id: asdict(own) for id, own in numbers.sources}
    return plain


def _plan(plan: SourcePlan) -> dict[str, object]:
    strategies = [query.strategy.value for query in plan.queries]
    return {"source": plan.source, "origin": plan.origin.value, "strategies": strategies}


def _answer(answer: Answer) -> dict[str, object]:
    head = {
        "source": answer.source,
        "query": answer.query,
        "strategy": answer.strategy.value,
        "capped": answer.capped,
        "seconds": answer.seconds,
    }
    if isinstance(answer.result, Failed):
        return {**head, "failed": answer.result.code.value}
    return {**head, "rows": [_row(hit) for hit in answer.result]}


def _row(hit: NativeHit) -> list[object]:
    return [hit.id.relation, hit.id.key, hit.native, hit.timestamp, hit.stale, list(hit.tie)]


def _length(hit: NativeHit) -> int:
    """Characters of title and fragment: what a reader's context window would hold of the record."""
    return len(hit.title) + len(hit.fragment)


def _id(record: RecordId) -> list[str]:
    return [record.source, record.relation, record.key]


def _semantic(semantic: Given | Omitted | NotAsked) -> float | str:
    match semantic:
        case Given(value=value):
            return value
        case Omitted():
            return "omitted"
        case NotAsked():
            return "not asked"
