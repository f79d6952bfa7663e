"""Makes each record one candidate: the best match counts, every match is kept (stage 6).

Being found by *other queries* is weak positive evidence and earns a capped bonus.
"""

from esra import scoring
from esra.domain.capability import Scoring
from esra.domain.hit import Candidate, Match, RecordId, Scored
from esra.domain.outcome import Outcome


def aggregate(scored: tuple[Scored, ...], numbers: Scoring) -> Outcome[tuple[Candidate, ...]]:
    """Candidates, best weighted first; ties in the answer's total order."""
    found: dict[RecordId, list[Scored]] = {}
    for one in scored:
        found.setdefault(one.hit.id, []).append(one)
    groups = list(found.values())
    # Equal values: the earlier query's hit is kept, so that the order of arrival decides nothing.
    best = [min(group, key=lambda one: (-one.match.weighted, one.match.query)) for group in groups]
    bonus = scoring.bonus([len(group) for group in groups], numbers.match_bonus, numbers.bonus_cap)
    weighted = scoring.merged([one.match.weighted for one in best], bonus)
    candidates = (
        Candidate(hit=one.hit, matches=_matches(group), bonus=extra, weighted=total)
        for one, group, extra, total in zip(
            best, groups, bonus.tolist(), weighted.tolist(), strict=True
        )
    )
    return Outcome(value=tuple(sorted(candidates, key=weighted_order)))


def _matches(group: list[Scored]) -> tuple[Match, ...]:
    return tuple(one.match for one in sorted(group, key=lambda one: one.match.query))


def weighted_order(candidate: Candidate) -> scoring.OrderKey:
    """The order by ``weighted`` alone."""
    id = candidate.hit.id
    return scoring.order_key(
        scoring.NOT_ASKED, candidate.weighted, candidate.hit.tie, id.source, id.key, id.relation
    )
