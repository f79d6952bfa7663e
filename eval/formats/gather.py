"""Gathers judgements, each rater's grade of a pair once.

An equal judgement given twice is counted and changes nothing. Two that differ are refused with both
lines, or settled by the rule a person chose.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from eval.formats.findings import Findings, quoted
from eval.formats.sheet import Judgement


class OnConflict(StrEnum):
    """Which of two differing grades of one rater for one pair is kept."""

    REFUSE = "refuse"
    FIRST = "first"
    LAST = "last"
    MAX = "max"
    MIN = "min"


@dataclass(slots=True)
class Gathered:
    """The judgements of one file; what is wrong with them goes to ``findings``."""

    path: Path
    findings: Findings
    on_conflict: OnConflict = OnConflict.REFUSE
    _kept: dict[tuple[str, str, str], Judgement] = field(default_factory=dict)

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """Each (query, document, rater) once, in the order of their first lines."""
        return tuple(self._kept.values())

    def add(self, new: Judgement) -> None:
        key = (new.query, new.document, new.rater)
        old = self._kept.setdefault(key, new)
        if old is new:
            return
        pair = f"{quoted(new.query)} {quoted(new.document)}"
        if new.rater:
            pair += f" by {quoted(new.rater)}"
        if old.grade == new.grade:
            self.findings.count("judgement given twice, kept once", self.path, new.line, pair)
        elif self.on_conflict is OnConflict.REFUSE:
            grades = f"grade {new.grade} here, {old.grade} {_place(old)}"
            said = f"judges {pair} a second time, {grades}: keep one"
            self.findings.refuse(self.path, new.line, said)
        else:
            self._kept[key] = _chosen(old, new, self.on_conflict)
            kind = f"judgements that differ, kept by the rule {self.on_conflict.value!r}"
            self.findings.count(kind, self.path, new.line, pair)


def _place(old: Judgement) -> str:
    return f"in line {old.line}" if old.line else "before"


def _chosen(old: Judgement, new: Judgement, rule: OnConflict) -> Judgement:
    if rule is OnConflict.FIRST:
        return old
    if rule is OnConflict.LAST:
        return new
    best = max if rule is OnConflict.MAX else min
    return best(old, new, key=lambda one: one.grade)
