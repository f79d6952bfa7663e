"""What the runtime answers to one question under some numbers, by a model without dice."""

import json
import random
from dataclasses import replace
from hashlib import sha256

from esra.domain.capability import Forms, RerankForm
from esra.llm.scripted import Scripted
from eval.record import OneTrace
from eval.replay import recorded
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
