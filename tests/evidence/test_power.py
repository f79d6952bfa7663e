"""What the sealed part can show, against published figures and against the test itself."""

from fractions import Fraction

import numpy as np
import pytest

from eval.evidence import Scores, compare, smallest_detectable
from eval.evidence.compare import compare_settings
from eval.evidence.power import Movement
from eval.evidence.simulate import (
    PLATEAU,
    SETTINGS,
    Shape,
    World,
    detectable_gain,
    simulate,
)
from tests.evidence.tables import table

# Groups that all move, with differences of standard deviation 1.
ALL_MOVE = Movement(share=np.array([1.0]), spread=np.array([1.0]), size=1.0)


@pytest.mark.parametrize(
    ("effect", "groups", "power"),
    [
        # G*Power 3.1, paired t test, alpha .05 two-sided: d = .5 needs n = 34 (actual power
        # .8077775), d = .2 needs n = 199 for .80.
        (0.5, 34, 0.8078),
        (0.2, 199, 0.80),
    ],
)
def test_power_equals_published_figures(effect, groups, power):
    """A person would be told that a set is large enough when it is not."""
    assert ALL_MOVE.power(np.array([effect]), groups, 0.025)[0] == pytest.approx(power, abs=0.002)


def test_smallest_is_the_inverse_of_power():
    """The difference on the screen would not be the one found in four of five cases."""
    movement = Movement(share=np.array([1.0, 0.4]), spread=np.array([0.1, 0.2]), size=2.0)
    gain = movement.smallest(80, 0.025, 0.8)
    assert movement.power(gain, 80, 0.025) == pytest.approx([0.8, 0.8], abs=1e-4)


def test_from_a_table_by_hand():
    """The spread would be taken from the wrong queries."""
    # Differences (.1, .3, 0, 0): half the groups move, with standard deviation sqrt(.02) = .1414.
    values = [[0.2, 0.3], [0.2, 0.5], [0.2, 0.2], [0.2, 0.2]]
    expected = Movement(share=np.array([0.5]), spread=np.array([np.sqrt(0.02)]), size=1.0)
    found = smallest_detectable(table(values), 50)
    assert found.by_setting[0] is None
    assert found.by_setting[1] == pytest.approx(expected.smallest(50, 0.025, 0.8)[0])
    assert found.value == found.by_setting[1]
    assert (found.groups, found.level, found.power) == (50, 0.025, 0.8)


@pytest.mark.parametrize("groups", [0, 1, 5])
def test_too_few_groups_detect_nothing(groups):
    """Infinity would stand in a JSON document, or a hopeless set look merely weak."""
    # 2^-5 > .025: five groups cannot give a p that small.
    scores = table(np.random.default_rng(1).uniform(size=(80, 3)))
    found = smallest_detectable(scores, groups)
    assert found.value is None
    assert found.by_setting == (None, None, None)


def test_settings_that_move_nothing_detect_nothing():
    """Zero variance would be sold as perfect certainty."""
    assert smallest_detectable(table(np.full((80, 3), 0.5)), 40).value is None


def test_a_large_table_is_quick_and_finite():
    """Far settings would come out as NaN."""
    rng = np.random.default_rng(1)
    values = 0.5 + rng.normal(0, 0.02, (900, 101)).cumsum(axis=1)
    scores = Scores(
        measure="nDCG@10",
        settings=tuple(Fraction(i, 100) for i in range(101)),
        values=values,
        groups=tuple(str(i) for i in range(900)),
        today=70,
    )
    found = [gain for gain in smallest_detectable(scores, 600).by_setting if gain is not None]
    assert len(found) == 100
    assert all(0 < gain < 1 for gain in found)


@pytest.mark.parametrize(
    ("shape", "groups"), [(Shape.INDEPENDENT, 40), (Shape.CLUSTERED, 24), (Shape.ZEROS, 40)]
)
def test_the_stated_power_is_the_power(shape, groups):
    """80 % power on the screen would be some other chance."""
    gain = detectable_gain(shape, groups)
    middle, sets = SETTINGS.index(sum(PLATEAU) / 2), 800
    rng = np.random.default_rng(9)
    world = World(shape=shape, gain=gain)
    shown = sum(
        compare_settings(simulate(world, groups, rng), middle, rng=rng, flips=999).gained
        for _ in range(sets)
    )
    # Within 4 points, and 2 for the noise of 800 sets (1.4).
    assert shown / sets == pytest.approx(0.8, abs=0.06)


def test_compare_shows_a_gain_of_twice_the_smallest():
    """The stated figure would be of another test than the one that runs."""
    rng = np.random.default_rng(2)
    noise = rng.normal(0, 0.1, 40)
    before = np.full(40, 0.4)
    names = [str(i) for i in range(40)]
    found = smallest_detectable(table(np.column_stack([before, before + noise])), 40)
    assert found.value is not None
    after = before + noise - noise.mean() + 2 * found.value
    assert compare(before, after, names, rng=rng).gained
