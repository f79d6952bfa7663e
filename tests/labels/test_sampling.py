"""A sample of queries is drawn as its name says, and again the same by its seed."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.labels.sampling import Draw, draw, segments

traffics = st.dictionaries(st.text(max_size=3), st.integers(0, 99), max_size=30)
TRAFFIC = {"a": 50, "b": 20, "c": 10, "d": 10, "e": 6, "f": 4, "g": 0}


@pytest.mark.req("W20")
def test_the_top_is_the_most_frequent():
    """A set said to be the head would hold queries nobody asks."""
    assert [one.id for one in draw(TRAFFIC, 4, Draw.TOP, 0)] == ["a", "b", "c", "d"]


@pytest.mark.req("W20")
@pytest.mark.parametrize("how", Draw)
@given(
    traffic=st.dictionaries(st.text(max_size=3), st.integers(0, 99), max_size=30), data=st.data()
)
@settings(deadline=None, max_examples=80)
def test_a_seed_draws_the_same_whatever_the_order(how, traffic, data):
    """A sample could be drawn again until it pleases, by sorting the file."""
    size, seed = data.draw(st.integers(1, 12)), data.draw(st.integers(0, 9))
    found = draw(traffic, size, how, seed)
    shuffled = dict(random.Random(1).sample(list(traffic.items()), len(traffic)))
    assert draw(shuffled, size, how, seed) == found
    able = sum(count > 0 for count in traffic.values()) if how is Draw.TRAFFIC else len(traffic)
    assert len(found) == len({one.id for one in found}) == min(size, able)
    assert all(0 < one.chance <= 1 for one in found)


@pytest.mark.req("W20")
def test_traffic_decides_the_chance_exactly():
    """The sample would not stand for the traffic, and no weight could make it."""
    # n = 3 of 100: a is due 1.5 places and has one for certain. Of the other 50, two places:
    # b 20 x 2/50 = .8, c and d 10 x 2/50 = .4, e .24, f .16, g never.
    due = {"a": 1.0, "b": 0.8, "c": 0.4, "d": 0.4, "e": 0.24, "f": 0.16}
    came = Counter()
    for seed in range(4000):
        for one in draw(TRAFFIC, 3, Draw.TRAFFIC, seed):
            came[one.id] += 1
            assert one.chance == pytest.approx(due[one.id])
    for id, chance in due.items():
        assert came[id] / 4000 == pytest.approx(chance, abs=0.03)  # four standard errors
    assert came["g"] == 0


@pytest.mark.req("W20")
def test_each_query_is_as_likely_as_another_at_random():
    """A sample said to be random would favour what stands first."""
    came = Counter(one.id for seed in range(4000) for one in draw(TRAFFIC, 3, Draw.RANDOM, seed))
    assert all(count / 4000 == pytest.approx(3 / 7, abs=0.032) for count in came.values())
    assert len(came) == 7


@pytest.mark.req("W20")
def test_segments_are_cut_by_traffic():
    """Head, torso and tail would be thirds of the queries, and the head be nobody's."""
    found = segments(TRAFFIC)
    assert found == {
        "a": "head",
        "b": "torso",
        "c": "tail",
        "d": "tail",
        "e": "tail",
        "f": "tail",
        "g": "tail",
    }
    assert segments({"a": 5, "b": 5, "c": 5}) == dict.fromkeys("abc", "head")
    assert segments({"a": 0}) == {"a": "tail"}


@pytest.mark.parametrize("ends", [(0, 0.5), (0.5, 0.5), (0.6, 0.5), (0.5, 1)])
def test_segments_that_cannot_be_are_refused(ends):
    """A segment would be empty by construction and be reported as one without queries."""
    with pytest.raises(ValueError, match="two rising shares"):
        segments(TRAFFIC, ends)


def test_a_sample_that_cannot_be_is_refused():
    """A negative count would take chances from the others."""
    with pytest.raises(ValueError, match="1 or more"):
        draw(TRAFFIC, 0, Draw.TOP, 0)
    with pytest.raises(ValueError, match="0 or more"):
        draw({"a": -1}, 1, Draw.TRAFFIC, 0)
