"""Scores each query's hits over that query's own result set (stage 6, first half).

Pure: ``now`` comes in. Native scores are kept verbatim and never compared across sources.
"""

import numpy as np

from esra import scoring
from esra.domain.capability import Scoring
from esra.domain.codes import WarningCode
from esra.domain.hit import Answer, Match, NativeHit, Scored
from esra.domain.outcome import Failed, Outcome, Warn


def normalize(
    answers: tuple[Answer, ...], numbers: Scoring, now: float
) -> Outcome[tuple[Scored, ...]]:
    """Every usable hit with the factors of its ``weighted``; rows without a score are counted."""
    scored: list[Scored] = []
    dropped: dict[str, int] = {}
    for answer in answers:
        if isinstance(answer.result, Failed):
            continue
        hits = _usable(answer, dropped)
        scored.extend(_score(answer, _above_floor(answer, hits, numbers), numbers, now))
    warnings = tuple(
        Warn(code=WarningCode.ROWS_DISCARDED, source=source, count=count)
        for source, count in dropped.items()
    )
    return Outcome(value=tuple(scored), warnings=warnings)


def _usable(answer: Answer, dropped: dict[str, int]) -> list[NativeHit]:
    """Hits with a finite native score, each record once: its best row (RULINGS 4 and 5)."""
    assert not isinstance(answer.result, Failed)
    keep = scoring.finite([hit.native for hit in answer.result]).tolist()
    lost = len(keep) - sum(keep)
    if lost:
        dropped[answer.source] = dropped.get(answer.source, 0) + lost
    best: dict[object, NativeHit] = {}
    for hit, usable in zip(answer.result, keep, strict=True):
        other = best.get(hit.id)
        if usable and (other is None or hit.native > other.native):
            best[hit.id] = hit
    return list(best.values())


def _above_floor(answer: Answer, hits: list[NativeHit], numbers: Scoring) -> list[NativeHit]:
    floor = numbers.of(answer.source).native_floor
    return hits if floor is None else [hit for hit in hits if hit.native >= floor]


def _score(answer: Answer, hits: list[NativeHit], numbers: Scoring, now: float) -> list[Scored]:
    if not hits:
        return []
    own = numbers.of(answer.source)
    native = np.array([hit.native for hit in hits], dtype=np.float64)
    low, high = native.min(), native.max()
    normalised = scoring.normalise(native, low, high)
    age = np.array([np.nan if h.timestamp is None else now - h.timestamp for h in hits])
    half_life = np.nan if own.half_life is None else own.half_life
    fresh = scoring.freshness(age, half_life, numbers.freshness_floor) * np.where(
        [hit.stale for hit in hits], numbers.stale_weight, 1.0
    )
    weighted = scoring.weight(normalised, own.priority, fresh)
    return [
        Scored(
            hit=hit,
            match=Match(
                source=answer.source,
                query=answer.query,
                strategy=answer.strategy,
                native=float(hit.native),
                low=float(low),
                high=float(high),
                normalised=n,
                priority=own.priority,
                freshness=f,
                weighted=w,
            ),
        )
        for hit, n, f, w in zip(
            hits, normalised.tolist(), fresh.tolist(), weighted.tolist(), strict=True
        )
    ]
