"""The named measures of an arm: mean, interval over groups, and the unjudged four ways."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from eval.measure.arm import Arm
from eval.measures import Evaluation, Measure, evaluate
from eval.measures.interval import Interval, of_mean
from eval.measures.unjudged import FourWays, four_ways

# Bounds of a measure without a cutoff look at every unjudged result, twice; beyond this many in
# one list nothing is bounded.
MOST_UNJUDGED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """Means of the four readings over the same queries (``eval.measures.unjudged``)."""

    irrelevant: float
    condensed: float
    worst: float
    best: float
    judged: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """``ways`` is None where lists are too long to bound, and for Judged itself."""

    name: str
    mean: float
    interval: Interval | None
    values: Mapping[str, float]
    ways: Ways | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    figures: tuple[Figure, ...]
    evaluation: Evaluation


def quality(arm: Arm, measures: Sequence[Measure]) -> Quality:
    """Raises NeverRan where the arm answers no judged query, ValueError where nothing is right."""
    # Every labelled query takes part: without a list it was not answered, and is told as missing.
    judged = {query: arm.judgements.get(query, {}) for query in arm.labels if query in arm.lists}
    lists = {query: arm.lists[query] for query in judged}
    found = evaluate(lists, judged, measures)
    figures = tuple(_figure(one, found, arm) for one in measures)
    return Quality(figures=figures, evaluation=found)


def _figure(one: Measure, found: Evaluation, arm: Arm) -> Figure:
    values = found.values[one.name]
    return Figure(
        name=one.name,
        mean=found.mean(one.name),
        interval=of_mean(values, arm.groups),
        values=values,
        ways=_ways(one, tuple(values), arm),
    )


def _ways(one: Measure, queries: Sequence[str], arm: Arm) -> Ways | None:
    if one.name.startswith("Judged"):
        return None
    top = max(grade for query in queries for grade in arm.judgements[query].values())
    read: list[FourWays] = []
    for query in queries:
        grades, own = arm.judgements[query], arm.lists[query]
        if sum(record not in grades for record in own[: one.k]) > MOST_UNJUDGED:
            return None
        read.append(four_ways(one, own, grades, top=top))
    return Ways(
        irrelevant=_mean([way.irrelevant for way in read]),
        condensed=_mean([way.condensed for way in read]),
        worst=_mean([way.worst for way in read]),
        best=_mean([way.best for way in read]),
        judged=_mean([way.judged for way in read]),
    )


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)
