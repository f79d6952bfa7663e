"""What the answers of an arm are made of: how old, from where, and what of it a reader reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, fsum
from statistics import median

from eval.measure.arm import Arm, Record, Trace
from eval.measures.freshness import Shown, age_of_first_right, staleness
from eval.measures.mix import shares, small_source_recall, source_coverage
from eval.measures.window import CHARACTERS_A_TOKEN, offset_of_first_right, recall_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean (or median, where so named) and over how many queries; None over none."""

    value: float | None
    queries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """``staleness`` of the first k, age in days of the first right result (median)."""

    days: float
    staleness: Mean
    age: Mean


def freshness(arm: Arm, k: int, days: float) -> Freshness | None:
    """None where no result has a time."""
    stale, ages = [], []
    for query, trace in arm.traces.items():
        shown = _shown(arm, query, trace)
        stale.append(staleness(shown, trace["now"], k, days=days))
        ages.append(age_of_first_right(shown, trace["now"]))
    told = Freshness(days=days, staleness=_mean(stale), age=_median(ages))
    return told if told.staleness.queries or told.age.queries else None


def _shown(arm: Arm, query: str, trace: Trace) -> list[Shown]:
    times: dict[Record, tuple[float | None, bool]] = {}
    for answer in trace["answers"]:
        for row in answer.get("rows", ()):
            times.setdefault((answer["source"], row[1]), (row[3], row[4]))
    grades = arm.judgements.get(query, {})
    return [
        Shown(
            timestamp=times[record][0],
            stale=times[record][1],
            relevant=grades[record] > 0 if record in grades else None,
        )
        for record in arm.shown(query)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """Shares of the first k results of all queries together, by source and by family.

    coverage: of the sources that hold a right document, the share seen; small: R@k of the right
    documents in small sources alone
    """

    sources: Mapping[str, float]
    families: Mapping[str, float]
    coverage: Mean
    small: Mean


def mix(arm: Arm, k: int) -> Mix | None:
    """None for an imported run, which names no source."""
    if not arm.traces:
        return None
    firsts = {query: tuple(arm.shown(query))[:k] for query in arm.traces}
    labels = [source for own in firsts.values() for source, _ in own]
    known = {id: held.family for id, held in arm.sources.items()}
    sizes = {id: one.documents for id, one in arm.sources.items() if one.documents is not None}
    covered, small = [], []
    for query, own in firsts.items():
        right = [record for record, g in arm.judgements.get(query, {}).items() if g > 0]
        if not right:
            continue
        holders = {source for source, _ in right}
        covered.append(source_coverage([source for source, _ in own], holders, k))
        if len(sizes) > 1:
            small.append(small_source_recall(own, right, sizes, k))
    everything = len(labels)
    return Mix(
        sources=shares(labels, everything),
        families=shares([known.get(one, "not named") for one in labels], everything)
        if known
        else {},
        coverage=_mean(covered),
        small=_mean(small),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """An assistant reads tokens, not links: what of the right is read in ``tokens`` of them.

    Tokens are estimated from lengths. offset: before the first right result (median); lost: queries
    that show no right result
    """

    tokens: int
    recall: Mean
    offset: Mean
    lost: int


def window(arm: Arm, tokens: int) -> Window | None:
    """None for an imported run, and for traces recorded without lengths."""
    recalls, offsets, lost = [], [], 0
    for query, trace in arm.traces.items():
        grades = arm.judgements.get(query, {})
        if "lengths" not in trace or not any(grade > 0 for grade in grades.values()):
            continue
        shown = arm.shown(query)
        lengths = _lengths(trace, shown)
        recalls.append(recall_in(shown, lengths, grades, tokens))
        offsets.append(offset_of_first_right(shown, lengths, grades))
        lost += offsets[-1] is None
    if not recalls:
        return None
    return Window(tokens=tokens, recall=_mean(recalls), offset=_median(offsets), lost=lost)


def _lengths(trace: Trace, shown: Sequence[Record]) -> list[int]:
    found: dict[Record, int] = {}
    for row, length in zip(trace["ranking"], trace["lengths"], strict=True):
        found.setdefault((row[0], row[2]), length)
    return [ceil(found[record] / CHARACTERS_A_TOKEN) for record in shown]


def _mean(values: Sequence[float | None]) -> Mean:
    told = [value for value in values if value is not None]
    return Mean(value=fsum(told) / len(told) if told else None, queries=len(told))


def _median(values: Sequence[float | None]) -> Mean:
    told = [value for value in values if value is not None]
    return Mean(value=float(median(told)) if told else None, queries=len(told))
