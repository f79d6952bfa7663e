"""One query's figure from the grades down its list; ``None`` in the list is an unjudged result.

``grades`` is the list's grades from rank 1 on; ``marks`` holds the grade of every judged document
of the query, retrieved or not. A document is relevant from grade ``level`` on; a grade below 1
gains nothing. Ranks count from 1, ``k`` None means no cutoff.

Sources: trec_eval for P, R, AP, RR, Rprec, Success, Bpref and nDCG; Chapelle, Metzler, Zhang and
Grinspan, *Expected reciprocal rank for graded relevance*, CIKM 2009, for ERR; Moffat and Zobel,
*Rank-biased precision*, ACM TOIS 27 (2008), for RBP.
"""

from collections.abc import Callable, Sequence
from math import log2

Grades = Sequence[int | None]
Marks = Sequence[int]
Gain = Callable[[int], float]
HIGHEST = 1000  # 2^1024 is no float any more, nor need the sum of two smaller ones be


def linear(grade: int) -> float:
    """The grade itself."""
    return float(max(grade, 0))


def exponential(grade: int) -> float:
    """2^grade - 1: ``nDCG(dcg='exp-log2')``. ValueError where sums of it would be no number."""
    return _two_to(max(grade, 0)) - 1.0


def relevant(marks: Marks, level: int = 1) -> int:
    """Judged documents of grade ``level`` or better."""
    return sum(mark >= level for mark in marks)


def precision(grades: Grades, k: int, level: int = 1) -> float:
    """P@k: relevant among the first ``k``, over ``k`` however many there are."""
    return _hits(grades, k, level) / k


def recall(grades: Grades, marks: Marks, k: int | None, level: int = 1) -> float:
    """R@k. ValueError where nothing is relevant."""
    return _hits(grades, k, level) / _some(marks, level)


def success(grades: Grades, k: int | None, level: int = 1) -> float:
    """1 where any of the first ``k`` is relevant, else 0."""
    return float(_hits(grades, k, level) > 0)


def reciprocal_rank(grades: Grades, k: int | None, level: int = 1) -> float:
    """RR: one over the first relevant rank, 0 where there is none."""
    for rank, grade in enumerate(grades[:k], start=1):
        if grade is not None and grade >= level:
            return 1.0 / rank
    return 0.0


def average_precision(grades: Grades, marks: Marks, k: int | None, level: int = 1) -> float:
    """AP: precision at each relevant rank, summed, over all relevant documents."""
    found, total = 0, 0.0
    for rank, grade in enumerate(grades[:k], start=1):
        if grade is not None and grade >= level:
            found += 1
            total += found / rank
    return total / _some(marks, level)


def r_precision(grades: Grades, marks: Marks, level: int = 1) -> float:
    """Precision at the rank that equals the number of relevant documents."""
    return precision(grades, _some(marks, level), level)


def ndcg(grades: Grades, marks: Marks, k: int | None, gain: Gain = linear) -> float:
    """nDCG: gain over log2(rank + 1), over the best order of all judged documents."""
    best = _dcg(sorted(marks, reverse=True), k, gain)
    if best <= 0:
        raise ValueError("no relevant document: nDCG is not defined")
    return _dcg(grades, k, gain) / best


def err(grades: Grades, k: int | None, highest: int) -> float:
    """ERR: a reader stops at a result with (2^grade - 1) / 2^highest, and is worth 1 / rank there.

    ``highest`` is the top of the grading scale, not of this list.
    """
    going_on, total = 1.0, 0.0
    for rank, grade in enumerate(grades[:k], start=1):
        stops = exponential(grade or 0) / _two_to(highest)
        total += going_on * stops / rank
        going_on *= 1.0 - stops
    return total


def rbp(grades: Grades, k: int | None, p: float, gain: Gain) -> float:
    """RBP: (1 - p) times the sum of gain x p^(rank - 1), gain in 0..1."""
    return (1.0 - p) * sum(
        gain(grade) * p ** (rank - 1)
        for rank, grade in enumerate(grades[:k], start=1)
        if grade is not None
    )


def bpref(grades: Grades, marks: Marks, level: int = 1) -> float:
    """Bpref: how rarely a judged irrelevant document stands above a relevant one.

    Unjudged results do not count at all (Buckley and Voorhees, SIGIR 2004, as in trec_eval).
    """
    wanted = _some(marks, level)
    unwanted = sum(0 <= mark < level for mark in marks)
    above, total = 0, 0.0
    for grade in grades:
        if grade is None or grade < 0:
            continue
        if grade < level:
            above += 1
        elif above == 0:
            total += 1.0
        else:
            total += 1.0 - min(above, wanted) / min(unwanted, wanted)
    return total / wanted


def judged(grades: Grades, k: int | None) -> float:
    """Judged@k: the share of what is shown that has a judgement; 1 where nothing is shown."""
    shown = grades[:k]
    return sum(grade is not None for grade in shown) / len(shown) if shown else 1.0


def _two_to(grade: int) -> float:
    if grade > HIGHEST:
        raise ValueError(f"2^{grade:,} is asked for, and counted up to 2^{HIGHEST:,}: rate lower")
    return 2.0**grade


def _hits(grades: Grades, k: int | None, level: int) -> int:
    return sum(grade is not None and grade >= level for grade in grades[:k])


def _some(marks: Marks, level: int) -> int:
    count = relevant(marks, level)
    if not count:
        raise ValueError(f"no document of grade {level} or better: the measure is not defined")
    return count


def _dcg(grades: Grades, k: int | None, gain: Gain) -> float:
    return sum(
        gain(grade) / log2(rank + 1)
        for rank, grade in enumerate(grades[:k], start=1)
        if grade is not None
    )
