"""Held-out figures: what they leave out, and that they are not the optimism of the curve."""

import numpy as np
import pytest

from eval.evidence import choose, nested
from eval.evidence.folds import fold_draws
from eval.evidence.simulate import SETTINGS, Shape, World, simulate
from tests.evidence.tables import gained, table


def dice() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.mark.req("W46")
@pytest.mark.parametrize("strata", [None, tuple("xy" * 30)])
def test_a_group_is_never_split_over_folds(strata):
    """A wording of a held-out need would have chosen the number that it is scored under."""
    groups = [f"need {i // 4}" for i in range(60)]
    scores = table(np.zeros((60, 2)), groups=groups, strata=strata)
    drawn = list(fold_draws(scores, 20, dice()))
    for fold in drawn:
        assert len({(group, int(f)) for group, f in zip(groups, fold, strict=True)}) == 15
        assert set(fold.tolist()) == {0, 1, 2, 3, 4}
    assert len({tuple(fold) for fold in drawn}) == 20


def test_strata_are_spread_over_folds():
    """A fold would hold all queries of one source, and the others choose without it."""
    strata = tuple("x" * 40 + "y" * 10)
    scores = table(np.zeros((50, 2)), strata=strata)
    for fold in fold_draws(scores, 5, dice()):
        assert [int((fold[40:] == f).sum()) for f in range(5)] == [2, 2, 2, 2, 2]


@pytest.mark.req("W47")
def test_a_clear_gain_by_hand():
    """The report would give another gain than the one every fold agrees on."""
    # Every query gains .25 under setting .1, so every fold picks it, whatever the draw.
    values = np.column_stack([np.linspace(0.1, 0.5, 40), np.linspace(0.35, 0.75, 40)])
    estimate = nested(table(values), rng=dice())
    assert estimate.before == pytest.approx(0.3)
    assert estimate.after == pytest.approx(0.55)
    assert estimate.difference == pytest.approx(0.25)
    assert estimate.interval == pytest.approx((0.25, 0.25))
    assert estimate.spread == pytest.approx(0.0)
    assert (estimate.groups, estimate.draws) == (40, 20)
    assert estimate.picks == ((table(values).settings[1], 1.0),)


@pytest.mark.req("W47")
def test_held_out_figures_are_unbiased_where_the_curve_is_not():
    """The gain on the report would be the luck of having looked at many settings."""
    rng = np.random.default_rng(11)
    world = World(shape=Shape.INDEPENDENT, gain=0.05)
    errors, optimism = [], []
    for _ in range(60):
        scores = simulate(world, 60, rng)
        estimate = nested(scores, rng=rng, draws=4)
        truth = sum(world.curve[SETTINGS.index(s)] * share for s, share in estimate.picks)
        errors.append(estimate.difference - truth)
        choice = choose(scores, rng=rng, replicates=99)
        peak = SETTINGS.index(choice.peak)
        optimism.append(choice.curve[peak] - choice.curve[scores.today] - world.curve[peak])
    noise = np.std(errors) / np.sqrt(len(errors))
    assert abs(np.mean(errors)) <= 2 * noise
    assert np.mean(optimism) > 5 * noise


def test_an_undecided_procedure_has_a_wide_interval():
    """An interval around the average of two choices would miss what either of them gives."""
    # Near the edge of the band some folds stay and some leave.
    estimate = nested(gained(30, 0.1, seed=3, noise=0.2), rng=dice())
    shares = dict(estimate.picks)
    assert 0.05 <= shares[0] <= 0.95
    low, high = estimate.interval
    assert low <= 0 <= high
    assert high > 0.1


def test_one_group_holds_nothing_out():
    """A single need would crash the report, or estimate itself."""
    estimate = nested(table([[0.1, 0.9], [0.2, 0.8]], groups=["one", "one"]), rng=dice())
    assert (estimate.difference, estimate.before) == (0.0, pytest.approx(0.15))
    assert estimate.after == estimate.before


def test_two_groups_make_two_folds():
    """Fewer groups than folds would be refused by the splitter."""
    estimate = nested(table([[0.1, 0.9], [0.2, 0.8]]), rng=dice())
    assert estimate.groups == 2
