"""Planning: one brief a source, business names only, and a template that loses no prompt."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esra.briefs import FieldBrief
from esra.domain.capability import Forms, PlanForm
from esra.domain.codes import WarningCode
from esra.domain.plan import PlanOrigin, Strategy
from esra.domain.source import Operator
from esra.llm.scripted import Scripted
from esra.ports import Trouble
from esra.reply import Unusable
from esra.sources.question import content_words
from esra.stages.plan import admit_plan, plan_searches, template_plan
from tests.house import FakeEngine, call, field, scope, scoped, scoring, source

MODEL = Forms(plan=PlanForm.LOCAL)
ONE = json.dumps({"queries": [{"mapping": "docs", "strategy": "keyword", "optional": ["wing"]}]})


def plans(*sources, planner=None, forms=MODEL, engine=None, numbers=None, seconds=5.0):
    own = scope(*sources, forms=forms, scoring=numbers or scoring())
    chosen = tuple(scoped(one) for one in sources)
    planners = {"local": planner} if planner else {}
    providers = {"fake": engine or FakeEngine({})}
    return asyncio.run(plan_searches(call(), own, chosen, planners, providers, seconds))


@pytest.mark.req("E066")
def test_the_template_is_a_phrase_over_the_prompt_and_a_keyword_over_its_content_words():
    """Else the fallback would not be the documented one."""
    plan = template_plan("What is the flutter of a wing?", source("news"), 3)
    keyword, phrase = plan.queries
    assert (keyword.strategy, keyword.optional) == (Strategy.KEYWORD, ("flutter", "wing"))
    assert (phrase.strategy, phrase.phrases) == (
        Strategy.PHRASE,
        ("what is the flutter of a wing",),
    )


def test_the_template_is_per_mapping_and_the_ceiling_per_source():
    """Else a source of many mappings would exceed its ceiling (RULINGS 13)."""
    three = source("news", mappings=("a", "b", "c"))
    order = [(q.mapping, q.strategy.value) for q in template_plan("x y", three, 20).queries]
    assert order == [
        ("a", "keyword"), ("b", "keyword"), ("c", "keyword"),
        ("a", "phrase"), ("b", "phrase"), ("c", "phrase"),
    ]  # fmt: skip
    assert len(template_plan("x y", three, 4).queries) == 4


def test_a_prompt_of_stop_words_keeps_them():
    """Else "The Who" would search for nothing (B35)."""
    assert content_words("The Who") == ("the", "who")


@pytest.mark.req("E007", "E048", "E049")
def test_planning_calls_are_one_a_source_and_all_in_flight_together():
    """Else a slow source would hold up the planning of the others."""
    names = ["a", "b", "c", "d"]

    class Meeting(Scripted):
        waiting = 0
        everyone: asyncio.Event

        async def plan(self, brief):
            self.waiting += 1
            if self.waiting == len(names):
                self.everyone.set()
            await self.everyone.wait()
            return self._reply(brief)

    async def run():
        planner = Meeting(lambda brief: ONE)
        planner.everyone = asyncio.Event()
        sources = [source(name) for name in names]
        outcome = await plan_searches(
            call(),
            scope(*sources, forms=MODEL),
            tuple(scoped(s) for s in sources),
            {"local": planner},
            {"fake": FakeEngine({})},
            5.0,
        )
        return planner, outcome

    planner, outcome = asyncio.run(run())
    assert len(planner.seen) == 4
    assert [plan.origin for plan in outcome.value] == [PlanOrigin.LOCAL] * 4


@pytest.mark.req("E050", "E067")
def test_one_sources_failure_falls_back_alone_and_is_named():
    """Else one broken plan would cost every source its own."""

    def answer(brief):
        if "describes b" in brief.description:
            raise Trouble("refused")
        return ONE

    sources = (source("a", description="describes a"), source("b", description="describes b"))
    outcome = plans(*sources, planner=Scripted(answer))
    assert [plan.origin for plan in outcome.value] == [PlanOrigin.LOCAL, PlanOrigin.TEMPLATE]
    assert [(w.code, w.source) for w in outcome.warnings] == [(WarningCode.PLANNING_FALLBACK, "b")]


@pytest.mark.req("E051", "E052", "E053", "E054", "E055", "E056", "E057")
def test_a_brief_holds_one_sources_business_schema_and_nothing_else():
    """Else one source's words, or a table's real names, would reach a model."""
    fields = (
        field("author", searchable=True, filterable=True, operators=frozenset({Operator.EQ})),
        field("salary", restricted=True),
    )
    sources = (
        source("a", description="canary-a", fields=fields),
        source("b", description="canary-b"),
    )
    planner = Scripted(lambda brief: ONE)
    plans(*sources, planner=planner, engine=FakeEngine({}, strategies=[Strategy.KEYWORD]))
    first = next(brief for brief in planner.seen if brief.description == "canary-a")
    assert first.prompt == "wing flutter"
    assert "canary-b" not in repr(first)
    assert "hidden_" not in repr(planner.seen)
    assert "salary" not in repr(planner.seen)
    (mapping,) = first.mappings
    assert (mapping.id, mapping.name, mapping.description) == ("docs", "Docs", "about docs")
    assert mapping.fields == (
        FieldBrief(
            fieldName="author", isSearchable=True, isFilterable=True, allowedOperators=("eq",)
        ),
    )
    assert set(FieldBrief.__dataclass_fields__) == {
        "fieldName", "isSearchable", "isFilterable", "allowedOperators",
    }  # fmt: skip
    assert first.strategies == (Strategy.KEYWORD,)
    assert Strategy.SYNONYM in first.unsupported


@pytest.mark.req("E058", "E059")
def test_a_plan_of_none_falls_back_and_one_of_fifty_is_cut_to_each_sources_ceiling():
    """Else a model could run a source fifty times for one question."""
    fifty = json.dumps({"queries": [json.loads(ONE)["queries"][0]] * 50})
    numbers = scoring(own={"a": {"ceiling": 2}, "b": {"ceiling": 7}})
    outcome = plans(
        source("a"), source("b"), planner=Scripted(lambda brief: fifty), numbers=numbers
    )
    assert [len(plan.queries) for plan in outcome.value] == [2, 7]
    outcome = plans(source("a"), planner=Scripted(lambda brief: '{"queries": []}'))
    assert [w.code for w in outcome.warnings] == [WarningCode.PLANNING_FALLBACK]
    assert len(outcome.value[0].queries) == 2


@pytest.mark.req("E061")
def test_the_ceiling_is_three_where_nobody_set_one():
    """Else an unset ceiling would mean no ceiling."""
    fifty = json.dumps({"queries": [json.loads(ONE)["queries"][0]] * 50})
    outcome = plans(source("a"), planner=Scripted(lambda brief: fifty))
    assert len(outcome.value[0].queries) == 3


@pytest.mark.req("E062", "E063", "E064", "E065")
def test_a_query_keeps_its_terms_phrases_and_filters():
    """Else a planner's intention would be lost on the way."""
    row = {
        "mapping": "docs",
        "strategy": "entity",
        "required": ["r"],
        "optional": ["o"],
        "excluded": ["e"],
        "phrases": ["p q"],
        "filters": [
            {"field": "year", "operator": "in", "value": [2001, 2002]},
            {"field": "author", "operator": "eq", "value": "x"},
        ],
        "limit": 5,
    }
    (query,) = admit_plan(json.dumps([row]), 3)
    assert query.strategy is Strategy.ENTITY
    assert (query.required, query.optional, query.excluded) == (("r",), ("o",), ("e",))
    assert query.phrases == ("p q",)
    assert [(f.field, f.operator.value, f.values) for f in query.filters] == [
        ("year", "in", (2001, 2002)),
        ("author", "eq", ("x",)),
    ]
    assert query.limit == 5
    for strategy in ("regex", "", None, 3):
        with pytest.raises(Unusable):
            admit_plan(json.dumps([{**row, "strategy": strategy}]), 3)


@given(
    st.one_of(
        st.text(),
        st.recursive(
            st.none() | st.text() | st.integers(),
            lambda c: st.lists(c) | st.dictionaries(st.text(), c),
        ).map(json.dumps),
    )
)
def test_any_reply_is_a_plan_or_unusable(text):
    """Else some text of a model would end the invocation."""
    try:
        queries = admit_plan(text, 3)
    except Unusable:
        return
    assert 1 <= len(queries) <= 3
