"""An exact line search over one number of recorded traces, by the runtime's own arithmetic.

The scores at the two ends of a stretch come from a bulk replay; what lies between is a line,
because the number enters the final score linearly (``scoring.blend``, ``scoring.weight`` and, below
the cap, ``scoring.bonus``). A candidate's group (given, omitted, not asked) never changes, so a
number moves a candidate only inside its own group.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from esra.domain.capability import Scoring
from eval import measures
from eval.bulk import Bulk, Floats, Labels, Mask, order
from eval.evidence.scores import SAME
from eval.search.lines import Curve, Lines, curve, joined, lay_out
from eval.search.tunables import Tunable, change, knees

NARROWEST = 1e-6  # of a number's range: no narrower stretch is halved again


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
    bulk: Bulk, labels: Labels, numbers: Scoring, one: Tunable, chosen: Mask | None = None
) -> tuple[Curve, Found]:
    """The whole curve of mean nDCG@k over one number, and its best stretch.

    Over the measured queries, or those of them that are ``chosen`` [Q]. ValueError where there is
    none, or where the number is no line (``Tunable.linear``).
    """
    if not one.linear:
        raise ValueError(f"{one} is not linear in the scores: it has a grid, not a line")
    wanted = labels.measured if chosen is None else labels.measured & chosen
    pieces = [
        piece
        for ends in pairwise(knees(numbers, one))
        for piece in _pieces(bulk, labels, wanted, numbers, one, ends)
    ]
    whole = joined(
        np.concatenate([pieces[0].edges[:1], *(piece.edges[1:] for piece in pieces)]),
        np.concatenate([piece.values for piece in pieces]),
    )
    low, high, value = whole.best()
    return whole, Found(low=low, high=high, value=value)


def _pieces(
    bulk: Bulk,
    labels: Labels,
    wanted: Mask,
    numbers: Scoring,
    one: Tunable,
    ends: tuple[float, float],
) -> Iterator[Curve]:
    """The curves between two bends; halved where a record's matches disagree about its age.

    Its best match is then another one at each end, and its score bends where they are equal.
    """
    low, high = ends
    middle = (low + high) / 2
    at_low, at_middle, at_high = (
        order(bulk, change(numbers, one, x)).final for x in (low, middle, high)
    )
    bent = np.abs((at_low + at_high) / 2 - at_middle)[wanted[bulk.query]]
    halve = bool(np.nanmax(bent, initial=0.0) > SAME)
    if halve and high - low > NARROWEST * (one.bounds.high - one.bounds.low):
        yield from _pieces(bulk, labels, wanted, numbers, one, (low, middle))
        yield from _pieces(bulk, labels, wanted, numbers, one, (middle, high))
    else:
        queries = lines(bulk, labels, wanted, at_low, at_high)
        yield curve(lay_out(queries), low, high, labels.k)


def lines(bulk: Bulk, labels: Labels, wanted: Mask, at_low: Floats, at_high: Floats) -> list[Lines]:
    """The wanted queries' candidates as lines between two sets of final scores [N]."""
    ideal = measures.dcg(labels.ideal, labels.k)
    edges = np.searchsorted(bulk.query, np.arange(len(bulk.queries) + 1))
    found = []
    for query in np.flatnonzero(wanted):
        own = np.arange(edges[query], edges[query + 1])
        own = own[~np.isnan(at_low[own])]
        # Numbered in the order of ties; blocks stay in that order, the sort being stable.
        own = own[np.argsort(bulk.group[own], kind="stable")]
        found.append(
            Lines(
                at_low=at_low[own],
                at_high=at_high[own],
                block=bulk.group[own],
                gain=np.maximum(labels.gain[own], 0.0),
                ideal=float(ideal[query]),
            )
        )
    return found
