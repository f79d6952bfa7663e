"""Tests a candidate on the sealed part. Only an opening in the ledger may call this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from eval.evidence.compare import Comparison, compare_settings
from eval.evidence.flips import FLIPS
from eval.evidence.holm import segment_guardrails
from eval.evidence.outcome import Outcome
from eval.evidence.scores import Scores
from eval.evidence.segments import MARGIN, segment_changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """One opening of the sealed part: `setting` against `today`, means over its queries.

    interval holds the difference, each end missed with probability `level` at most; p is
    one-sided, the largest where a gain had to survive a bound; segment is the source that loses
    too much by it, with its figures.
    """

    before: float
    after: float
    difference: float
    interval: tuple[float, float]
    opening: int
    level: float
    p: float
    smallest_p: float
    groups: int
    setting: float
    today: float
    segment: str = ""

    def as_json(self) -> dict[str, object]:
        return asdict(self) | {"interval": list(self.interval)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Sealed:
        # A ledger may be older than a field that has a default.
        kept = {field.name: stored[field.name] for field in fields(cls) if field.name in stored}
        return cls(**kept | {"interval": tuple(kept["interval"])})


def confirm(
    held_out: Scores,
    bounds: Sequence[Scores],
    candidate: int,
    *,
    opening: int,
    level: float,
    dice: int,
    flips: int = FLIPS,
) -> tuple[Outcome, Sealed]:
    """Tests the setting at index `candidate` against today's, and again under every bound.

    dice: seeds the sign flips, the same ones for the table and its bounds
    """
    plain, *bounded = (
        compare_settings(
            table, candidate, rng=np.random.default_rng(dice), level=level, flips=flips
        )
        for table in (held_out, *bounds)
    )
    segment = _losing(held_out, candidate, dice, flips)
    return _outcome(plain, bounded, segment), Sealed(
        before=plain.before,
        after=plain.after,
        difference=plain.difference,
        interval=plain.interval,
        opening=opening,
        level=level,
        p=max(one.p for one in (plain, *bounded)),
        smallest_p=plain.smallest_p,
        groups=plain.groups,
        setting=float(held_out.settings[candidate]),
        today=float(held_out.settings[held_out.today]),
        segment=segment,
    )


def _losing(held_out: Scores, candidate: int, dice: int, flips: int) -> str:
    """The source that may not bear this (RULINGS 40), in words; "" where there is none."""
    if held_out.strata is None or len(set(held_out.strata)) < 2:
        return ""
    names = [str(place) for place in range(len(held_out.groups))]
    before, after = (
        dict(zip(names, held_out.values[:, arm].tolist(), strict=True))
        for arm in (held_out.today, candidate)
    )
    changes = segment_changes(
        before,
        after,
        dict(zip(names, held_out.groups, strict=True)),
        {name: [f"source:{own}"] for name, own in zip(names, held_out.strata, strict=True) if own},
        rng=np.random.default_rng(dice),
        flips=flips,
    )
    broken = [g for g in segment_guardrails(changes, MARGIN) if not g.held]
    return broken[0].said if broken else ""


def _outcome(plain: Comparison, bounded: Sequence[Comparison], segment: str) -> Outcome:
    if not plain.can_show:
        return Outcome.CANNOT_SHOW
    if not plain.gained:
        return Outcome.NO_GAIN_SHOWN
    if not all(bound.gained for bound in bounded):
        return Outcome.GAIN_LOST_AT_BOUND
    if segment:
        return Outcome.SEGMENT_LOSES
    return Outcome.PROMOTED
