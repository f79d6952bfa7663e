"""Draws a query set from traffic: at random, the most frequent, or in proportion to traffic.

Seeded, and the same whatever order the queries come in. Proportional means proportional: systematic
sampling with probability proportional to size (Madow 1949) gives each query its exact chance
min(1, n * its traffic / all traffic), and draws none twice; the chance goes with the query, so that
a figure over the sample can be weighed back to the traffic.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate


class Draw(StrEnum):
    """RANDOM: each query alike. TOP: the most frequent. TRAFFIC: in proportion to traffic."""

    RANDOM = "random"
    TOP = "top"
    TRAFFIC = "traffic"


class Segment(StrEnum):
    """Where a query stands in the traffic."""

    HEAD = "head"
    TORSO = "torso"
    TAIL = "tail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A query of the sample; ``chance`` is the probability with which it came in, 1 for TOP."""

    id: str
    traffic: int
    chance: float


def draw(traffic: Mapping[str, int], size: int, how: Draw, seed: int) -> tuple[Drawn, ...]:
    """At most ``size`` queries of ``traffic[id]`` counts, by falling traffic, then id.

    Raises ValueError for a size under 1 or a count under 0.
    """
    if size < 1:
        raise ValueError(f"a sample of {size} queries is none: 1 or more")
    wrong = next((id for id, count in traffic.items() if count < 0), None)
    if wrong is not None:
        raise ValueError(f"query {wrong!r} has a traffic of {traffic[wrong]}: 0 or more")
    ranked = sorted(traffic, key=lambda id: (-traffic[id], id))
    if how is Draw.TOP:
        chances = dict.fromkeys(ranked[:size], 1.0)
    elif how is Draw.RANDOM:
        kept = random.Random(seed).sample(ranked, min(size, len(ranked)))
        chances = dict.fromkeys(kept, min(1.0, size / len(ranked)) if ranked else 1.0)
    else:
        chances = _proportional(traffic, ranked, size, seed)
    return tuple(
        Drawn(id=id, traffic=traffic[id], chance=chances[id]) for id in ranked if id in chances
    )


def segments(
    traffic: Mapping[str, int], ends: tuple[float, float] = (1 / 3, 2 / 3)
) -> dict[str, Segment]:
    """Head, torso and tail: the most frequent queries that make up the first ``ends[0]`` of the
    traffic, those up to ``ends[1]``, the rest. Queries of equal traffic are never parted."""
    if not 0 < ends[0] < ends[1] < 1:
        raise ValueError(f"segments end at {ends}: two rising shares between 0 and 1")
    total = sum(traffic.values())
    at: dict[int, Segment] = {}
    before, often = 0, Counter(traffic.values())
    for count in sorted(often, reverse=True):
        share = before / total if total else 1.0
        at[count] = (
            Segment.HEAD if share < ends[0] else Segment.TORSO if share < ends[1] else Segment.TAIL
        )
        before += count * often[count]
    return {id: at[count] for id, count in traffic.items()}


def _proportional(
    traffic: Mapping[str, int], ranked: Sequence[str], size: int, seed: int
) -> dict[str, float]:
    left = [id for id in ranked if traffic[id] > 0]
    chances: dict[str, float] = {}
    # Whoever is due more than one place has one for certain; the others share what is left.
    while left and size > len(chances):
        places, total = size - len(chances), sum(traffic[id] for id in left)
        certain = [id for id in left if traffic[id] * places >= total]
        if not certain:
            return chances | _systematic(left, traffic, places, total, random.Random(seed))
        chances.update(dict.fromkeys(certain[:places], 1.0))
        left = [id for id in left if id not in chances]
    return chances


def _systematic(
    ids: Iterable[str], traffic: Mapping[str, int], places: int, total: int, dice: random.Random
) -> dict[str, float]:
    shuffled = list(ids)
    dice.shuffle(shuffled)
    step = total / places
    start = dice.random() * step
    ends = list(accumulate(traffic[id] for id in shuffled))
    chances: dict[str, float] = {}
    at = 0
    for place in range(places):
        while at < len(ends) - 1 and ends[at] <= start + place * step:
            at += 1
        chances[shuffled[at]] = traffic[shuffled[at]] * places / total
    return chances
