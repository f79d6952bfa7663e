"""Scores each query's hits over that query's own result set (stage 6, first half).

Pure: ``now`` comes in. Native scores are kept verbatim and never compared across sources.
"""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from esra import scoring
from esra.domain.capability import Scoring, SourceScoring
from esra.domain.codes import WarningCode
from esra.domain.hit import Answer, Match, NativeHit, RecordId, Scored
from esra.domain.outcome import Failed, Outcome, Warn

# Where nobody knows how far a source's words speak for the question, every source counts whole.
NO_EVIDENCE: Mapping[str, float] = MappingProxyType({})

# A hit with its native score, which is there and finite.
Native = tuple[float, NativeHit]


def normalize(
    answers: tuple[Answer, ...],
    numbers: Scoring,
    now: float,
    evidence: Mapping[str, float] = NO_EVIDENCE,
) -> Outcome[tuple[Scored, ...]]:
    """Every usable hit with the factors of its ``weighted``; rows without a score are counted.

    ``evidence`` by source, 0..1; a source that has none is not weighed by it.
    """
    scored: list[Scored] = []
    dropped: dict[str, int] = {}
    for answer in answers:
        if isinstance(answer.result, Failed):
            continue
        usable = _usable(answer.result)
        lost = len(answer.result) - len(usable)
        if lost:
            dropped[answer.source] = dropped.get(answer.source, 0) + lost
        best = _once(usable, numbers.of(answer.source))
        known = evidence.get(answer.source, math.nan)
        scored.extend(_score(answer, best, numbers, now, known))
    warnings = tuple(
        Warn(code=WarningCode.ROWS_DISCARDED, source=source, count=count)
        for source, count in dropped.items()
    )
    return Outcome(value=tuple(scored), warnings=warnings)


def _usable(hits: Sequence[NativeHit]) -> list[Native]:
    """The hits whose native score is a finite number (RULINGS 5)."""
    return [
        (float(hit.native), hit)
        for hit in hits
        if hit.native is not None and math.isfinite(hit.native)
    ]


def _once(found: list[Native], own: SourceScoring) -> list[Native]:
    """Each record's best row, at or above the source's own floor (RULINGS 2 and 4)."""
    best: dict[RecordId, Native] = {}
    for score, hit in found:
        if hit.id not in best or score > best[hit.id][0]:
            best[hit.id] = (score, hit)
    floor = own.native_floor
    return [one for one in best.values() if floor is None or one[0] >= floor]


def _score(
    answer: Answer, found: list[Native], numbers: Scoring, now: float, evidence: float
) -> list[Scored]:
    if not found:
        return []
    own, hits = numbers.of(answer.source), [hit for _, hit in found]
    native = np.array([score for score, _ in found], dtype=np.float64)
    low, high = native.min(), native.max()
    normalised = scoring.normalise(native, low, high)
    age = [np.nan if hit.timestamp is None else now - hit.timestamp for hit in hits]
    half_life = np.nan if own.half_life is None else own.half_life
    fresh = scoring.demote(
        scoring.freshness(age, half_life, numbers.freshness_floor),
        [hit.stale for hit in hits],
        numbers.stale_weight,
    )
    evident = float(scoring.evidence(evidence, numbers.evidence_floor))
    weighted = scoring.weight(normalised, own.priority, fresh, evident)
    columns = (native, normalised, fresh, weighted)
    return [
        Scored(
            hit=hit,
            match=Match(
                source=answer.source,
                query=answer.query,
                strategy=answer.strategy,
                native=score,
                low=float(low),
                high=float(high),
                normalised=n,
                priority=own.priority,
                freshness=f,
                evidence=evident,
                weighted=w,
            ),
        )
        for hit, score, n, f, w in zip(hits, *(c.tolist() for c in columns), strict=True)
    ]
