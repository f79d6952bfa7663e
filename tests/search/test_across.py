"""The held-out figures of a climb: no fold has a say in the numbers that it is scored under."""

from dataclasses import replace

import numpy as np
import pytest

from eval import bulk
from eval.evidence import Scores
from eval.search import across
from eval.search.ascent import ascend
from eval.search.tunables import tunable
from eval.table import pair
from tests.replay.random_traces import random_trace

TURNED = [tunable(name, ("a", "b", "c")) for name in ("share", "priority:b")]


@pytest.mark.req("W47")
def test_each_query_is_left_out_of_the_one_climb_that_it_is_scored_under(monkeypatch):
    """The estimate would be the in-sample gain under another name; the sealed part would be in."""
    laid, labels, numbers, looked_at, development = _recorded()
    own = development.groups
    seen = []

    def climb(laid, *more, **words):
        # The procedure that is estimated restarts; one that does not would be another.
        assert "restarts" not in words
        seen.append(set(laid.queries))
        return ascend(laid, *more, **words, restarts=0)

    monkeypatch.setattr(across, "ascend", climb)
    across.cross_fitted(laid, labels, numbers, TURNED, development, looked_at, draws=2)
    assert len(seen) == 10
    for draw in (seen[:5], seen[5:]):
        assert set.union(*draw) == set(own)
        assert all(sum(query not in climbed for climbed in draw) == 1 for query in own)


@pytest.mark.req("W47")
def test_the_estimate_is_the_same_however_many_processes_climb(monkeypatch):
    """Two people with the same recording would be shown other figures, by their machines' cores."""
    laid, labels, numbers, looked_at, development = _recorded()
    told = []

    def estimate(processes):
        return across.cross_fitted(
            laid,
            labels,
            numbers,
            TURNED,
            development,
            looked_at,
            draws=2,
            processes=processes,
            say=told.append,
        )

    assert estimate(1) == estimate(2)
    assert told == [f"  held-out estimate, draw {n} of 2" for n in (1, 2, 1, 2)]


def test_an_estimate_takes_no_fewer_draws_than_are_promised():
    """One lucky cut into folds would pass for what the climb gains."""
    assert across.DRAWS >= 20


def _recorded():
    """Thirty traces, a quarter of which may not be looked at."""
    traces = [replace(random_trace(seed), query=f"q{seed}") for seed in range(30)]
    laid = bulk.lay_out(traces)
    judgements = {t.query: {pair(id): n % 3 for n, (id, _) in enumerate(t.ranking)} for t in traces}
    labels = bulk.label(laid, judgements)
    looked_at = labels.measured & (np.arange(30) % 4 > 0)
    own = tuple(query for query, hit in zip(laid.queries, looked_at, strict=True) if hit)
    values = np.zeros((len(own), 1))
    development = Scores(measure="", settings=(0,), values=values, groups=own, today=0)
    return laid, labels, traces[0].numbers, looked_at, development
