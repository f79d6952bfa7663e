"""What every decision starts from: one measure of each query under each setting of one parameter.

Weight rule, everywhere in this package: a mean is a mean over *queries*, as every published nDCG
is; what is resampled, flipped, folded and sealed is the *group* (one information need), so that ten
wordings of one need count ten times in the mean and once in the certainty.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Setting = Fraction | int

# Below this two means are one number: the last bits of a sum depend on the order of its terms.
SAME = 1e-12


class UnfitScores(ValueError):
    """The table cannot be decided on; the message says which entry and what to do."""


# Every part of a table and every seal asks again for the same few keys.
@lru_cache(maxsize=8192)
def normal_form(key: str) -> str:
    """A group's key without what a person does not see: NFKC, case folded, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", key).casefold().split())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """One capability, one measure, one tuned parameter.

    measure:  its name, e.g. "nDCG@10"; values lie in 0..1
    settings: [S] exact values of the parameter, strictly rising
    values:   [Q, S] the measure of each query under each setting, float64
    groups:   [Q] the information need of each query, compared in its normal form
    today:    index of the setting in force
    strata:   [Q] the source each query was written for, where that is known
    tags:     [Q] the tags of each query (``language:de``, ``head``), where it has any
    texts:    [Q] what each query says, where that is known

    Raises UnfitScores where the table is not whole.
    """

    measure: str
    settings: tuple[Setting, ...]
    values: Floats
    groups: tuple[str, ...]
    today: int
    strata: tuple[str, ...] | None = None
    tags: tuple[tuple[str, ...], ...] | None = None
    texts: tuple[str, ...] | None = None
    codes: NDArray[np.intp] = field(init=False, repr=False)
    group_keys: tuple[str, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64, ndmin=2)
        values.setflags(write=False)
        groups = tuple(normal_form(group) for group in self.groups)
        _check(self, values, groups)
        keys = sorted(set(groups))
        place = {key: number for number, key in enumerate(keys)}
        codes = np.fromiter((place[group] for group in groups), dtype=np.intp, count=len(groups))
        for name, value in (
            ("values", values),
            ("groups", groups),
            ("codes", codes),
            ("group_keys", tuple(keys)),
        ):
            object.__setattr__(self, name, value)

    @property
    def group_count(self) -> int:
        return len(self.group_keys)

    @property
    def sizes(self) -> Floats:
        """[G] queries of each group, in the order of `group_keys`."""
        return np.bincount(self.codes, minlength=self.group_count).astype(np.float64)

    def group_sums(self) -> Floats:
        """[G, S] the values of each group's queries, added."""
        order = np.argsort(self.codes, kind="stable")
        starts = np.searchsorted(self.codes[order], np.arange(self.group_count))
        return np.add.reduceat(self.values[order], starts, axis=0)

    def part(self, chosen: Mask) -> Scores:
        """The same table with the chosen queries only."""
        kept = np.flatnonzero(chosen)
        return Scores(
            measure=self.measure,
            settings=self.settings,
            values=self.values[kept],
            groups=tuple(self.groups[i] for i in kept),
            today=self.today,
            strata=None if self.strata is None else tuple(self.strata[i] for i in kept),
            tags=None if self.tags is None else tuple(self.tags[i] for i in kept),
            texts=None if self.texts is None else tuple(self.texts[i] for i in kept),
        )

    def with_values(self, values: Floats) -> Scores:
        """The same queries and settings with other values, e.g. a bound."""
        return Scores(
            measure=self.measure,
            settings=self.settings,
            values=values,
            groups=self.groups,
            today=self.today,
            strata=self.strata,
            tags=self.tags,
            texts=self.texts,
        )


def _check(scores: Scores, values: Floats, groups: tuple[str, ...]) -> None:
    settings = scores.settings
    if not groups:
        raise UnfitScores("no query is scored; judge at least one query that the runs answer")
    if values.shape != (len(groups), len(settings)):
        raise UnfitScores(
            f"values have shape {values.shape}; "
            f"{len(groups)} queries x {len(settings)} settings are needed"
        )
    if scores.strata is not None and len(scores.strata) != len(groups):
        raise UnfitScores(f"{len(scores.strata)} strata stand beside {len(groups)} queries")
    if scores.tags is not None and len(scores.tags) != len(groups):
        raise UnfitScores(f"tags of {len(scores.tags)} queries stand beside {len(groups)} queries")
    if scores.texts is not None and len(scores.texts) != len(groups):
        raise UnfitScores(f"{len(scores.texts)} texts stand beside {len(groups)} queries")
    if any(low >= high for low, high in pairwise(settings)):
        raise UnfitScores("settings must rise strictly; sort them and drop doubles")
    if not 0 <= scores.today < len(settings):
        raise UnfitScores(
            f"today's setting has index {scores.today}; add it to the {len(settings)} settings"
        )
    if "" in groups:
        raise UnfitScores(f"query {groups.index('')} has a blank group; give its need or its text")
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        query, setting = wrong[0]
        raise UnfitScores(
            f"query {query} ({groups[query]!r}) has no {scores.measure} "
            f"at setting {settings[setting]}; list it and leave it out"
        )
