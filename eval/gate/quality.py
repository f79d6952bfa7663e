"""Did a run get worse than its baseline, and is it good enough?

A loss shuts the gate where it exceeds the largest drop allowed and its interval lies below 0: both
large and sure. A loss that could still be as large is said, and shuts the gate under ``strict``.
Segments follow the rule of `eval.evidence.segments`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from eval.evidence.segments import SegmentChange
from eval.gate.check import Check, Status, Suite, verdict
from eval.recording.noise import Noise
from eval.runs.arm import Arm
from eval.runs.pairs import Mover, Pair, Tally, Unseen, unseen

MAX_DROP = 0.01
APART = 0.05  # judged@k; beyond it a difference may be one of what was judged
LISTED = 10


def floors(arm: Arm, least: Mapping[str, float]) -> list[Check]:
    """One check a floor: the mean over the queries that did not choose the arm's numbers.

    CannotCompare where they all did.
    """
    if not least:
        return []
    free = unseen(arm)
    where = f" on the {len(free.queries)} sealed queries" if free.only_sealed else ""
    means = {
        name: fsum(arm.queries[query].values[name] for query in free.queries) / len(free.queries)
        for name in least
    }
    return [
        Check(
            suite=Suite.QUALITY,
            name=f"floor {name}",
            status=verdict(means[name] >= floor),
            said=f"{name} is {means[name]:.4f}{where}; at least {floor:g} is asked",
            details=_chosen(free),
        )
        for name, floor in least.items()
    ]


def drop(
    found: Pair, max_drop: float = MAX_DROP, *, strict: bool = False, noise: Noise | None = None
) -> Check:
    """The loss on the whole. Under the run's own noise floor it is no loss that is shown."""
    compared = found.comparison
    low, high = compared.interval
    luck = noise is not None and noise.explains(compared.difference)
    worse = compared.difference < -max_drop and high < 0 and not luck
    unsure = not worse and low < -max_drop
    verb = "lost" if worse else "may have lost" if unsure else "held"
    ends = f"{compared.interval[0]:+.4f} to {compared.interval[1]:+.4f}"
    said = (
        f"{found.measure} {verb}: {compared.before:.4f} to {compared.after:.4f}, "
        f"{compared.difference:+.4f} ({1 - 2 * compared.level:.0%} interval {ends}, "
        f"{found.queries} queries in {compared.groups} groups); allowed is -{max_drop:g}"
    )
    return Check(
        suite=Suite.QUALITY,
        name=f"drop {found.measure}",
        status=verdict(not worse and not (strict and unsure)),
        said=said,
        details=(
            *_luck(luck, noise),
            *_notes(found),
            *_others(found),
            _tally(found.tallies[0]),
            *_movers(found),
        ),
    )


def segments(found: Pair, max_drop: float = MAX_DROP) -> list[Check]:
    """One check a segment; a small one is skipped, and listed so."""
    tallies = {(one.kind, one.value): one for one in found.tallies}
    return [
        Check(
            suite=Suite.SEGMENTS,
            name=f"{one.kind}:{one.value}",
            status=Status.SKIPPED if one.small else verdict(not one.blocks),
            said=_segment(one, found.measure, max_drop),
            details=(_tally(tallies[one.kind, one.value]),),
        )
        for one in found.segments
    ]


def _segment(one: SegmentChange, measure: str, max_drop: float) -> str:
    small = "; too few queries to judge it by" if one.small else ""
    return (
        f"{measure} {one.before:.4f} to {one.after:.4f}, {one.difference:+.4f} "
        f"(90 % upper bound {one.upper:+.4f}, {one.queries} queries); allowed is -{max_drop:g}"
        f"{small}"
    )


def _luck(luck: bool, noise: Noise | None) -> Sequence[str]:
    if noise is None:
        return ()
    said = "the difference lies under it: recording again could do that" if luck else ""
    return (f"{noise.line()}; {said}" if said else noise.line(),)


def _chosen(found: Pair | Unseen) -> tuple[str, ...]:
    if found.only_sealed:
        return ("numbers were chosen on such labels: only the sealed queries count",)
    if found.perhaps_chosen:
        return ("numbers were chosen on other labels, and queries of those may be among these",)
    return ()


def _notes(found: Pair) -> Sequence[str]:
    said = [*_chosen(found)]
    if not found.comparison.can_show and found.comparison.moved:
        said.append(
            f"{found.comparison.moved} groups moved, too few to be sure of anything "
            f"(smallest possible p {found.comparison.smallest_p:.3g})"
        )
    judged = next((name for name in found.means if name.startswith("Judged")), None)
    if judged is not None:
        before, after = found.means[judged]
        if abs(after - before) > APART:
            said.append(
                f"{judged} {before:.3f} to {after:.3f}: the difference may be of what was judged; "
                "judge what is new before you believe it"
            )
    return said


def _others(found: Pair) -> list[str]:
    return [
        f"{name} {before:.4f} to {after:.4f}"
        for name, (before, after) in found.means.items()
        if name != found.measure
    ]


def _tally(one: Tally) -> str:
    return (
        f"{one.wins} won, {one.ties} tied, {one.losses} lost; the first right document climbed "
        f"in {one.climbed} and fell in {one.fell}"
    )


def _movers(found: Pair) -> list[str]:
    losers = [one for one in found.movers if one.difference < 0][:LISTED]
    return [_mover(one) for one in losers]


def _mover(one: Mover) -> str:
    return (
        f"query {one.query}: {one.before:.4f} to {one.after:.4f}, "
        f"first right document {_place(one.right_before)} to {_place(one.right_after)}"
    )


def _place(right: int | None) -> str:
    return "not shown" if right is None else f"#{right}"
