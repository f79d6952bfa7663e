"""May the model be switched off? Yes, no, or cannot tell, and what it would take to tell.

"Not shown to be worse" is no answer: the loss has to be shown to lie under a margin that was set
before anything was recorded (Piaggio et al. 2012, "Reporting of noninferiority and equivalence
randomized trials", JAMA 308). A model does not answer twice alike, so that its arm is recorded
three times or more, and the interval draws queries and recordings anew; where Student's over both
is wider, that one holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil

import numpy as np

from eval.evidence.classic import LEAST_CLUSTERS, REPLICATES
from eval.evidence.compare import LEVEL
from eval.evidence.flips import flip_law
from eval.evidence.scores import SAME, Floats, UnfitScores
from eval.evidence.segments import group_sums

MARGIN = 0.02
LEAST_RECORDINGS = 3
# judged@k further apart than this: the difference may be one of what was judged.
APART = 0.05
# Standard normal: 97.5 % and 80 % quantile, added: 80 % power at one-sided 2.5 %.
REACH = 1.959963984540054 + 0.8416212335729143
MOST_FURTHER = 1_000_000


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchOff:
    """``difference``: without the model minus with it, means over queries and recordings.

    interval: each end missed with probability 2.5 % at most
    further:  queries to judge besides these, for 80 % power if the difference is what was seen;
              None where it is answered, or where no number of queries would do
    """

    answer: Answer
    difference: float
    interval: tuple[float, float]
    margin: float
    recordings: int
    groups: int
    further: int | None
    why: str


def may_switch_off(
    with_model: Floats,
    without: Floats,
    groups: Sequence[str],
    *,
    rng: np.random.Generator,
    margin: float = MARGIN,
    judged: tuple[float, float] = (1.0, 1.0),
    replicates: int = REPLICATES,
) -> SwitchOff:
    """Answers for the model arm [R, Q] and the arm without it [Q].

    judged: mean judged@k with and without the model. UnfitScores for under three recordings.
    """
    model = np.asarray(with_model, dtype=np.float64)
    if model.ndim != 2 or len(model) < LEAST_RECORDINGS:
        count = len(model) if model.ndim == 2 else 1
        raise UnfitScores(
            f"the model's arm was recorded {count} times; {LEAST_RECORDINGS} are needed, "
            "for it does not answer twice alike"
        )
    if not margin > 0:
        raise UnfitScores(f"a margin of {margin} cannot be shown by any number of queries")
    each = np.asarray(without, dtype=np.float64) - model
    sums = np.array([group_sums(one, groups)[0] for one in each])
    sizes = group_sums(each[0], groups)[1]
    interval = _interval(sums, sizes, rng, replicates)
    difference = float(each.mean())
    answer, why = _answer(interval, margin, judged)
    further = None
    if answer is Answer.CANNOT_TELL and abs(judged[0] - judged[1]) <= APART:
        further = further_queries(sums, sizes, margin)
        why += _needed(further)
    return SwitchOff(
        answer=answer,
        difference=difference,
        interval=interval,
        margin=margin,
        recordings=len(model),
        groups=len(sizes),
        further=further,
        why=why,
    )


def further_queries(sums: Floats, sizes: Floats, margin: float) -> int | None:
    """Queries beyond these that answer with 80 % power, were the difference what was seen.

    From [R, G] sums: the groups' variance shrinks with their number, the recordings' does not.
    """
    means = sums.mean(axis=0) / sizes
    queries, count = float(sizes.sum()), len(sizes)
    distance = abs(float(sums.mean(axis=0).sum()) / queries + margin)
    recordings = float((sums.sum(axis=1) / queries).var(ddof=1)) / len(sums)
    room = (distance / REACH) ** 2 - recordings
    if room <= SAME or count < 2:
        return None
    needed = ceil(float(means.var(ddof=1)) / room)
    further = ceil(max(0, needed - count) * queries / count)
    return further if further <= MOST_FURTHER else None


def _interval(
    sums: Floats, sizes: Floats, rng: np.random.Generator, replicates: int
) -> tuple[float, float]:
    recordings, clusters = sums.shape
    if clusters < LEAST_CLUSTERS:
        # Too few for percentiles: sign flips for each recording, and the widest of them.
        ends = [flip_law(one, sizes, rng).interval(LEVEL) for one in sums]
        return min(low for low, _ in ends), max(high for _, high in ends)
    drawn = rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=replicates)
    picked = rng.multinomial(recordings, np.full(recordings, 1 / recordings), size=replicates)
    totals = ((drawn @ sums.T) * picked).sum(axis=1) / recordings
    low, high = np.quantile(totals / (drawn @ sizes), [LEVEL, 1 - LEVEL])
    low_t, high_t = _students(sums, sizes)
    return min(float(low), low_t), max(float(high), high_t)


def _students(sums: Floats, sizes: Floats) -> tuple[float, float]:
    """Student's interval over both: three recordings drawn anew know too little of their spread.

    Degrees of freedom by Satterthwaite (1946), so that few recordings that differ widen it.
    """
    from scipy.special import stdtrit

    recordings, clusters = sums.shape
    mean = sums.sum() / recordings / sizes.sum()
    means = sums.mean(axis=0) / sizes
    of_queries = float(means.var(ddof=1)) / clusters
    of_recordings = float((sums.sum(axis=1) / sizes.sum()).var(ddof=1)) / recordings
    total = of_queries + of_recordings
    if total <= SAME**2:
        return float(mean), float(mean)
    parts = of_queries**2 / (clusters - 1) + of_recordings**2 / (recordings - 1)
    half = float(stdtrit(total**2 / parts, 1 - LEVEL)) * total**0.5
    return float(mean) - half, float(mean) + half


def _answer(
    interval: tuple[float, float], margin: float, judged: tuple[float, float]
) -> tuple[Answer, str]:
    low, high = interval
    seen = f"without the model {low:+.4f} to {high:+.4f}, borne is a loss of {margin:g}"
    if abs(judged[0] - judged[1]) > APART:
        return Answer.CANNOT_TELL, (
            f"judged {judged[0]:.3f} with the model and {judged[1]:.3f} without it: the arms are "
            "not judged alike; judge the deciding pairs first"
        )
    if low > -margin:
        return Answer.YES, f"{seen}: a larger loss is ruled out"
    if high < -margin:
        return Answer.NO, f"{seen}: the loss is larger"
    return Answer.CANNOT_TELL, f"{seen}: both are possible"


def _needed(further: int | None) -> str:
    if further is None:
        return "; no number of further queries would tell, record the model more often"
    return f"; {further} further queries would tell with 80 % power if this is the difference"
