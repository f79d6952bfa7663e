"""Coordinate ascent with restarts: one number after the other to its own best, until none helps.

Where a number is linear its whole curve is searched exactly; else every value of its grid is tried.
The way up takes the shortlist of each place as given and measures what it finds with the new one;
the best end then goes on under the shortlist that each value would have, until no curve has better.
The result is a local optimum, in sample: good enough to propose, never to claim.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np

from esra.domain.capability import Scoring
from eval.bulk import Bulk, Labels, Mask
from eval.search.exact import search
from eval.search.heights import Heights, heights
from eval.search.tunables import Tunable, change, grid, value_of

RESTARTS = 3
SWEEPS = 5
LEAST = 1e-9  # a smaller gain of the mean is no gain


@dataclass(frozen=True, slots=True, kw_only=True)
class Ascent:
    """Where it came to, from where, and how many settings were measured on the way."""

    numbers: Scoring
    value: float
    start: float
    tried: int


def ascend(
    bulk: Bulk,
    labels: Labels,
    numbers: Scoring,
    turned: Sequence[Tunable],
    *,
    rng: np.random.Generator,
    chosen: Mask | None = None,
    restarts: int = RESTARTS,
) -> Ascent:
    """The best of the climbs from ``numbers`` and from ``restarts`` random starts.

    Of equal ends the one reached from ``numbers`` stays, so that luck moves nothing.
    """
    wanted = labels.measured if chosen is None else labels.measured & chosen
    if not wanted.any():
        raise ValueError("no query to climb on has a relevant document")
    hill = heights(bulk, labels, wanted)
    start = hill.mean(numbers)
    best, value, tried = _climb(hill, numbers, turned, start, frozen=True)
    for _ in range(restarts):
        begun = _random(numbers, turned, rng)
        other, reached, more = _climb(hill, begun, turned, hill.mean(begun), frozen=True)
        tried += more + 1
        if reached > value + LEAST:
            best, value = other, reached
    best, value, more = _climb(hill, best, turned, value)
    return Ascent(numbers=best, value=value, start=start, tried=tried + more)


def _climb(
    hill: Heights,
    numbers: Scoring,
    turned: Sequence[Tunable],
    value: float,
    *,
    frozen: bool = False,
) -> tuple[Scoring, float, int]:
    tried = idle = 0
    for one in chain.from_iterable(repeat(turned, SWEEPS)):
        numbers, reached, more = _step(hill, numbers, one, value, frozen)
        tried += more
        # Once every number stayed where it was, none will move.
        idle = 0 if reached > value else idle + 1
        value = reached
        if idle == len(turned):
            break
    return numbers, value, tried


def _step(
    hill: Heights, numbers: Scoring, one: Tunable, value: float, frozen: bool
) -> tuple[Scoring, float, int]:
    """One number to its best; it stays where nothing is better."""
    if one.linear:
        curve, found = search(hill.bulk, hill.labels, numbers, one, hill.wanted, frozen=frozen)
        options = [found.middle] if frozen or found.value > value + LEAST else []
        tried = len(curve.values)
    else:
        options = [option for option in grid(one) if option != value_of(numbers, one)]
        tried = len(options)
    for option in options:
        changed = change(numbers, one, option)
        height = hill.mean(changed)
        if height > value + LEAST:
            numbers, value = changed, height
    return numbers, value, tried


def _random(numbers: Scoring, turned: Sequence[Tunable], rng: np.random.Generator) -> Scoring:
    for one in turned:
        if one.linear:
            low, high = one.bounds.low, one.bounds.high
            numbers = change(numbers, one, float(rng.uniform(low, high)))
        else:
            options = grid(one)
            numbers = change(numbers, one, options[int(rng.integers(len(options)))])
    return numbers
