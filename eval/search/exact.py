"""An exact line search over one number of recorded traces, by the runtime's own arithmetic.

The scores at the two ends of a stretch come from a replay; what lies between is a line, because
the number enters the final score linearly (``scoring.blend``, ``scoring.weight`` and, below the
cap, ``scoring.bonus``). A candidate's group (given, omitted, not asked) never changes, so a number
moves a candidate only inside its own group.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from esra import scoring
from esra.domain.capability import Scoring
from esra.domain.hit import Given, Omitted, Ranked
from eval import measures
from eval.evidence.scores import SAME
from eval.replay import Recorded, replay
from eval.search.lines import Curve, Lines, curve, joined, lay_out
from eval.search.tunables import Tunable, change, knees
from eval.table import Judgements, pair

NARROWEST = 1e-6  # of a number's range: no narrower stretch is halved again
Measured = tuple[Recorded, Mapping[tuple[str, str], int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best stretch of one number: any value strictly inside gives ``value``."""

    low: float
    high: float
    value: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


def search(
    recordings: Sequence[Recorded],
    judgements: Judgements,
    numbers: Scoring,
    one: Tunable,
    k: int = 10,
) -> tuple[Curve, Found]:
    """The whole curve of mean nDCG@k over one number, and its best stretch.

    Over the recordings that have a relevant document; ValueError where there is none, or where
    the number is no line (``Tunable.linear``).
    """
    if not one.linear:
        raise ValueError(f"{one} is not linear in the scores: it has a grid, not a line")
    known = [(r, judgements.get(r.query, {})) for r in recordings]
    measured = [(r, grades) for r, grades in known if measures.ideal(grades, k)]
    bends = knees(numbers, one)
    pieces = [
        piece for ends in pairwise(bends) for piece in _pieces(measured, numbers, one, ends, k)
    ]
    whole = joined(
        np.concatenate([pieces[0].edges[:1], *(piece.edges[1:] for piece in pieces)]),
        np.concatenate([piece.values for piece in pieces]),
    )
    low, high, value = whole.best()
    return whole, Found(low=low, high=high, value=value)


def _pieces(
    measured: Sequence[Measured], numbers: Scoring, one: Tunable, ends: tuple[float, float], k: int
) -> Iterator[Curve]:
    """The curves between two bends; halved where a record's matches disagree about its age.

    Its best match is then another one at each end, and its score bends where they are equal.
    """
    low, high = ends
    middle = (low + high) / 2
    queries = [
        lines_of(recorded, grades, change(numbers, one, low), change(numbers, one, high), k)
        for recorded, grades in measured
    ]
    bent = any(
        _bends(query, lines_of(recorded, grades, change(numbers, one, middle), None, k))
        for query, (recorded, grades) in zip(queries, measured, strict=True)
    )
    if bent and high - low > NARROWEST * (one.bounds.high - one.bounds.low):
        yield from _pieces(measured, numbers, one, (low, middle), k)
        yield from _pieces(measured, numbers, one, (middle, high), k)
    else:
        yield curve(lay_out(queries), low, high, k)


def _bends(query: Lines, middle: Lines) -> bool:
    straight = (query.at_low + query.at_high) / 2
    return bool(np.abs(straight - middle.at_low).max(initial=0.0) > SAME)


def lines_of(
    one: Recorded,
    grades: Mapping[tuple[str, str], int],
    at_low: Scoring,
    at_high: Scoring | None,
    k: int = 10,
) -> Lines:
    """One query's candidates as lines between two sets of numbers (None: flat ones)."""
    first = sorted(replay(one, at_low), key=_ties)
    last = first if at_high is None else replay(one, at_high)
    other = {ranked.candidate.hit.id: ranked.final for ranked in last}
    ideal = measures.dcg(np.array(measures.ideal(grades, k), dtype=np.float64), k)
    return Lines(
        at_low=np.array([ranked.final for ranked in first], dtype=np.float64),
        at_high=np.array([other[ranked.candidate.hit.id] for ranked in first], dtype=np.float64),
        block=np.array([_group(ranked) for ranked in first], dtype=np.int64),
        gain=np.array(
            [max(grades.get(pair(ranked.candidate.hit.id), 0), 0) for ranked in first],
            dtype=np.float64,
        ),
        ideal=float(ideal),
    )


def _group(ranked: Ranked) -> int:
    if isinstance(ranked.semantic, Given):
        return scoring.GIVEN
    return scoring.OMITTED if isinstance(ranked.semantic, Omitted) else scoring.NOT_ASKED


def _ties(ranked: Ranked) -> scoring.OrderKey:
    """The order of candidates whose scores are equal."""
    hit = ranked.candidate.hit
    return scoring.order_key(
        _group(ranked), 0.0, hit.tie, hit.id.source, hit.id.key, hit.id.relation
    )
