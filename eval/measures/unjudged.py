"""What unjudged results may hide: one figure four ways, side by side.

* ``irrelevant``: unjudged counts as grade 0, the usual table (Bpref passes over the unjudged, so
  that its own mean is the condensed reading);
* ``condensed``: unjudged results are taken out of the list first (Sakai, SIGIR 2007);
* ``worst`` and ``best``: the least and the most the figure can be when each unjudged result that
  the measure looks at is worth either nothing or the top of the scale.

A result that turns out relevant also joins the ideal list. So the best case need not be the one in
which all are relevant: of those with the same number it is the one with the highest ranks, and the
worst the one with the lowest, which leaves one case for each number to look at.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from eval.measures.arrays import Judgements
from eval.measures.named import Measure
from eval.measures.ranking import judged


@dataclass(frozen=True, slots=True, kw_only=True)
class FourWays:
    """One list's figure under the four readings, and its Judged@k at the measure's own cutoff."""

    irrelevant: float
    condensed: float
    worst: float
    best: float
    judged: float


def four_ways(
    one: Measure, ids: Sequence[Hashable], judgements: Judgements, *, top: int
) -> FourWays:
    """The four readings of one list; ``top`` is the top grade of the scale, at least 1."""
    if top < 1:
        raise ValueError("the top of a grading scale is at least 1")
    # What stands below the cutoff changes nothing but the ideal list, and nobody has seen it.
    unknown = [id for id in ids[: one.k] if id not in judgements]
    counts = range(len(unknown) + 1)
    none = min(0, one.level - 1)  # under ``rel=0`` a grade of 0 would be worth something
    known = {**dict.fromkeys(unknown, none), **judgements}
    highest = [_with(one, ids, known, unknown[:count], top) for count in counts]
    lowest = [_with(one, ids, known, unknown[len(unknown) - n :], top) for n in counts]
    return FourWays(
        irrelevant=highest[0],
        condensed=one([id for id in ids if id in judgements], judgements),
        worst=min(lowest),
        best=max(highest),
        judged=judged([judgements.get(id) for id in ids], one.k),
    )


def _with(
    one: Measure,
    ids: Sequence[Hashable],
    judgements: Judgements,
    relevant: Sequence[Hashable],
    top: int,
) -> float:
    return one(ids, {**judgements, **dict.fromkeys(relevant, top)})
