"""Tests a candidate on the sealed part. Only an opening in the ledger may call this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from eval.evidence.compare import Comparison, compare_settings
from eval.evidence.flips import FLIPS
from eval.evidence.outcome import Outcome
from eval.evidence.scores import Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """One opening of the sealed part: `setting` against `today`, means over its queries.

    interval holds the difference, each end missed with probability `level` at most; p is
    one-sided, the largest where a gain had to survive a bound.
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

    def as_json(self) -> dict[str, object]:
        return asdict(self) | {"interval": list(self.interval)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Sealed:
        kept = {field.name: stored[field.name] for field in fields(cls)}
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
    return _outcome(plain, bounded), Sealed(
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
    )


def _outcome(plain: Comparison, bounded: Sequence[Comparison]) -> Outcome:
    if not plain.can_show:
        return Outcome.CANNOT_SHOW
    if not plain.gained:
        return Outcome.NO_GAIN_SHOWN
    if not all(bound.gained for bound in bounded):
        return Outcome.GAIN_LOST_AT_BOUND
    return Outcome.PROMOTED
