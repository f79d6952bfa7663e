"""Live answers against a replay: who is contradicted wrongly, and who is let through."""

import os
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from eval.evidence.agree import LEVEL, Agreement, Bearing, agreement

LONG = bool(os.environ.get("ESRA_LONG"))
SETS = 1_000 if LONG else 120
DRAWS = 999
SAMPLE = 50


def noise(kind, rng):
    """What one answer differs by from what the model means, of 50 queries."""
    match kind:
        case "normal":
            return rng.normal(0, 0.05, SAMPLE)
        case "rare":  # one query in seventeen is ordered otherwise
            jumps = rng.choice([-0.37, 0.37, -0.13, 0.2], SAMPLE)
            return np.where(rng.random(SAMPLE) < 0.06, jumps, 0.0)
        case _:  # what falls out falls deep
            return np.where(rng.random(SAMPLE) < 0.3, -rng.exponential(0.1, SAMPLE), 0.0)


def heard(kind, recordings, effect, rng):
    """Four answers of each query in all, of which the live ones are off by ``effect``."""
    means = rng.uniform(0.2, 0.8, SAMPLE)
    before = np.stack([means + noise(kind, rng) for _ in range(recordings)])
    after = np.stack([means + effect + noise(kind, rng) for _ in range(4 - recordings)])
    return agreement(before, after, repeats_itself=False, rng=rng, draws=DRAWS)


@pytest.mark.req("U12")
@pytest.mark.parametrize("recordings", [1, 3])
@pytest.mark.parametrize("kind", ["normal", "rare", "skewed"])
def test_the_honest_pass_and_an_effect_of_twice_the_floor_does_not(kind, recordings):
    """A language model that does not repeat itself could never be tuned, or never be caught."""
    rng = np.random.default_rng(17)
    honest = [heard(kind, recordings, 0.0, rng) for _ in range(SETS)]
    false = sum(one.bearing is Bearing.CONTRADICTED for one in honest)
    assert false <= stats.binom.ppf(0.999, SETS, LEVEL)
    floor = float(np.mean([one.floor for one in honest]))
    caught = 0
    for _ in range(SETS):
        effect = rng.normal(0, floor, SAMPLE)
        effect += 2 * floor - effect.mean()
        caught += heard(kind, recordings, effect, rng).bearing is Bearing.CONTRADICTED
    assert caught >= 0.9 * SETS


def test_an_effect_that_cancels_over_the_queries_is_caught_too():
    """A replay that is wrong of every query would speak for the sealed ones."""
    rng = np.random.default_rng(5)
    found = [heard("normal", 1, np.resize([0.15, -0.15], SAMPLE), rng) for _ in range(20)]
    assert all(one.bearing is Bearing.CONTRADICTED for one in found)
    assert max(abs(one.difference) for one in found) < 0.03


def test_the_law_by_hand():
    """The floor would be another figure than what the answers differ by among themselves."""
    # Either answer of each of two queries may be the live one: +-.2 and +-.1, so that the mean
    # difference is .15 or .05 in size, each half the time, and the mean square always .025.
    found = agreement(
        np.array([[0.5, 0.5]]),
        np.array([[0.7, 0.6]]),
        repeats_itself=False,
        rng=np.random.default_rng(0),
    )
    assert (found.predicted, found.live) == pytest.approx((0.5, 0.65))
    assert found.floor == pytest.approx(0.15)
    assert found.p == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(("off", "bearing"), [(1e-10, "borne-out"), (1e-8, "contradicted")])
def test_a_model_that_repeats_itself_has_no_noise_to_hide_in(off, bearing):
    """A cross-encoder whose replay is wrong would be excused by a noise that it has not."""
    same = np.full((1, 3), 0.5)
    found = agreement(same, same + off, repeats_itself=True, rng=np.random.default_rng(0))
    assert str(found.bearing) == bearing
    assert found.floor == 0


def test_a_model_that_repeats_itself_is_held_query_by_query():
    """Ranks come in few values, so that a replay wrong of every query is often right on average."""
    found = agreement(
        np.array([[1.0, 0.5, 0.0]]),
        np.array([[0.5, 1.0, 0.0]]),
        repeats_itself=True,
        rng=np.random.default_rng(0),
    )
    assert found.difference == 0.0
    assert found.bearing is Bearing.CONTRADICTED


def test_an_agreement_that_could_take_the_whole_gain_says_nothing():
    """A model would only have to be unsteady enough to be believed."""
    one = Agreement(
        queries=50, predicted=0.5, live=0.49, floor=0.04, p=0.6, recordings=1, answers=3,
        reached=0.5, claimed=0.03,
    )  # fmt: skip
    # .03 less half of (.01 + .04) leaves .005; half of (.01 + .06) would be more than there is.
    assert one.left == pytest.approx(0.005)
    assert one.bearing is Bearing.BORNE_OUT
    assert replace(one, floor=0.06).bearing is Bearing.UNCLEAR
    assert replace(one, floor=0.06, reached=0.3).bearing is Bearing.BORNE_OUT
