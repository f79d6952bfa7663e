"""Scores a trace again, under the numbers it was recorded with or under others.

It owns no arithmetic: the runtime's own stages do the work on the recorded answers, so a replay
under the recorded numbers gives the recorded ranking and floats exactly (``echo``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from esra import scoring
from esra.domain.capability import Scoring, SourceScoring
from esra.domain.codes import FailureCode
from esra.domain.hit import (
    Answer,
    Candidate,
    Given,
    NativeHit,
    NotAsked,
    Omitted,
    Ranked,
    RecordId,
    Semantic,
)
from esra.domain.outcome import Failed
from esra.domain.plan import PlanOrigin, Strategy
from esra.stages.aggregate import aggregate
from esra.stages.normalize import normalize
from esra.stages.rerank import final_order, order, shortlist
from esra.trace import PIPELINE, SCHEMA

Trace = Mapping[str, object]


class ForeignTrace(ValueError):
    """A trace of another schema or pipeline: its numbers would mean something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A trace as the stages' own records."""

    query: str
    now: float
    numbers: Scoring
    answers: tuple[Answer, ...]
    evidence: Mapping[str, float]
    semantic: Mapping[RecordId, Semantic]
    asked: tuple[RecordId, ...]
    ranking: tuple[tuple[RecordId, float], ...]
    reranked: bool
    modelled: frozenset[str] = frozenset()  # sources that a language model planned


def recorded(query: str, trace: Trace) -> Recorded:
    """The records in a trace; ``ForeignTrace`` where it was made by another pipeline."""
    if (trace.get("schema"), trace.get("pipeline")) != (SCHEMA, PIPELINE):
        raise ForeignTrace(f"query {query}: recorded by another version; record it again")
    ranking = trace["ranking"]
    return Recorded(
        query=query,
        now=trace["now"],
        numbers=numbers_of(trace["scoring"]),
        answers=tuple(_answer(answer) for answer in trace["answers"]),
        evidence=trace.get("evidence", {}),
        semantic={RecordId(*row[:3]): _semantic(row[3]) for row in ranking},
        asked=tuple(RecordId(*id) for id in trace["asked"]),
        ranking=tuple((RecordId(*row[:3]), row[4]) for row in ranking),
        reranked=trace["ordered_by"] == "final",
        modelled=frozenset(
            p["source"] for p in trace.get("plans", ()) if p["origin"] == PlanOrigin.MODEL
        ),
    )


def numbers_of(plain: Mapping[str, object]) -> Scoring:
    """The scoring numbers a trace holds."""
    sources = tuple((id, SourceScoring(**own)) for id, own in plain["sources"].items())
    return Scoring(**{**plain, "sources": sources})


def candidates(one: Recorded, numbers: Scoring) -> tuple[Candidate, ...]:
    """What the stages make of the recorded answers under ``numbers``."""
    kept = within_ceilings(one, numbers)
    found = normalize(kept, numbers, one.now, one.evidence).value
    return aggregate(found, numbers).value


def within_ceilings(one: Recorded, numbers: Scoring) -> tuple[Answer, ...]:
    """The recorded answers whose queries a plan under ``numbers`` still holds.

    A plan is cut from its end, so a lower ceiling leaves the queries before it; a higher one finds
    nothing that was not recorded. Only a language model may plan otherwise (``planned_anew``).
    """
    own = {source: numbers.of(source).ceiling for source in {a.source for a in one.answers}}
    return tuple(answer for answer in one.answers if answer.query < own[answer.source])


def planned_anew(one: Recorded, numbers: Scoring) -> bool:
    """Whether a language model would be told another ceiling than it was when it planned this."""
    return any(numbers.of(id).ceiling != one.numbers.of(id).ceiling for id in one.modelled)


def replay(one: Recorded, numbers: Scoring, *, cut: bool = False) -> tuple[Ranked, ...]:
    """The ranking under ``numbers``; a candidate no model saw stays "not asked".

    ``cut`` takes the scores away that the shortlist under ``numbers`` would not have asked for, as
    the runtime would not have them.
    """
    found, semantic = candidates(one, numbers), one.semantic
    if cut:
        wanted = {candidate.hit.id for candidate in shortlist(found, numbers.shortlist)}
        semantic = {id: said for id, said in semantic.items() if id in wanted}
    return order(found, semantic, numbers)


def echo(one: Recorded) -> bool:
    """Whether the replay under the recorded numbers is the recorded ranking, floats and all."""
    ranked = replay(one, one.numbers)
    return tuple((r.candidate.hit.id, r.final) for r in ranked) == one.ranking


def coverage(one: Recorded, numbers: Scoring) -> tuple[int, int]:
    """(records of the shortlist under ``numbers`` whose answer is recorded, its length)."""
    wanted = shortlist(candidates(one, numbers), numbers.shortlist)
    known = set(one.asked) if one.reranked else set()
    return sum(c.hit.id in known for c in wanted), len(wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """One trace's candidates as arrays, in the order that settles ties.

    ``semantic`` is NaN outside the given ones, which come first; the ``rest`` keeps its order.
    """

    ids: tuple[RecordId, ...]
    given: int
    semantic: NDArray[np.float64]
    weighted: NDArray[np.float64]


def lay(one: Recorded, assumed: float | None = None) -> Laid:
    """The candidates under the recorded numbers, ready to be ordered under many weights.

    ``assumed`` stands in for every score of the shortlist that was never recorded: with 0 and
    with 1 it bounds what is not known (RULINGS 38).
    """
    found = candidates(one, one.numbers)
    semantic = dict(one.semantic)
    if assumed is not None:
        known = set(one.asked) if one.reranked else set()
        wanted = (c.hit.id for c in shortlist(found, one.numbers.shortlist))
        semantic |= {id: Given(value=assumed) for id in wanted if id not in known}
    given = [c for c in found if isinstance(semantic.get(c.hit.id), Given)]
    given.sort(key=_tie)
    taken = {c.hit.id for c in given}
    others = [
        Ranked(candidate=c, semantic=semantic.get(c.hit.id, NotAsked()), final=c.weighted)
        for c in found
        if c.hit.id not in taken
    ]
    rest = [ranked.candidate for ranked in sorted(others, key=final_order)]
    values = [s.value for c in given if isinstance(s := semantic[c.hit.id], Given)]
    return Laid(
        ids=tuple(c.hit.id for c in (*given, *rest)),
        given=len(given),
        semantic=np.array(values, dtype=np.float64),
        weighted=np.array([c.weighted for c in given], dtype=np.float64),
    )


def sweep(laid: Laid, thousandths: Sequence[int], *, single: bool = False) -> NDArray[np.intp]:
    """[settings, candidates] positions in ``laid.ids``, best first, under each semantic share."""
    return blends(laid, [scoring.weights(share) for share in thousandths], single=single)


def blends(
    laid: Laid, weights: Sequence[tuple[float, float]], *, single: bool = False
) -> NDArray[np.intp]:
    """The same under each pair of rerank weights, of meaning and of words.

    ``single`` compares scores as 32-bit floats, as trec_eval does with an imported run.
    """
    pairs = np.array(weights, dtype=np.float64)
    final = scoring.blend(laid.semantic, laid.weighted, pairs[:, :1], pairs[:, 1:])
    if single:
        final = final.astype(np.float32)
    # Stable, over an order that already settles every tie.
    best = np.argsort(-final, axis=1, kind="stable")
    rest = np.arange(laid.given, len(laid.ids))
    return np.concatenate([best, np.broadcast_to(rest, (len(pairs), len(rest)))], axis=1)


def _tie(candidate: Candidate) -> scoring.OrderKey:
    hit = candidate.hit
    return scoring.order_key(
        scoring.GIVEN, 0.0, hit.tie, hit.id.source, hit.id.key, hit.id.relation
    )


def _answer(plain: Mapping[str, object]) -> Answer:
    source = plain["source"]
    failed = plain.get("failed")
    rows = plain.get("rows", ())
    return Answer(
        source=source,
        query=plain["query"],
        strategy=Strategy(plain["strategy"]),
        result=Failed(code=FailureCode(failed)) if failed else tuple(_hit(source, r) for r in rows),
        capped=plain["capped"],
    )


def _hit(source: str, row: Sequence) -> NativeHit:
    relation, key, native, timestamp, stale, tie = row
    return NativeHit(
        id=RecordId(source, relation, key),
        native=native,
        title="",
        fragment="",
        timestamp=timestamp,
        stale=stale,
        tie=tuple(tie),
    )


def _semantic(value: float | str) -> Semantic:
    if value == "omitted":
        return Omitted()
    if value == "not asked":
        return NotAsked()
    return Given(value=float(value))
