"""What one file of judgements says, whatever its format: judgements, open pairs, failures.

A sheet speaks of queries as its file does: by their ids or by their texts, and says which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from eval.formats.findings import Finding

# Whole grades are ints, so that 3, "3" and "3.000" are one grade; only the rest are floats.
Grade = int | float


class Keys(StrEnum):
    """By what a file names a query."""

    ID = "id"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The grade somebody gave a document of a query; ``rater`` is empty where nobody is named.

    ``line`` counts from 1, 0 where the file has no lines to speak of; it is no part of equality.
    """

    query: str
    document: str
    grade: Grade
    rater: str = ""
    reason: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A judgement that was asked for and not given, and why. It is no grade, and no zero."""

    query: str
    document: str
    why: str
    rater: str = ""


Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One file as read. ``queries`` holds every query it names, judged or not, in its order.

    ``open`` are the pairs it lists without a rating: unjudged, which is not grade 0. ``texts`` and
    ``needs`` are by query id, where the file names ids and has them.
    """

    keys: Keys
    queries: tuple[str, ...]
    judgements: tuple[Judgement, ...]
    open: tuple[Pair, ...] = ()
    failures: tuple[Failure, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    @property
    def grades(self) -> dict[str, dict[str, Grade]]:
        """``grades[query][document]``. Raises ValueError where a pair has several raters."""
        found: dict[str, dict[str, Grade]] = {}
        for one in self.judgements:
            if one.document in found.setdefault(one.query, {}):
                raise ValueError(f"{one.query!r} {one.document!r} has several raters: settle them")
            found[one.query][one.document] = one.grade
        return found


def by_query(judgements: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    """Judgements of each query, both in the order given."""
    found: dict[str, list[Judgement]] = {}
    for one in judgements:
        found.setdefault(one.query, []).append(one)
    return found
