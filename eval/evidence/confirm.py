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
from eval.evidence.segments import MARGIN, SegmentChange, segment_changes

LISTED = 40  # segments in a ledger's line and in a tuned file; labels may hold a tag a query


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """One opening of the sealed part: `setting` against `today`, means over its queries.

    interval holds the difference, each end missed with probability `level` at most; p is
    one-sided, the largest where a gain had to survive a bound; segment is the one that loses too
    much by it, with its figures; segments are all of them, by source and by tag, those that block
    first, as long as there is room.
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
    segments: tuple[Mapping[str, Any], ...] = ()
    more_segments: int = 0

    def as_json(self) -> dict[str, object]:
        lists = {"interval": list(self.interval), "segments": [dict(one) for one in self.segments]}
        return asdict(self) | lists

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Sealed:
        # A ledger may be older than a field that has a default.
        kept = {field.name: stored[field.name] for field in fields(cls) if field.name in stored}
        segments = tuple(kept.get("segments", ()))
        return cls(**kept | {"interval": tuple(kept["interval"]), "segments": segments})


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
    changes = _segments(held_out, candidate, dice, flips)
    segment = next((g.said for g in segment_guardrails(changes, MARGIN) if not g.held), "")
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
        segments=tuple(asdict(one) for one in changes[:LISTED]),
        more_segments=len(changes[LISTED:]),
    )


def _segments(held_out: Scores, candidate: int, dice: int, flips: int) -> list[SegmentChange]:
    """Every segment of the sealed queries, by source and by tag: what blocks, then the large."""
    tags = _tags(held_out)
    if not any(tags.values()):
        return []
    before, after = (
        dict(zip(tags, held_out.values[:, arm].tolist(), strict=True))
        for arm in (held_out.today, candidate)
    )
    changes = segment_changes(
        before,
        after,
        dict(zip(tags, held_out.groups, strict=True)),
        tags,
        rng=np.random.default_rng(dice),
        flips=flips,
    )
    # Where all queries are alike in a kind, there is nothing to tell apart.
    told = [one for one in changes if one.queries < len(held_out.groups)]
    return sorted(told, key=lambda one: (not one.blocks, one.small, one.kind, one.value))


def _tags(held_out: Scores) -> dict[str, list[str]]:
    """The tags of each query, by its place; its source is one of them."""
    count = len(held_out.groups)
    strata, tags = held_out.strata or ("",) * count, held_out.tags or ((),) * count
    return {
        str(place): [*([f"source:{own}"] if own else []), *more]
        for place, (own, more) in enumerate(zip(strata, tags, strict=True))
    }


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
