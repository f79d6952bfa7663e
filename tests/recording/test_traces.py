"""What a trace says of cost and length, beyond what a replay needs."""

import pytest

from esra.domain.capability import Forms, PlanForm, Presence, RerankForm, SelectForm
from esra.domain.usage import Usage
from esra.llm.scripted import Scripted
from esra.ports import Trouble
from eval.record import OneTrace
from tests.house import ask, catalog, hit, house, source

COST = Usage(calls=2, tokens_in=70, tokens_out=5, seconds=0.5)
ALL = Forms(select=SelectForm.MODEL, plan=PlanForm.MODEL, rerank=RerankForm.MODEL)


def failing(brief):
    raise Trouble("no", usage=COST)


@pytest.mark.req("W35")
def test_what_a_failed_asking_cost_stands_in_the_trace():
    """A model that fails half the time would look half as dear as it is."""
    model, sink = Scripted(failing), OneTrace()
    ask(
        house(
            catalog(source("a"), source("b"), presence={"a": Presence.MANDATORY}, forms=ALL),
            {"a": [[hit("k", 1.0, source="a")]]},
            selectors={"model": model},
            planners={"model": model},
            rerankers={"model": model},
            traces=sink,
        )
    )
    usages = {call["step"]: call["usage"] for call in sink.trace["calls"]}
    assert usages["select"]["tokens_in"] == 70
    assert {usage["calls"] for usage in usages.values()} == {2}


def test_a_trace_holds_how_long_a_text_is_and_no_text():
    """Recall in a context window could not be computed, or a trace would hold what rows say."""
    sink = OneTrace()
    ask(house(catalog(source("a")), {"a": [[hit("k", 1.0, source="a")]]}, traces=sink))
    found = hit("k", 1.0, source="a")
    assert sink.trace["lengths"] == [len(found.title) + len(found.fragment)]
