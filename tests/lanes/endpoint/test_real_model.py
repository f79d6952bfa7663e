"""A real model behind a real server: the plumbing of the three steps, and of what goes wrong."""

from __future__ import annotations

import asyncio

import pytest

from esra.briefs import CandidateBrief, RerankBrief
from esra.domain.plan import Strategy
from esra.llm.openai.chat import Chat, Question
from esra.ports import Trouble
from esra.reply import read_rows
from esra.stages.plan import admit_plan, brief_plan
from esra.stages.select import admit_selection
from tests.house import call, source
from tests.llm.double import select_brief

OFFERED = select_brief("news", "law", prompt="what did the court say?")
# A short question with a long answer: the model writes at once, and for longer than anybody waits.
ENDLESS = Question(
    name="numbers",
    rules="Count.",
    data="1, 2, 3",
    form={"type": "array", "items": {"type": "integer"}, "minItems": 900, "maxItems": 1000},
)
LONG = {"max_tokens": 1_900}
# Seconds in which the next question is answered, if nobody goes on writing the answer before.
SOON = 40.0


def ask(asking):
    return asyncio.run(asking)


def fails(asking, match: str) -> None:
    with pytest.raises(Trouble, match=match):
        ask(asking)


def test_it_selects_among_what_was_offered_and_twice_alike(model):
    """Else the form would not reach the model, or the seed would not."""
    first, second = (ask(model().selector.select(OFFERED)) for _ in range(2))
    picked, unknown = admit_selection(first.text, OFFERED)
    assert picked <= {"news", "law"}
    assert unknown == ()
    assert second.text == first.text
    assert first.usage.calls == 1
    assert first.usage.tokens_in > 300
    assert 0 < first.usage.tokens_out < 100


def test_a_wrong_key_is_refused(model):
    """Else the key would not reach the server, or nobody would notice that it is wrong."""
    fails(model(key=lambda: "another-key").selector.select(OFFERED), "status 401")


def test_a_question_too_long_is_refused_once(model):
    """Else it would be sent again without this and that, to be refused each time."""
    own = model()
    fails(own.selector.select(select_brief("news", prompt="wing " * 4_000)), "too long")
    assert ask(own.selector.select(OFFERED)).usage.calls == 1


def test_an_answer_that_is_cut_is_no_answer(model):
    """Else half a list would be taken for a whole one."""
    fails(model(max_tokens=3).selector.select(OFFERED), "did not finish")


def test_an_answer_that_takes_too_long_is_given_up_at_both_ends(endpoint, model):
    """Else a model that writes on would keep all who come after it waiting."""
    fails(Chat(endpoint(timeout=1.5, **LONG)).ask(ENDLESS), "in time")
    assert ask(model(timeout=SOON).selector.select(OFFERED)).text


def test_a_cancelled_question_is_given_up_at_both_ends(endpoint, model):
    """Else a caller who leaves would go on costing."""

    async def leave() -> None:
        asking = asyncio.create_task(Chat(endpoint(**LONG)).ask(ENDLESS))
        await asyncio.sleep(1.5)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    ask(leave())
    assert ask(model(timeout=SOON).selector.select(OFFERED)).text


def test_it_plans_in_the_form_of_a_plan(model):
    """Else a real model could not be asked for searches."""
    brief = brief_plan(call(), source(), frozenset({Strategy.KEYWORD, Strategy.PHRASE}), 1)
    reply = ask(model(max_tokens=1_200).planner.plan(brief))
    (query,) = admit_plan(reply.text, 1)
    assert query.mapping == "docs"
    assert query.strategy in (Strategy.KEYWORD, Strategy.PHRASE)


def test_it_scores_in_the_form_of_scores(model):
    """Else a real model could not be asked to rerank."""
    candidate = CandidateBrief(
        resultId="5c0de1f2a3b4c5d6", source="News", title="Wing", fragments=("It flutters.",)
    )
    brief = RerankBrief(prompt="wing flutter", candidates=(candidate,))
    rows = read_rows(ask(model(max_tokens=1_200).reranker.rerank(brief)).text, "scores")
    assert rows
    assert all(row.keys() == {"resultId", "score"} for row in rows)
    assert all(isinstance(row["score"], int | float) for row in rows)
