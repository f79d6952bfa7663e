"""Lets a reranker judge a shortlist, and computes the final order itself (stage 7).

The reranker sees opaque ids, source names, titles and fragments: no key, no score, no restricted
field. Its array order means nothing. What it leaves out ranks below what it scored.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

from esra import scoring
from esra.briefs import CandidateBrief, RerankBrief
from esra.domain.capability import RerankForm, Scoring
from esra.domain.codes import AuditEvent, WarningCode
from esra.domain.hit import Candidate, Given, NotAsked, Omitted, Ranked, RecordId, Semantic
from esra.domain.invocation import Call
from esra.domain.outcome import Fact, Outcome, Warn
from esra.domain.ranking import OrderedBy, Ranking
from esra.domain.scope import Scope
from esra.domain.usage import Asked
from esra.ports import Reranker, Trouble, spent, within
from esra.reply import Unusable, read_rows


async def rerank(
    call: Call,
    scope: Scope,
    candidates: tuple[Candidate, ...],
    rerankers: Mapping[str, Reranker],
    seconds: float,
) -> Outcome[Ranking]:
    """Every candidate in its place."""
    if scope.forms.rerank is RerankForm.NONE or not candidates:
        return Outcome(value=_by_weighted(candidates))
    asked = shortlist(candidates, scope.scoring.shortlist)
    names = {opaque_id(call, c.hit.id): c.hit.id for c in asked}
    reranker = rerankers.get(scope.forms.rerank.value)
    if reranker is None:
        return _fallback(candidates, asked, "no reranker", None)
    cost = Asked(step="rerank", identity=reranker.identity)
    try:
        reply = await within(seconds, reranker.rerank(brief_rerank(call, scope, asked)))
        cost = replace(cost, usage=reply.usage)
        given = admit_scores(reply.text, frozenset(names))
    except (Trouble, Unusable) as trouble:
        cost = replace(cost, usage=cost.usage or spent(trouble))
        return _fallback(candidates, asked, type(trouble).__name__, cost)
    semantic: dict[RecordId, Semantic] = {
        record: Given(value=given[name]) if name in given else Omitted()
        for name, record in names.items()
    }
    omitted = len(names) - len(given)
    ranking = Ranking(
        ranked=order(candidates, semantic, scope.scoring),
        ordered_by=OrderedBy.FINAL,
        asked=tuple(c.hit.id for c in asked),
    )
    incomplete = Warn(code=WarningCode.RERANK_INCOMPLETE, count=omitted)
    return Outcome(
        value=ranking,
        warnings=(incomplete,) if omitted else (),
        facts=(_fact(len(asked), omitted=omitted, fallback=""),),
        asked=(cost,),
    )


def shortlist(candidates: tuple[Candidate, ...], size: int) -> tuple[Candidate, ...]:
    """Round-robin over the sources by id, each best weighted first (RULINGS 10).

    ``candidates`` come in the aggregated order.
    """
    lanes: dict[str, list[int]] = {}
    for position, candidate in enumerate(candidates):
        lanes.setdefault(candidate.hit.id.source, []).append(position)

    def best_first(lane: Sequence[int]) -> tuple[float, str]:
        first = candidates[lane[0]]
        return (-first.weighted, first.hit.id.source)

    taken = scoring.round_robin(sorted(lanes.values(), key=best_first), size)
    return tuple(candidates[position] for position in taken)


def opaque_id(call: Call, record: RecordId) -> str:
    """A result id from which no key, relation or source can be told; fresh for each invocation."""
    text = "\0".join((call.salt, call.id, record.source, record.relation, record.key))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def brief_rerank(call: Call, scope: Scope, asked: tuple[Candidate, ...]) -> RerankBrief:
    names = {scoped.source.id: scoped.source.name for scoped in scope.sources}
    return RerankBrief(
        prompt=call.prompt,
        candidates=tuple(
            CandidateBrief(
                resultId=opaque_id(call, candidate.hit.id),
                source=names[candidate.hit.id.source],
                title=candidate.hit.title,
                fragments=(candidate.hit.fragment,) if candidate.hit.fragment else (),
            )
            for candidate in asked
        ),
    )


def admit_scores(text: str, asked: frozenset[str]) -> dict[str, float]:
    """Usable scores by result id, from ``{"scores": [{"resultId", "score"}, ...]}``.

    Unknown ids are ignored; an id that stands twice, or whose score is no number in 0..1, counts
    as omitted. Text that is no such list is Unusable.
    """
    rows = read_rows(text, "scores")
    scores: dict[str, float] = {}
    twice: set[str] = set()
    for row in rows:
        if not isinstance(row, dict):
            continue
        id, score = row.get("resultId"), row.get("score")
        if not isinstance(id, str) or id not in asked:
            continue
        if id in scores or id in twice:
            twice.add(id)
            scores.pop(id, None)
        elif _is_score(score):
            scores[id] = float(score)
        else:
            twice.add(id)
    return scores


def _is_score(value: object) -> TypeGuard[float]:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return math.isfinite(value) and 0 <= value <= 1


def order(
    candidates: tuple[Candidate, ...], semantic: Mapping[RecordId, Semantic], numbers: Scoring
) -> tuple[Ranked, ...]:
    """Given, then omitted, then not asked; inside each by score, tie fields, source and key."""
    given = [c for c in candidates if isinstance(semantic.get(c.hit.id), Given)]
    values = [s.value for c in given if isinstance(s := semantic[c.hit.id], Given)]
    finals = scoring.blend(
        values, [c.weighted for c in given], numbers.semantic_weight, numbers.lexical_weight
    )
    final = dict(zip((c.hit.id for c in given), finals.tolist(), strict=True))
    ranked = (
        Ranked(
            candidate=c,
            semantic=semantic.get(c.hit.id, NotAsked()),
            final=final.get(c.hit.id, c.weighted),
        )
        for c in candidates
    )
    return tuple(sorted(ranked, key=final_order))


def final_order(ranked: Ranked) -> scoring.OrderKey:
    match ranked.semantic:
        case Given():
            group = scoring.GIVEN
        case Omitted():
            group = scoring.OMITTED
        case NotAsked():
            group = scoring.NOT_ASKED
    id = ranked.candidate.hit.id
    return scoring.order_key(
        group, ranked.final, ranked.candidate.hit.tie, id.source, id.key, id.relation
    )


def _by_weighted(candidates: tuple[Candidate, ...]) -> Ranking:
    return Ranking(
        ranked=tuple(
            Ranked(candidate=c, semantic=NotAsked(), final=c.weighted) for c in candidates
        ),
        ordered_by=OrderedBy.WEIGHTED,
    )


def _fallback(
    candidates: tuple[Candidate, ...],
    asked: tuple[Candidate, ...],
    reason: str,
    cost: Asked | None,
) -> Outcome[Ranking]:
    return Outcome(
        value=_by_weighted(candidates),
        warnings=(Warn(code=WarningCode.RERANK_FALLBACK),),
        facts=(_fact(len(asked), omitted=0, fallback=reason),),
        asked=() if cost is None else (cost,),
    )


def _fact(asked: int, *, omitted: int, fallback: str) -> Fact:
    return Fact(
        event=AuditEvent.RERANK,
        values=(("asked", asked), ("omitted", omitted), ("fallback", fallback)),
    )
