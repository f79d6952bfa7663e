"""May the model be switched off: the three verdicts, the noise floor, budgets, and the margin."""

from datetime import UTC, datetime

import numpy as np
import pytest

from eval.evidence import UnfitScores
from eval.evidence.capped import Option, best_within, frontier
from eval.evidence.margin import MarginRefused, read_margin, set_margin
from eval.evidence.noninferior import Answer, further_queries, may_switch_off
from eval.recording.noise import noise
from tests.runs import made

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def arms(difference: float, spread: float, queries: int = 200, seed: int = 1, luck: float = 0.0):
    """(with the model [3, Q], without it [Q], groups)."""
    rng = np.random.default_rng(seed)
    model = rng.uniform(0.3, 0.7, queries) + rng.normal(0, luck, (3, 1))
    moves = rng.normal(0, spread, queries)
    without = model[0] + difference + moves - moves.mean()
    return model, without, [str(number) for number in range(queries)]


def verdict(*arm, **more):
    return may_switch_off(*arm, rng=np.random.default_rng(9), **more)


@pytest.mark.req("W43")
@pytest.mark.parametrize(
    ("difference", "spread", "answer"),
    [(-0.005, 0.05, "yes"), (-0.06, 0.05, "no"), (-0.015, 0.3, "cannot tell")],
)
def test_the_three_verdicts(difference, spread, answer):
    """Else "no difference was found" would be sold as "there is none"."""
    found = verdict(*arms(difference, spread))
    assert found.answer == answer
    assert found.difference == pytest.approx(difference)
    assert (found.further is None) == (answer != "cannot tell")


@pytest.mark.req("W43")
def test_how_many_more_queries_it_takes_by_hand():
    """Else "cannot tell" would be the end of it."""
    # Standard deviation .1, seen -.0, margin .02: (2.8016 x .1 / .02)^2 = 196.2, so 197 groups.
    moves = np.array([0.1, -0.1] * 50) * (99 / 100) ** 0.5  # variance .01 with 99 in the divisor
    sums = np.tile(moves, (3, 1))
    assert further_queries(sums, np.ones(100), 0.02) == 197 - 100
    # Two queries a group, so twice as many queries for as many groups.
    assert further_queries(2 * sums, np.full(100, 2.0), 0.02) == 2 * (197 - 100)
    # Just at the margin nothing tells, and neither where the recordings differ by more.
    assert further_queries(sums - 0.02, np.ones(100), 0.02) is None
    apart = sums + np.array([[-0.03], [0.0], [0.03]])
    assert further_queries(apart, np.ones(100), 0.02) is None


@pytest.mark.req("W43")
def test_arms_that_are_not_judged_alike_cannot_tell():
    """Else the arm whose results nobody judged would lose for that."""
    arm = arms(-0.06, 0.05)
    found = verdict(*arm, judged=(0.95, 0.89))
    assert (found.answer, found.further) == (Answer.CANNOT_TELL, None)
    assert "judge the deciding pairs" in found.why
    assert verdict(*arm, judged=(0.95, 0.91)).answer is Answer.NO


@pytest.mark.req("W43", "W41")
def test_the_interval_draws_recordings_too():
    """Else one lucky recording of the model would decide."""
    steady, lucky = arms(-0.01, 0.02), arms(-0.01, 0.02, luck=0.02)
    widths = [high - low for low, high in (verdict(*arm).interval for arm in (steady, lucky))]
    assert widths[1] > 2 * widths[0]
    model, without, groups = steady
    with pytest.raises(UnfitScores, match="recorded 2 times"):
        verdict(model[:2], without, groups)
    with pytest.raises(UnfitScores, match="recorded 1 times"):
        verdict(model[0], without, groups)
    with pytest.raises(UnfitScores, match="margin"):
        verdict(model, without, groups, margin=0.0)


def test_few_groups_get_no_percentiles_and_still_an_honest_interval():
    """Else a dozen queries would answer for a product."""
    found = verdict(*arms(-0.005, 0.05, queries=5))
    assert found.answer is Answer.CANNOT_TELL
    assert found.interval == (-1.0, 1.0)  # of 32 patterns none is rare enough


@pytest.mark.req("W43")
def test_a_loss_at_the_margin_is_called_bearable_no_more_often_than_stated():
    """Else "2.5 %" would be decoration."""
    rng = np.random.default_rng(11)
    groups = [str(number) for number in range(100)]
    wrong = 0
    for _ in range(400):
        model = np.full((3, 100), 0.5)
        without = 0.5 - 0.02 + rng.normal(0, 0.08, 100)
        found = may_switch_off(model, without, groups, rng=rng, replicates=999)
        wrong += found.answer is Answer.YES
    # 2.5 % of 400 is 10; the 99.9 % quantile of that binomial is 21.
    assert 0 < wrong <= 21


@pytest.mark.req("W41")
def test_a_difference_within_the_noise_floor_is_explained_by_it():
    """Else a model's mood would be claimed as a gain, or as a loss."""
    # Each of 4 queries .1 apart in two repeats: variance .005, 1.96 x sqrt(2 x .02) / 4 = .098.
    repeats = [{"a": 0.5, "b": 0.6, "c": 0.5, "d": 0.6}, {"a": 0.6, "b": 0.5, "c": 0.6, "d": 0.5}]
    found = noise("nDCG@10", repeats)
    assert found.floor == pytest.approx(0.098, abs=1e-4)
    assert not found.explains(0.1)
    assert not found.explains(-0.1)
    assert found.explains(-0.09)
    assert found.explains(0.09)
    # An arm that answers alike every time has no floor, and every difference is one.
    assert not noise("nDCG@10", [repeats[0]] * 3).explains(1e-9)


@pytest.mark.req("W41")
def test_two_recordings_of_one_arm_stay_under_the_floor_as_often_as_stated():
    """Else the floor would be a number without a meaning."""
    rng = np.random.default_rng(2)
    over = 0
    for _ in range(1_000):
        arm = rng.normal(0.5, 0.1, (5, 50))
        known = noise("m", [dict(enumerate(map(float, one))) for one in arm[:3]])
        over += not known.explains(arm[3].mean() - arm[4].mean())
    assert over <= 69  # 5 % of 1,000 is 50; the 99.5 % quantile of that binomial is 69


@pytest.mark.req("W48", "W35")
def test_the_cap_comes_first_and_then_the_best():
    """Else the best model would win that nobody can wait for."""
    slow = Option(name="slow", quality=0.9, seconds=3.0, cost=0.01)
    good = Option(name="good", quality=0.8, seconds=1.0, cost=0.004)
    dear = Option(name="dear", quality=0.8, seconds=0.9, cost=0.008)
    free = Option(name="free", quality=0.6, seconds=0.2, cost=None)
    unfair = Option(name="unfair", quality=0.95, seconds=0.1, cost=0.001, held=False)
    options = [slow, good, dear, free, unfair]
    assert best_within(options).best is slow
    within = best_within(options, seconds=1.0)
    assert within.best is good  # as good as the dear one, and cheaper
    assert dict(within.out) == {
        "slow": "3 s over the cap of 1 s",
        "unfair": "some segment loses more than is borne",
    }
    assert best_within(options, cost=0.005).best is good
    assert best_within(options, seconds=0.15).best is None
    assert [one.name for one in frontier(options[:4])] == ["free", "dear", "slow"]
    assert [one.name for one in frontier(options[:4], by_cost=True)] == ["good", "slow"]


@pytest.mark.req("W43")
def test_the_margin_is_set_before_recording_or_not_at_all(tmp_path):
    """Else the margin would be the number that gives the verdict somebody wanted."""
    desk = tmp_path / "runs" / "desk"
    assert read_margin(desk).value == 0.02
    assert read_margin(desk).date == ""
    kept = set_margin(desk, 0.03, NOW)
    assert (kept.value, kept.date) == (0.03, "2026-03-01T00:00:00+00:00")
    made.run(tmp_path, "one", {"q1": 1})
    with pytest.raises(MarginRefused, match=r"run one is recorded.*0\.03 stands"):
        set_margin(desk, 0.05, NOW)
    assert read_margin(desk) == kept
    with pytest.raises(MarginRefused, match="no loss"):
        set_margin(tmp_path / "runs" / "other", 0.0, NOW)
    (desk / "margin.json").write_text('{"margin": "NaN", "measure": "x", "set": "2026-01-01"}')
    with pytest.raises(MarginRefused, match="no loss"):
        read_margin(desk)
