"""Several raters, one grade: by a rule that is named, and never by the order of rows."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from eval.formats.sheet import Grade, Judgement, Pair


class Rule(StrEnum):
    """How the grades of several raters become one.

    OPTIMISTIC the highest, PESSIMISTIC the lowest, MEAN the arithmetic mean, MAJORITY the grade
    that most raters gave, and of several such the lowest.
    """

    OPTIMISTIC = "optimistic"
    PESSIMISTIC = "pessimistic"
    MEAN = "mean"
    MAJORITY = "majority"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling:
    """A rule, and what makes its result a whole grade.

    With ``cuts``, which rise, the grade is the number of cuts that the value reaches; without, the
    value is rounded, halves upwards.
    """

    rule: Rule = Rule.MEAN
    cuts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if any(not math.isfinite(cut) for cut in self.cuts) or list(self.cuts) != sorted(
            set(self.cuts)
        ):
            raise ValueError(f"cuts {self.cuts} do not rise: name each once, the lowest first")

    def exact(self, grades: Sequence[Grade]) -> Grade:
        """The grade of at least one rater's grades, with its fraction."""
        if self.rule is Rule.OPTIMISTIC:
            return max(grades)
        if self.rule is Rule.PESSIMISTIC:
            return min(grades)
        if self.rule is Rule.MAJORITY:
            often = Counter(grades)
            return min(grade for grade in often if often[grade] == max(often.values()))
        if len(grades) == 1:
            return grades[0]
        # Fractions: a mean of floats would depend on the order of the raters.
        mean = sum(map(Fraction, grades), Fraction(0)) / len(grades)
        return int(mean) if mean.denominator == 1 else float(mean)

    def whole(self, value: Grade) -> int:
        """The whole grade of a value."""
        return bisect_right(self.cuts, value) if self.cuts else math.floor(value + 0.5)


def settle(judgements: Iterable[Judgement], settling: Settling) -> dict[str, dict[str, int]]:
    """``grades[query][document]``, whole, of every pair that anybody graded."""
    found: dict[str, dict[str, int]] = {}
    for (query, document), given in by_pair(judgements).items():
        grade = settling.whole(settling.exact([one.grade for one in given]))
        found.setdefault(query, {})[document] = grade
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A pair about which raters differ, for somebody to decide; ``spread`` is highest - lowest."""

    query: str
    document: str
    grades: tuple[tuple[str, Grade], ...]
    spread: Grade


def disputes(judgements: Iterable[Judgement]) -> tuple[Dispute, ...]:
    """Every pair whose raters differ, the widest first, then by query and document."""
    found = []
    for (query, document), given in by_pair(judgements).items():
        grades = [one.grade for one in given]
        spread = max(grades) - min(grades)
        if spread:
            told = tuple(sorted((one.rater, one.grade) for one in given))
            found.append(Dispute(query=query, document=document, grades=told, spread=spread))
    return tuple(sorted(found, key=lambda one: (-one.spread, one.query, one.document)))


def by_pair(judgements: Iterable[Judgement]) -> dict[Pair, list[Judgement]]:
    found: dict[Pair, list[Judgement]] = {}
    for one in judgements:
        found.setdefault((one.query, one.document), []).append(one)
    return found
