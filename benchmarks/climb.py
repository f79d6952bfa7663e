"""What a climb over every number costs, alone and as the whole procedure with its estimate.

``python -m benchmarks.climb`` makes up 100 queries of 5 sources and 195 candidates, of which the
runtime's own shortlist of 30 was asked for, and prints CPU seconds.
"""

import random
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from esra.domain.capability import Scoring, SourceScoring
from esra.domain.hit import Answer, Given, NativeHit, RecordId
from esra.domain.plan import Strategy
from esra.stages.rerank import shortlist
from eval import bulk
from eval.bulk import Bulk, Labels
from eval.evidence.scores import Scores
from eval.replay import Recorded, candidates
from eval.search.across import DRAWS, cross_fitted
from eval.search.ascent import ascend
from eval.search.learnable import everything, fitted, why_not
from eval.search.tunables import Tunable
from eval.table import pair

QUERIES, THIRD, DAY = 100, 13, 86_400.0
HALF_LIFE = "half-life"
SOURCES = ("docs", "forum", "mail", "news", "wiki")
NUMBERS = Scoring(
    semantic_weight=0.7,
    lexical_weight=0.3,
    match_bonus=0.02,
    bonus_cap=0.1,
    freshness_floor=0.2,
    stale_weight=0.5,
    evidence_floor=0.8,
    shortlist=30,
    sources=tuple((id, SourceScoring(priority=1.0, half_life=30.0)) for id in SOURCES),
)


def recorded(name: str, dice: random.Random) -> Recorded:
    """One question: two queries to each source, that share a third of what they find."""
    answers = tuple(
        Answer(
            source=source,
            query=place,
            strategy=Strategy.KEYWORD,
            result=tuple(_hit(name, source, place * THIRD + n, dice) for n in range(2 * THIRD)),
            capped=False,
        )
        for source in SOURCES
        for place in range(2)
    )
    blank = Recorded(
        query=name,
        now=0.0,
        numbers=NUMBERS,
        answers=answers,
        evidence={source: dice.random() for source in SOURCES},
        semantic={},
        asked=(),
        ranking=(),
        reranked=True,
    )
    asked = tuple(one.hit.id for one in shortlist(candidates(blank, NUMBERS), NUMBERS.shortlist))
    return replace(blank, asked=asked, semantic={id: Given(value=dice.random()) for id in asked})


def _hit(query: str, source: str, key: int, dice: random.Random) -> NativeHit:
    # What belongs to a record is the same in each answer that holds it.
    own = random.Random(f"{query} {source} {key}")
    return NativeHit(
        id=RecordId(source, "pages", f"k{key}"),
        native=dice.expovariate(1.0),
        title="",
        fragment="",
        timestamp=-own.uniform(0, 400) * DAY,
        stale=own.random() < 0.1,
        tie=(),
    )


def made(queries: int = QUERIES, seed: int = 7) -> tuple[Bulk, Labels]:
    """Laid out and labelled: a few of the asked candidates, and of the others, are relevant."""
    dice = random.Random(seed)
    traces = [recorded(f"q{n}", dice) for n in range(queries)]
    laid = bulk.lay_out(traces)
    judgements = {
        one.query: {pair(id): dice.randint(1, 3) for id in dice.sample(one.asked, 3)}
        for one in traces
    }
    return laid, bulk.label(laid, judgements)


def learnable(laid: Bulk, labels: Labels) -> tuple[Tunable, ...]:
    """What ``./workbench tune --parameter all`` would turn."""
    asked = (fitted(laid, NUMBERS, one, labels.measured) for one in everything(laid, NUMBERS))
    return tuple(one for one in asked if why_not(laid, labels, NUMBERS, one) is None)


def timed(work: Callable[[], object]) -> float:
    """CPU seconds."""
    start = time.process_time()
    work()
    return time.process_time() - start


def procedure(laid: Bulk, labels: Labels, turned: tuple[Tunable, ...], draws: int) -> object:
    """The held-out estimate; three in four of the queries are looked at."""
    looked_at = np.arange(len(laid.queries)) % 4 > 0
    own = tuple(q for q, ok in zip(laid.queries, looked_at, strict=True) if ok)
    development = Scores(
        measure="nDCG@10", settings=(0,), values=np.zeros((len(own), 1)), groups=own, today=0
    )
    return cross_fitted(laid, labels, NUMBERS, turned, development, looked_at, draws=draws)


def main() -> None:
    laid, labels = made()
    every = learnable(laid, labels)
    print(f"{QUERIES} queries, {len(laid.ids)} records, CPU seconds, {DRAWS} draws of 5 folds")
    print("numbers  a climb  one draw  climb and estimate")
    for turned in (tuple(one for one in every if one.linear or one.name == HALF_LIFE), every):
        climb = timed(
            lambda some=turned: ascend(laid, labels, NUMBERS, some, rng=np.random.default_rng(1))
        )
        draw = timed(lambda some=turned: procedure(laid, labels, some, 1))
        print(f"{len(turned):7}  {climb:7.1f}  {draw:8.1f}  {climb + DRAWS * draw:18.0f}")


if __name__ == "__main__":
    main()
