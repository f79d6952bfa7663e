"""An interval says how sure a figure is, and counts needs, not wordings."""

import random

from eval.measures.interval import of_mean, of_ratio


def test_the_interval_draws_whole_groups():
    """Ten wordings of one need would count as ten witnesses, and make a figure look sure."""
    values = {f"q{n}": float(n % 2) for n in range(20)}
    alone = of_mean(values, {})
    together = of_mean(values, {f"q{n}": f"g{n % 2}" for n in range(20)})
    assert (together, alone[0] > 0, alone[1] < 1) == ((0.0, 1.0), True, True)
    assert of_mean({"a": 1.0, "b": 0.0}, {"a": "g", "b": "g"}) is None
    assert of_ratio({"a": (0.0, 0.0), "b": (0.0, 0.0)}, {}) is None


def test_an_interval_does_not_depend_on_the_order_of_queries():
    """A figure would be surer, or less sure, by the sorting of a file."""
    r = random.Random(4)
    values = {f"q{n}": r.random() for n in range(30)}
    groups = {f"q{n}": f"g{n % 7}" for n in range(30)}
    shuffled = dict(r.sample(list(values.items()), len(values)))
    assert of_mean(shuffled, groups) == of_mean(values, groups)
    assert of_mean(shuffled, {}) == of_mean(values, {})


def test_an_interval_covers_what_it_says():
    """Intervals would be too short by a factor that nobody checks: the mean of 40 is known."""
    r, held = random.Random(3), 0
    for _ in range(200):
        values = {f"q{n}": r.random() for n in range(40)}
        low, high = of_mean(values, {})
        held += low <= 0.5 <= high
    assert 0.89 <= held / 200 <= 0.99
