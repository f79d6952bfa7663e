"""Simulates labelled queries whose truth is known, to test what this package claims about itself.

A query's measure follows a random walk over the settings, as nDCG does while a share moves:
settings next to each other agree, settings far apart differ. On top lies the planted curve: flat
over the plateau and falling at one slope to both sides, by `gain` at today's setting.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

import numpy as np

from eval.evidence.power import smallest_detectable
from eval.evidence.scores import Floats, Scores

SETTINGS = tuple(Fraction(i, 20) for i in range(21))
TODAY = SETTINGS.index(Fraction(7, 10))
PLATEAU = (Fraction(1, 5), Fraction(2, 5))
# Standard deviation of a walk's step, and of how hard queries are.
STEP, HARDNESS = 0.05, 0.2
ZEROS = 0.6
LARGEST_GROUP = 5


class Shape(StrEnum):
    """independent: one query a group. clustered: 1 to 5 queries a group that move together (half of
    the variance is the group's). zeros: 60 % of the queries are the same under every setting.
    """

    INDEPENDENT = "independent"
    CLUSTERED = "clustered"
    ZEROS = "zeros"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A population of queries: `gain` is the true mean gain of the plateau over today's setting."""

    shape: Shape
    gain: float = 0.0

    @property
    def curve(self) -> Floats:
        """[S] the true mean difference to today's setting."""
        low, high, today = (float(edge) for edge in (*PLATEAU, SETTINGS[TODAY]))
        share = np.array([float(setting) for setting in SETTINGS])
        outside = np.maximum(np.maximum(low - share, share - high), 0.0)
        return self.gain * (1 - outside / (today - high))


def simulate(world: World, groups: int, rng: np.random.Generator) -> Scores:
    """Draws `groups` groups; their keys are drawn too, so that each set is sealed anew."""
    sizes = np.ones(groups, dtype=np.intp)
    if world.shape is Shape.CLUSTERED:
        sizes = rng.integers(1, LARGEST_GROUP + 1, size=groups)
    group = np.repeat(np.arange(groups), sizes)
    differences = _walks(len(group), rng) + world.curve
    if world.shape is Shape.CLUSTERED:
        shared = _walks(groups, rng)[group]
        differences = (differences - world.curve + shared) / np.sqrt(2) + world.curve
    if world.shape is Shape.ZEROS:
        moves = rng.random(len(group)) >= ZEROS
        lifted = differences + world.curve * (1 / (1 - ZEROS) - 1)
        differences = np.where(moves[:, None], lifted, 0.0)
    start = rng.normal(0.5, HARDNESS, size=(len(group), 1))
    name = rng.integers(2**62)
    return Scores(
        measure="nDCG@10",
        settings=SETTINGS,
        values=start + differences,
        groups=tuple(f"{name} {number}" for number in group),
        today=TODAY,
    )


def _walks(count: int, rng: np.random.Generator) -> Floats:
    """[count, S] random walks that are 0 at today's setting."""
    walks = rng.normal(0.0, STEP, size=(count, len(SETTINGS))).cumsum(axis=1)
    return walks - walks[:, [TODAY]]


@lru_cache
def detectable_gain(shape: Shape, groups: int) -> float:
    """The true gain, in the plateau's middle, that `groups` sealed groups of this shape detect.

    It is what `smallest_detectable` says of a sample so large that it is the population.
    """
    sample = simulate(World(shape=shape), 20_000, np.random.default_rng(0))
    found = smallest_detectable(sample, groups).by_setting[SETTINGS.index(sum(PLATEAU) / 2)]
    if found is None:
        raise ValueError(f"{groups} groups detect no gain of shape {shape}")
    return found
