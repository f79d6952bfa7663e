"""Whether the right sources were chosen, and whether "nothing is right" was told."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from eval.measure.arm import Arm
from eval.measures.interval import Interval, of_mean, of_ratio
from eval.measures.selection import (
    Nothing,
    Selection,
    SourceFigures,
    nothing_is_right,
    over_selection,
    per_source,
    selection,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A figure and its interval over groups; None where there is nothing to divide by."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRates:
    figures: SourceFigures
    precision: Rate
    recall: Rate
    f1: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """Means over ``queries`` with known right sources, and the figures of each source.

    extra: sources searched for nothing, a query; wasted: the share of all searches that was so
    """

    queries: int
    precision: Rate
    recall: Rate
    f1: Rate
    exact: Rate
    extra: Rate
    wasted: float | None
    sources: Mapping[str, SourceRates]


def choices(arm: Arm) -> Choices | None:
    """None for an imported run, and where nobody knows the right sources."""
    known = {q: right for q, right in arm.right_sources.items() if q in arm.traces}
    if not known:
        return None
    chosen = {query: frozenset(arm.traces[query]["chosen"]) for query in known}
    each = {query: selection(chosen[query], known[query]) for query in known}

    def rate(name: str) -> Rate:
        values = {query: float(getattr(one, name)) for query, one in each.items()}
        return Rate(value=_mean(values), interval=of_mean(values, arm.groups))

    return Choices(
        queries=len(known),
        precision=rate("precision"),
        recall=rate("recall"),
        f1=rate("f1"),
        exact=rate("exact"),
        extra=rate("extra"),
        wasted=over_selection(list(each.values()))[1],
        sources={
            name: _source(name, figures, chosen, known, arm)
            for name, figures in per_source(chosen, known).items()
        },
    )


def _source(
    name: str,
    figures: SourceFigures,
    chosen: Mapping[str, frozenset[str]],
    known: Mapping[str, frozenset[str]],
    arm: Arm,
) -> SourceRates:
    both = {q: float(name in chosen[q] and name in known[q]) for q in known}

    def over(divisor: Mapping[str, float], value: float | None, factor: float = 1.0) -> Rate:
        parts = {q: (factor * both[q], divisor[q]) for q in known}
        return Rate(value=value, interval=of_ratio(parts, arm.groups))

    taken = {q: float(name in chosen[q]) for q in known}
    right = {q: float(name in known[q]) for q in known}
    return SourceRates(
        figures=figures,
        precision=over(taken, figures.precision),
        recall=over(right, figures.recall),
        f1=over({q: taken[q] + right[q] for q in known}, figures.f1, 2.0),
    )


def nothing(arm: Arm) -> Nothing | None:
    """None for an imported run. A query's best score is that of its first result."""
    if not arm.traces:
        return None
    best = {
        query: trace["ranking"][0][4] if trace["shown"] else None
        for query, trace in arm.traces.items()
    }
    return nothing_is_right(best, arm.unanswerable)


def _mean(values: Mapping[str, float]) -> float:
    return fsum(values.values()) / len(values)


__all__ = ["Choices", "Rate", "Selection", "SourceRates", "choices", "nothing"]
