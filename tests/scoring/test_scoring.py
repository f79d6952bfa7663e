"""The arithmetic, against numbers worked by hand and laws that must hold for any input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from esra import scoring

reals = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.req("E131")
def test_normalised_is_the_place_between_lowest_and_highest():
    """Else a source's best and worst hits would not span its scale."""
    # (n - 2) / (10 - 2): 2 -> 0, 4 -> .25, 10 -> 1
    assert scoring.normalise([2.0, 4.0, 10.0], 2.0, 10.0).tolist() == [0.0, 0.25, 1.0]


@pytest.mark.req("E132")
@pytest.mark.parametrize("scores", [[7.0], [3.5, 3.5, 3.5], [0.0], [-2.0, -2.0]])
def test_equal_scores_are_all_one(scores):
    """Else a lone hit would divide zero by zero."""
    assert scoring.normalise(scores, min(scores), max(scores)).tolist() == [1.0] * len(scores)


@given(st.lists(reals, min_size=1, max_size=30))
def test_normalised_lies_in_0_1_for_any_finite_scores(scores):
    """Else an engine with huge scores would leave the scale, or make infinities."""
    values = scoring.normalise(scores, min(scores), max(scores))
    assert np.all((values >= 0) & (values <= 1))


@given(st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=30))
def test_scaling_a_source_by_1024_changes_no_float(scores):
    """Else a source's unit of score would decide its place among the others (RULINGS 2)."""
    scaled = [score * 1024 for score in scores]
    before = scoring.normalise(scores, min(scores), max(scores))
    after = scoring.normalise(scaled, min(scaled), max(scaled))
    assert before.tolist() == after.tolist()


def test_freshness_halves_at_the_half_life():
    """Else "half-life 7 days" would mean something else."""
    days = np.array([0.0, 7.0, 14.0, -3.0]) * scoring.DAY
    # 0.5^0, 0.5^1, 0.5^2, and a record from the future is not fresher than fresh
    assert scoring.freshness(days, 7.0, 0.0).tolist() == [1.0, 0.5, 0.25, 1.0]
    # floor .2: .2 + .8 x .5 = .6
    assert scoring.freshness([7.0 * scoring.DAY], 7.0, 0.2).tolist() == [0.6000000000000001]


def test_no_timestamp_and_no_half_life_leave_the_weight_alone():
    """Else undated records would be punished for it (RULINGS 6)."""
    assert scoring.freshness([math.nan, 1e9], [7.0, math.nan], 0.0).tolist() == [1.0, 1.0]


@given(st.lists(st.floats(0, 1e10), min_size=1, max_size=20), st.floats(0.25, 3650))
def test_one_record_and_a_thousand_get_the_same_freshness(ages, half_life):
    """Else the runtime, one at a time, and the replay, in bulk, would differ in the last bit."""
    bulk = scoring.freshness(ages, half_life, 0.1).tolist()
    assert bulk == [float(scoring.freshness(age, half_life, 0.1)) for age in ages]


@pytest.mark.req("E133")
def test_weighted_is_the_product_of_three():
    """Else priority or freshness would not weigh."""
    assert scoring.weight([0.5, 1.0], 2.0, [0.5, 0.25]).tolist() == [0.5, 0.5]


def test_evidence_weighs_between_its_floor_and_one():
    """Else a source would vanish, or count for more than the one that fits best."""
    assert scoring.evidence([0.0, 0.5, 1.0], 0.5).tolist() == [0.5, 0.75, 1.0]
    assert scoring.weight([0.5, 1.0], 2.0, 1.0, [0.5, 0.75]).tolist() == [0.5, 1.5]


@pytest.mark.req("E133")
@given(found=st.floats(0, 1), weighted=st.floats(0, 1e6))
def test_without_evidence_the_formula_is_the_seeds_to_the_last_bit(found, weighted):
    """Else an installation that never asked for evidence would order its results anew."""
    assert scoring.evidence(found, 1.0) == scoring.evidence(float("nan"), 0.3) == 1.0
    plain = scoring.weight(weighted, 1.7, 0.3)
    assert scoring.weight(weighted, 1.7, 0.3, scoring.evidence(found, 1.0)) == plain


@given(floor=st.floats(0, 1))
def test_the_best_source_keeps_its_whole_weight_under_any_floor(floor):
    """Else a single source would be marked down for nothing."""
    assert scoring.evidence(1.0, floor) == 1.0


@pytest.mark.req("E136", "E137")
def test_bonus_is_two_hundredths_an_extra_match_up_to_a_tenth():
    """Else being found seven times would count for more than the cap."""
    found_by = [1, 2, 3, 6, 7, 20]
    expected = [0.0, 0.02, 0.04, 0.1, 0.1, 0.1]
    assert scoring.bonus(found_by, 0.02, 0.1).tolist() == expected


@pytest.mark.req("E151")
def test_final_is_seven_tenths_semantic_and_three_tenths_weighted():
    """Else the order would not be the documented one."""
    # .7 x 1 + .3 x 0 = .7 ; .7 x 0 + .3 x 1 = .3 ; .7 x .5 + .3 x .5 = .5
    assert scoring.blend([1.0, 0.0, 0.5], [0.0, 1.0, 0.5], 0.7, 0.3).tolist() == [0.7, 0.3, 0.5]


def test_shares_in_thousandths_are_the_exact_decimals():
    """Else 0.7/0.3 of a tuned file and 0.7/0.3 of the catalog would order differently."""
    assert scoring.weights(700) == (0.7, 0.3)
    assert all(sum(scoring.weights(n)) == pytest.approx(1, abs=1e-15) for n in range(1001))
    with pytest.raises(ValueError, match=r"0\.\.1000"):
        scoring.weights(1001)


def test_order_is_group_then_score_then_tie_then_source_then_key_bytes():
    """Else two runs of one question could answer in two orders."""
    rows = [
        (2, 0.9, (), "a", "k"),
        (0, 0.1, (), "a", "z"),
        (0, 0.1, (), "a", "Z"),
        (0, 0.1, (), "A", "zz"),
        (0, 0.1, (-1.0,), "b", "a"),
        (0, 0.5, (), "z", "k"),
        (1, 1.0, (), "a", "k"),
    ]
    keys = sorted(scoring.order_key(*row, relation="r") for row in rows)
    assert [(key[0], -key[1], key[3], key[4]) for key in keys] == [
        (0, 0.5, "z", b"k"),
        (0, 0.1, "A", b"zz"),
        (0, 0.1, "a", b"Z"),
        (0, 0.1, "a", b"z"),
        (0, 0.1, "b", b"a"),
        (1, 1.0, "a", b"k"),
        (2, 0.9, "a", b"k"),
    ]


@pytest.mark.req("E148", "E149")
def test_round_robin_gives_every_source_its_turn():
    """Else a source of 500 hits would crowd out one of three."""
    lanes = [list(range(500)), [500, 501, 502], [600]]
    assert scoring.round_robin(lanes, 10) == [0, 500, 600, 1, 501, 2, 502, 3, 4, 5]
    assert scoring.round_robin([[1], [2]], 10) == [1, 2]
    assert scoring.round_robin([], 10) == []


def test_a_share_typed_by_hand_has_the_weights_of_the_grid():
    """A weight tried by hand would differ from the curve's in the last bit: 1 - 0.7 is not 0.3."""
    assert scoring.weights_of(0.7) == scoring.weights(700) == (0.7, 0.3)
    assert scoring.weights_of(0.0) == (0.0, 1.0)
    assert scoring.weights_of(1 / 3) == (1 / 3, 1.0 - 1 / 3)
    assert scoring.weights_of(0.12345) == (0.12345, 1.0 - 0.12345)
