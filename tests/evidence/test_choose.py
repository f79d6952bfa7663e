"""The plateau, and what it makes of today's setting."""

from fractions import Fraction

import numpy as np
import pytest

from eval.evidence import choose
from eval.evidence.simulate import PLATEAU, Shape, World, simulate
from tests.evidence.tables import TENTHS, table


def dice() -> np.random.Generator:
    return np.random.default_rng(7)


def around(curve, *, today, noise=0.02, groups=60):
    """Every group follows the curve; each setting has a small noise of its own."""
    rng = np.random.default_rng(1)
    curve = np.array(curve)
    return table(curve + rng.normal(0, noise, (groups, len(curve))), today=today)


def test_shortfall_by_hand():
    """The band would stand around other figures than the curve shows."""
    # Means (.1, .5, .4); groups of settings 0 and 1 differ by .4 each, so no doubt is left.
    choice = choose(table([[0.0, 0.4, 0.3], [0.2, 0.6, 0.5]]), rng=dice())
    assert choice.curve == pytest.approx((0.1, 0.5, 0.4))
    assert choice.shortfall == pytest.approx((0.4, 0.0, 0.1))
    assert choice.margin == (0.0, 0.0, 0.0)
    assert (choice.setting, choice.stays) == (Fraction(1, 10), False)


@pytest.mark.req("W49")
def test_today_in_the_plateau_stays():
    """A number in production would be changed for a difference that is noise."""
    # Settings .3 to .7 are equal; the sample's peak is one of them, today is another.
    choice = choose(
        around([0.1, 0.1, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.1, 0.1, 0.1], today=3), rng=dice()
    )
    assert choice.plateau == (Fraction(3, 10), Fraction(7, 10))
    assert choice.stays
    assert choice.setting == Fraction(3, 10)


@pytest.mark.req("W49")
def test_else_its_middle():
    """The luckiest setting of the sample would be taken instead of the safest."""
    choice = choose(
        around([0.1, 0.1, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.1, 0.1, 0.1], today=0), rng=dice()
    )
    assert choice.plateau == (Fraction(3, 10), Fraction(7, 10))
    assert not choice.stays
    assert choice.setting == Fraction(5, 10)


def test_the_middle_of_an_even_stretch_is_the_one_nearer_to_today():
    """Two runs would differ, or a number move further than it has to."""
    plateau = [0.1, 0.1, 0.5, 0.5, 0.5, 0.5, 0.1, 0.1, 0.1, 0.1, 0.1]
    assert choose(around(plateau, today=0), rng=dice()).setting == Fraction(3, 10)
    assert choose(around(plateau, today=10), rng=dice()).setting == Fraction(4, 10)


def test_a_broken_plateau_gives_the_stretch_with_the_peak():
    """The middle of two good stretches would be the bad setting between them."""
    choice = choose(
        around([0.1, 0.5, 0.5, 0.5, 0.1, 0.1, 0.1, 0.497, 0.1, 0.1, 0.1], today=0), rng=dice()
    )
    assert choice.plateau == (Fraction(1, 10), Fraction(3, 10))
    assert choice.setting == Fraction(2, 10)


def test_today_stays_in_a_stretch_of_its_own():
    """A good number would be given up because a worse one lies between it and the peak."""
    choice = choose(
        around([0.1, 0.5, 0.5, 0.5, 0.1, 0.1, 0.1, 0.497, 0.1, 0.1, 0.1], today=7), rng=dice()
    )
    assert choice.stays
    assert choice.setting == Fraction(7, 10)


def test_equal_settings_change_nothing():
    """A tie would be settled by the order of the grid, the last tie winning."""
    choice = choose(table(np.full((50, 11), 0.4), today=6), rng=dice())
    assert choice.flat
    assert choice.stays
    assert choice.plateau == (TENTHS[0], TENTHS[10])
    assert choice.peak == TENTHS[6]


@pytest.mark.parametrize("groups", [["one"] * 5, ["a", "a", "b", "b", "b"]])
def test_too_few_groups_keep_today(groups):
    """One need, asked five times, would move a number for everybody."""
    rng = np.random.default_rng(2)
    values = rng.uniform(size=(5, 11))
    choice = choose(table(values, groups=groups, today=4), rng=dice())
    assert choice.stays


@pytest.mark.parametrize("shape", Shape)
def test_the_best_setting_is_in_the_plateau_as_often_as_announced(shape):
    """A band announced at 95 % would leave the truly best setting out more often."""
    rng = np.random.default_rng(5)
    # Without a gain every setting is truly best, today's too.
    sets = 300
    inside = sum(choose(simulate(World(shape=shape), 60, rng), rng=rng).stays for _ in range(sets))
    # .95 - 3 sqrt(.95 x .05 / 300) = .912
    assert inside / sets >= 0.912


def test_a_planted_plateau_is_found():
    """The band would be so wide that no gain is ever proposed."""
    rng = np.random.default_rng(5)
    choice = choose(simulate(World(shape=Shape.CLUSTERED, gain=0.15), 100, rng), rng=rng)
    assert not choice.stays
    assert PLATEAU[0] <= choice.setting <= PLATEAU[1]
