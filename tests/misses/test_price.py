"""A price is what trying out every order finds, and no more. ``ESRA_LONG=1``: 3,000 lists."""

import os
import random
from itertools import combinations

import pytest

from eval.measures import ndcg_at
from eval.misses import Cause, Known, cause, misses
from eval.misses.price import best_between
from tests.misses.test_misses import ranked, trace
from tests.replay.random_traces import random_plain_trace


def tried(kept, lost, marks, k):
    """nDCG@k of the best list that holds ``kept`` in its order and ``lost`` in any, anywhere."""
    size = len(kept) + len(lost)
    best = 0.0
    for places in combinations(range(size), len(lost)):
        rest, ordered = iter(kept), iter(sorted(lost, key=lambda one: -marks[one]))
        order = [next(ordered) if at in places else next(rest) for at in range(size)]
        best = max(best, ndcg_at(order, marks, k))
    return best


LISTS = 3_000 if os.environ.get("ESRA_LONG") == "1" else 60


@pytest.mark.req("W57")
@pytest.mark.parametrize("seed", range(LISTS))
def test_no_order_gains_more_than_the_price(seed):
    """The stage that would be mended first would not be the one that costs most."""
    dice = random.Random(seed)
    kept = [("news", f"d{n}") for n in range(dice.randint(0, 6))]
    lost = [("wiki", f"w{n}") for n in range(dice.randint(1, 4))]
    grades = {record: dice.choice((0, 0, 1, 2, 3)) for record in kept}
    marks = {**grades, **{record: dice.randint(1, 3) for record in lost}}
    k = dice.randint(1, 8)
    one = trace(ranking=[ranked(key) for _, key in kept], shown=len(kept))
    (row,) = (r for r in misses({"q": one}, {"q": marks}, k).rows if r.cause is Cause.NOT_SELECTED)
    before = ndcg_at(kept, marks, k)
    assert row.price == pytest.approx(tried(kept, lost, marks, k) - before, abs=1e-12)


def test_two_may_pay_for_a_shift_that_one_does_not():
    """Put in one after the other, each at its own best place, both would stand at the end.

    Before: 0 + 2/log2(3). One document of grade 1 in front pushes the 2 out, for 1 + 0; two give
    1 + 1/log2(3).
    """
    assert best_between([0.0, 2.0], [1.0], 2) == pytest.approx(2 / 1.5849625007211562)
    assert best_between([0.0, 2.0], [1.0, 1.0], 2) == pytest.approx(1 + 1 / 1.5849625007211562)


@pytest.mark.req("W57")
def test_what_was_cut_gains_at_its_own_place():
    """A size cap would be priced as if it had kept the best result from the first place."""
    order = [ranked("x"), ranked("y"), ranked("right")]
    marks = {("news", "right"): 1}
    for notices, expected in (
        ([], Cause.CUT_BY_LIMIT),
        ([{"code": "RESPONSE_TRUNCATED", "count": 2}], Cause.CUT_BY_SIZE),
    ):
        one = trace(ranking=order, shown=1, notices=notices)
        (row,) = misses({"q": one}, {"q": marks}).rows
        assert (row.cause, row.price) == (expected, 0.5)  # 1 / log2(4), of an ideal of 1


@pytest.mark.req("W57")
def test_what_is_masked_is_read_by_nobody():
    """A result of which nothing can be read would count as an answer, and unmasking as no gain."""
    one = trace(ranking=[ranked("right"), ["news", "open", "other", 0.5, 0.3]], shown=2)
    marks = {("news", "right"): 1, ("news", "other"): 1}
    found = misses({"q": one}, {"q": marks}, 10, Known(masked=frozenset({("news", "docs")})))
    (row,) = found.rows
    assert (found.shown, row.cause) == (1, Cause.MASKED)
    # From 1/log2(3) to 1 + 1/log2(3), over an ideal of 1 + 1/log2(3).
    assert row.price == pytest.approx(1 / 1.6309297535714575, abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_no_price_is_more_than_all_there_is_to_win(seed):
    """A stage would be said to be worth more than the whole pipeline."""
    dice = random.Random(seed)
    one = random_plain_trace(seed)
    keys = [(s, f"k{n}") for s in ("a", "b", "c", "elsewhere") for n in range(14)]
    marks = {record: dice.randint(0, 3) for record in keys} | {("a", "k0"): 1}
    k = dice.randint(1, 12)
    sent = list(dict.fromkeys((row[0], row[2]) for row in one["ranking"][: one["shown"]]))
    for row in misses({"q": one}, {"q": marks}, k).rows:
        assert -1e-12 <= row.price <= 1 - ndcg_at(sent, marks, k) + 1e-12
        assert all(cause(one, "q", record, k, Known()) is row.cause for _, record in row.first)
