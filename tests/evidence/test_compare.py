"""The paired test and its interval, worked by hand."""

from itertools import product

import numpy as np
import pytest

from eval.evidence import UnfitScores, compare
from eval.evidence.flips import flip_law
from eval.evidence.scores import SAME

DICE = 7


def dice() -> np.random.Generator:
    return np.random.default_rng(DICE)


def of(differences, sizes=None):
    sums = np.array(differences, dtype=float)
    return flip_law(sums, np.ones(len(sums)) if sizes is None else np.array(sizes, float), dice())


def test_three_groups_by_hand():
    """The p-value on the screen would not be the share of sign patterns it claims to be."""
    # Of the 8 patterns of (.1, .2, .3) only the one seen adds up to .6.
    assert of([0.1, 0.2, 0.3]).p == 1 / 8
    # (-.1, .2, .3): the one seen (.4) and the one with -.1 flipped (.6).
    assert of([-0.1, 0.2, 0.3]).p == 2 / 8
    # A group that does not move doubles patterns and hits alike.
    assert of([0.1, 0.2, 0.3, 0.0]).p == 2 / 16


def test_three_groups_interval_by_hand():
    """The interval would not belong to the test beside it."""
    # Means of the 7 other half samples of (.1, .2, .3): .1 .15 .2 .2 .2 .25 .3. At a tail of 2/8
    # one mean may lie outside each end.
    assert of([0.1, 0.2, 0.3]).interval(0.25) == pytest.approx((0.15, 0.25))
    assert of([0.1, 0.2, 0.3]).interval(0.125) == pytest.approx((0.1, 0.3))
    # Three groups give no pattern rarer than 1/8: nothing is known.
    assert of([0.1, 0.2, 0.3]).interval(0.1) == (-1.0, 1.0)


def test_unequal_groups_by_hand():
    """A need with many wordings would count as often in the mean as one with a single wording."""
    # Sums (.2, .6) over (1, 3) queries: half samples have means .2, .2, .8/4 = .2.
    assert of([0.2, 0.6], [1, 3]).interval(0.25) == pytest.approx((0.2, 0.2))


@pytest.mark.parametrize("seed", range(5))
def test_patterns_equal_enumeration(seed):
    """The quick way over half samples would not be the sign flips it stands for."""
    d = np.random.default_rng(seed).normal(0.3, 1, 8)
    flipped = [np.dot(signs, d) for signs in product((1, -1), repeat=8)]
    assert of(d).p == np.mean([total >= d.sum() - SAME for total in flipped])
    assert of(d).exact


@pytest.mark.parametrize("seed", range(20))
def test_p_and_interval_never_disagree(seed):
    """A report would show an interval above zero beside a test that found nothing."""
    d = np.random.default_rng(seed).normal(0.1, 0.25, 24)
    law = of(d)
    for level in (0.025, 0.0125, 0.2):
        assert (law.p <= level) == (law.interval(level)[0] > SAME)


def test_many_groups_come_close_to_student():
    """Random flips would be off the exact answer by more than their own noise."""
    # scipy.stats.ttest_1samp(d, 0, alternative="greater").pvalue = .05389 for this d; the flips'
    # own noise is sqrt(.054 x .946 / 20000) = .0016, and the two tests differ by less.
    d = np.random.default_rng(14).normal(0.02, 0.1, 100)
    assert of(d).p == pytest.approx(0.05389, abs=0.005)


def test_wordings_of_one_need_are_one_witness():
    """Forty copies of one lucky query would prove a gain."""
    before, after = np.zeros(80), np.repeat([0.1, 0.2], 40)
    copies = compare(before, after, ["first"] * 40 + ["second"] * 40, rng=dice())
    assert (copies.groups, copies.p, copies.smallest_p) == (2, 0.25, 0.25)
    assert not copies.gained
    assert not copies.can_show
    alone = compare(before, after, [str(i) for i in range(80)], rng=dice())
    assert alone.gained


def test_smallest_p_counts_groups_that_move():
    """ "No gain" would be said where these groups could not have shown one."""
    # 5 of 30 groups move: 2^-5 = .031 at best.
    after = np.zeros(30)
    after[:5] = 0.3
    few = compare(np.zeros(30), after, [str(i) for i in range(30)], rng=dice())
    assert few.smallest_p == 1 / 32
    assert not few.can_show
    assert not few.gained


def test_equal_arms_differ_by_nothing():
    """Two equal arms would divide zero by zero."""
    same = compare(np.full(40, 0.5), np.full(40, 0.5), [str(i) for i in range(40)], rng=dice())
    assert (same.difference, same.interval, same.p, same.gained) == (0.0, (0.0, 0.0), 1.0, False)


def test_one_query():
    """A single query would crash the report, or prove something."""
    one = compare([0.1], [0.9], ["only"], rng=dice())
    assert (one.p, one.interval) == (0.5, (-1.0, 1.0))


def test_unfit_arms_are_refused():
    """A query without a score would drop out of the mean unseen."""
    with pytest.raises(UnfitScores, match="list it and leave it out"):
        compare([0.1, np.nan], [0.2, 0.3], ["a", "b"], rng=dice())


def test_same_dice_same_answer():
    """Two runs on the same data would print two p-values."""
    d = np.random.default_rng(3).normal(0.05, 0.2, 50)
    assert (of(d).p, of(d).interval(0.025)) == (of(d).p, of(d).interval(0.025))
