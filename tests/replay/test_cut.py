"""A replay under other numbers is the runtime under other numbers, its shortlist included."""

import json
import random
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

from esra.domain.capability import Forms, RerankForm
from esra.llm.scripted import Scripted
from eval import bulk
from eval.record import OneTrace
from eval.replay import recorded, replay
from eval.search.part import part
from eval.table import pair
from tests.house import ask, catalog, hit, house, scoring, source

NAMES = ("a", "b", "c")


def answered(seed, numbers, *, listwise=False):
    """What the runtime answers to one question under some numbers; its model has no dice.

    A ``listwise`` model scores a record by what stands first beside it, too.
    """
    r = random.Random(seed)
    script = {
        name: [
            [
                hit(
                    f"k{r.randint(0, 20)}",
                    r.uniform(0, 9),
                    source=name,
                    timestamp=-r.uniform(1, 9e6),
                    title=f"{name} {r.random()}",
                )
                for _ in range(r.randint(0, 15))
            ]
            for _ in range(2)
        ]
        for name in NAMES
    }
    for answers in script.values():
        titles = {}
        for rows in answers:
            rows[:] = [replace(h, title=titles.setdefault(h.id, h.title)) for h in rows]

    def answer(brief):
        first = brief.candidates[0].title if listwise else ""
        scores = [
            (c.resultId, sha256((c.title + first).encode()).digest()[0] / 255)
            for c in brief.candidates
        ]
        return json.dumps([{"resultId": id, "score": score} for id, score in scores])

    sink = OneTrace()
    forms = Forms(rerank=RerankForm.MODEL)
    known = catalog(*(source(name) for name in NAMES), forms=forms, scoring=numbers)
    ask(house(known, script, rerankers={"model": Scripted(answer)}, traces=sink))
    return recorded(str(seed), json.loads(json.dumps(sink.trace)))


def numbers_of(seed, shortlist):
    r = random.Random(seed)
    own = {name: {"priority": r.uniform(0.1, 10), "half_life": r.uniform(1, 99)} for name in NAMES}
    return scoring(semantic_weight=0.6, lexical_weight=0.4, match_bonus=r.uniform(0, 0.1),
                   shortlist=shortlist, own=own)  # fmt: skip


@pytest.mark.req("U12", "W52")
@pytest.mark.parametrize("seed", range(60))
def test_other_numbers_leave_out_what_their_shortlist_would_not_ask_for(seed):
    """A number would be tuned on scores that the model is never asked for once it is in force."""
    before, after = numbers_of(seed, shortlist=200), numbers_of(seed + 1000, shortlist=7)
    laid = bulk.lay_out([answered(seed, before)])
    found = bulk.order(laid, after, cut=True)
    replayed = [(laid.ids[at], found.final[at]) for at in found.ranking(0)]
    live = answered(seed, after).ranking
    assert replayed == list(live)
    alone = replay(answered(seed, before), after, cut=True)
    assert tuple((ranked.candidate.hit.id, ranked.final) for ranked in alone) == live


def test_recorded_numbers_cut_nothing():
    """The echo would be lost: what was asked is what the recorded shortlist holds."""
    numbers = numbers_of(5, shortlist=9)
    laid = bulk.lay_out([answered(seed, numbers) for seed in range(20)])
    plain, cut = bulk.order(laid, numbers), bulk.order(laid, numbers, cut=True)
    assert np.array_equal(plain.records, cut.records)
    assert np.array_equal(plain.final, cut.final)


def test_a_part_is_ordered_as_it_is_in_the_whole():
    """A climb on some of the queries would come to other numbers than it says."""
    numbers, other = numbers_of(1, shortlist=9), numbers_of(2, shortlist=6)
    laid = bulk.lay_out([answered(seed, numbers) for seed in range(12)])
    judgements = {
        query: {pair(laid.ids[at]): int(at % 3) for at in np.flatnonzero(laid.query == n)}
        for n, query in enumerate(laid.queries)
    }
    labels = bulk.label(laid, judgements)
    chosen = np.arange(12) % 3 > 0
    small, own = part(laid, labels, chosen)
    assert small.queries == tuple(query for n, query in enumerate(laid.queries) if n % 3)
    for assumed in (None, 0.0, 1.0):
        whole = bulk.order(laid, other, assumed, cut=True)
        alone = bulk.order(small, other, assumed, cut=True)
        assert np.array_equal(alone.final, whole.final[chosen[laid.query]])
        figures = bulk.ndcg(whole, labels)[chosen[labels.measured]]
        assert np.array_equal(bulk.ndcg(alone, own), figures)
