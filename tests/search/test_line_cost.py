"""What a whole curve may cost, beside single points of a numpy grid on the same queries."""

import numpy as np
import pytest

from benchmarks.line_search import apart, cpu, made

MOST = 5.0  # grid points, each with a full stable sort


def points(search, queries):
    """CPU of one search in grid points; both take turns, so that a busy machine slows both."""
    taken, point = cpu(search, lambda: queries.grid_point(0.37), rounds=7)
    return taken / point


@pytest.fixture(scope="module", params=[1, 2, 5, 10])
def queries(request):
    """1,000 queries of 100 candidates, of which so many are relevant."""
    return made(request.param, np.random.default_rng(request.param))


@pytest.mark.req("W45")
def test_a_whole_curve_costs_no_more_than_five_points(queries):
    """Whoever looks at a curve would wait longer than for a grid, and take the grid."""
    # The least of a few: a neighbour on the machine only ever adds.
    assert min(points(queries.search, queries) for _ in range(3)) <= MOST


def test_a_search_that_does_its_work_over_and_over_is_noticed():
    """The bound above would hold for whatever the search costs."""
    queries = made(10, np.random.default_rng(3))
    assert points(lambda: [queries.search() for _ in range(4)], queries) > MOST


@pytest.mark.parametrize("relevant", [1, 10, 50])
def test_the_curve_is_that_of_single_points(relevant):
    """A fast curve would be of something else than what a ranking at that number scores."""
    rng = np.random.default_rng(relevant)
    queries = made(relevant, rng, queries=100)
    found = queries.search()
    assert len(found.values) > 100
    assert apart(queries, found, rng) <= 1e-12
