"""What each step is worth: the same queries and answers with one switch off at a time.

Whatever only reorders is switched off in a replay. Choosing sources and planning decide what is
found at all: for these a second recording is needed, made with the step off. That one record counts
once (RULINGS 4) is no switch: without it a rank would mean nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from esra.domain.capability import Scoring, SourceScoring
from eval.evidence.holm import holm
from eval.replay import Recorded, coverage
from eval.runs.arm import Arm, Ordering, arm_of, unchanged
from eval.runs.pairs import Pair, pair
from eval.tune.verdict import Case


class Switch(StrEnum):
    RERANK = "rerank"
    BONUS = "bonus"
    FRESHNESS = "freshness"
    EVIDENCE = "evidence"
    PRIORITY = "priority"


class NeedsRecording(StrEnum):
    SELECTION = "selection"
    PLANNER = "planner"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """One step. ``pair`` is the run against itself without the step: a gain is what it is worth.

    moved:    queries whose measure differs
    coverage: share of the shortlist, as it is without the step, whose semantic score is recorded;
              None where no model ordered the run, so that there is no score to know
    adjusted: Holm's p over all steps of the table
    """

    name: str
    pair: Pair
    moved: int
    coverage: float | None
    adjusted: float


def ablate(case: Case, run: str, others: Mapping[str, Arm] | None = None) -> list[Ablation]:
    """Every switch of a run; ``others`` are arms of recordings made with a step off, by its name.

    CannotCompare where such an arm is of other data.
    """
    whole = arm_of(case, run)
    found = [
        (str(switch), pair(arm_of(case, run, off(switch)), whole), _coverage(case, switch))
        for switch in Switch
    ]
    known = _coverage(case, Switch.RERANK)
    found += [(name, pair(arm, whole), known) for name, arm in (others or {}).items()]
    adjusted = holm({name: one.comparison.p for name, one, _ in found})
    return [
        Ablation(
            name=name,
            pair=one,
            moved=len(one.movers),
            coverage=covered,
            adjusted=adjusted[name],
        )
        for name, one, covered in found
    ]


def off(switch: Switch) -> Ordering:
    """The ordering without one step."""
    said = f"without {switch}"
    match switch:
        case Switch.RERANK:
            return Ordering(said=said, model=False)
        case Switch.BONUS:
            return Ordering(said=said, change=lambda numbers: replace(numbers, match_bonus=0.0))
        case Switch.FRESHNESS:
            return Ordering(said=said, change=_timeless)
        case Switch.EVIDENCE:
            return Ordering(said=said, change=lambda numbers: replace(numbers, evidence_floor=1.0))
        case Switch.PRIORITY:
            return Ordering(said=said, change=lambda numbers: _sources(numbers, priority=1.0))


def as_text(found: Sequence[Ablation], others: Sequence[str] = ()) -> str:
    """The table for a person."""
    measure = found[0].pair.measure
    lines = [
        f"what each step is worth in {measure} "
        f"({found[0].pair.queries} queries; one switch off at a time)",
        f"{'step':<12}{'without':>9}{'with':>9}{'worth':>9}   95 % interval      "
        f"{'moved':>6}  p (Holm)  coverage",
    ]
    for one in found:
        compared = one.pair.comparison
        low, high = compared.interval
        lines.append(
            f"{one.name:<12}{compared.before:>9.4f}{compared.after:>9.4f}"
            f"{compared.difference:>+9.4f}   {low:+.4f} to {high:+.4f}"
            f"{one.moved:>8}  {one.adjusted:>8.3g}  "
            f"{'-' if one.coverage is None else f'{one.coverage:.3f}':>8}"
        )
    lines += [
        f"{name}: decides what is found, so no replay can tell; give a recording without it: "
        f"--{name} RUN"
        for name in NeedsRecording
        if name not in others
    ]
    return "\n".join(lines)


def _timeless(numbers: Scoring) -> Scoring:
    return replace(_sources(numbers, half_life=None), stale_weight=1.0)


def _sources(numbers: Scoring, **own: float | None) -> Scoring:
    changed = tuple((id, _with(block, own)) for id, block in numbers.sources)
    return replace(numbers, sources=changed)


def _with(block: SourceScoring, own: Mapping[str, float | None]) -> SourceScoring:
    return replace(block, **own)  # type: ignore[arg-type]


def _coverage(case: Case, switch: Switch) -> float | None:
    if not any(one.reranked for one in _asked(case)):
        return None
    if switch is Switch.RERANK:
        return 1.0  # no score is asked for
    change = off(switch).change or unchanged
    counts = [coverage(one, change(one.numbers)) for one in _asked(case)]
    wanted = sum(size for _, size in counts)
    return sum(known for known, _ in counts) / wanted if wanted else 1.0


def _asked(case: Case) -> list[Recorded]:
    return [one for one in case.recordings if one.query in case.groups]
