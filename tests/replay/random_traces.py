"""Traces of random invocations through the real pipeline; a seed gives the same one every time."""

import json
import random

from esra.domain.capability import Forms, RerankForm, Scoring, SourceScoring
from esra.domain.codes import FailureCode
from esra.domain.outcome import Failed
from esra.llm.scripted import Scripted
from esra.ports import Trouble
from eval.record import OneTrace
from eval.replay import recorded
from tests.house import ask, catalog, hit, house, scoring, source

DAY = 86_400.0
NAMES = ("a", "b", "c")


def random_trace(seed: int, **changes):
    """The records of ``random_plain_trace``."""
    return recorded(str(seed), random_plain_trace(seed, **changes))


def random_plain_trace(seed: int, **changes):
    """The trace of a random invocation: 3 sources, ties, duplicates, dates, failures, omissions."""
    r = random.Random(seed)
    script = {name: [_answer(r, name) for _ in range(r.randint(0, 3))] for name in NAMES}
    numbers = _numbers(r, **changes)
    form = r.choice([RerankForm.MODEL, RerankForm.NONE])
    found = {name: r.random() for name in NAMES if r.random() < 0.8}

    def scores(brief):
        if r.random() < 0.1:
            raise Trouble("down")
        rows = [{"resultId": c.resultId, "score": r.choice([0.0, 0.5, r.random()])}
                for c in brief.candidates if r.random() < 0.9]  # fmt: skip
        return json.dumps(rows)

    def evidence(prompt, ids):
        return {id: found[id] for id in ids if id in found}

    sources = [source(n, mappings=("docs", "notes")) for n in NAMES]  # plans of three queries
    known = catalog(*sources, forms=Forms(rerank=form), scoring=numbers)
    sink, rerankers = OneTrace(), {"model": Scripted(scores)}
    ask(house(known, script, rerankers=rerankers, traces=sink, evidence=evidence))
    return json.loads(json.dumps(sink.trace))  # through JSON, as a recording goes


def _answer(r: random.Random, name: str):
    if r.random() < 0.1:
        return Failed(code=r.choice(list(FailureCode)))
    return [
        hit(
            f"k{r.randint(0, 12)}",
            r.choice([None, 0.0, 1.0, r.uniform(-5, 50)]),
            source=name,
            timestamp=r.choice([None, r.uniform(-400, 10) * DAY]),
            stale=r.random() < 0.2,
        )
        for _ in range(r.randint(0, 15))
    ]


def _numbers(r: random.Random, **changes) -> Scoring:
    return scoring(
        semantic_weight=r.random() + 0.01,
        lexical_weight=r.random(),
        match_bonus=r.uniform(0, 0.1),
        bonus_cap=r.uniform(0, 0.5),
        freshness_floor=r.random(),
        stale_weight=r.random(),
        shortlist=r.randint(5, 30),
        evidence_floor=r.choice([1.0, r.random()]),
        own={
            name: {
                "priority": r.uniform(0.1, 10),
                "half_life": r.choice([None, r.uniform(0.25, 100)]),
                "native_floor": r.choice([None, 0.5]),
            }
            for name in NAMES
        },
        **changes,
    )


def random_numbers(r: random.Random) -> Scoring:
    """Numbers to replay under."""
    return Scoring(
        semantic_weight=r.random() + 0.001,
        lexical_weight=r.random(),
        match_bonus=r.uniform(0, 0.1),
        bonus_cap=r.uniform(0, 0.5),
        freshness_floor=r.random(),
        stale_weight=r.random(),
        evidence_floor=r.choice([1.0, r.random()]),
        shortlist=r.randint(5, 40),
        sources=tuple(
            (
                id,
                SourceScoring(
                    priority=r.uniform(0.1, 10),
                    half_life=r.choice([None, r.uniform(0.25, 300)]),
                    native_floor=r.choice([None, None, r.uniform(-5, 30)]),
                    ceiling=r.choice([1, 2, 3, 20]),
                ),
            )
            for id in "abc"
        ),
    )
