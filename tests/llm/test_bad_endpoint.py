"""Whatever an endpoint does, the pipeline answers, and says what it had to do without."""

from __future__ import annotations

import asyncio
import logging
import os
import traceback

import pytest

from esra.domain.response import Status
from esra.ports import Trouble
from tests.llm.behaviours import EXCHANGES, TEXTS
from tests.llm.double import KEY, STEPS, Server, endpoint, language_model, select_brief, tell
from tests.llm.habits import BENDS, HOLDS

# Seconds that a question may take: what answers at all answers far sooner.
IMPATIENT = 0.6
FALLS = {**TEXTS, **EXCHANGES}
WHOLE = ["title x", "title y", "title b", "title c", "title a"]
# Step -> the warnings when it is lost, and the answer without it.
LOST = {
    "select": (["ESRA_SELECTION_FALLBACK"], ["title b", "title c", "title a"]),
    "plan": (["ESRA_PLANNING_FALLBACK"] * 3, WHOLE),
    "rerank": (
        ["ESRA_RERANK_FALLBACK"],
        ["title y", "title b", "title c", "title x", "title a"],
    ),
}


def cases(behaviours) -> list[tuple[str, str]]:
    """(behaviour, step). The steps share one way to ask, so what fails below a reply's text is
    tried at one of them in turn, and at all of them in the long run."""
    every = "ESRA_LONG" in os.environ
    return [
        (behaviour, step)
        for number, behaviour in enumerate(behaviours)
        for position, step in enumerate(STEPS)
        if every or behaviour in TEXTS or position == number % 3
    ]


@pytest.fixture
def impatient(server: Server):
    return language_model(server, timeout=IMPATIENT)


@pytest.mark.req("E039", "E040", "E050", "E066", "E067", "E156", "E157", "E164")
@pytest.mark.parametrize(("behaviour", "step"), cases(FALLS))
def test_a_bad_answer_costs_its_step_and_nothing_else(
    server: Server, impatient, behaviour: str, step: str, caplog
):
    """Else one bad reply would take the answer along, go unsaid, or spread the key."""
    caplog.set_level(logging.DEBUG)
    server.behaviours[step] = FALLS[behaviour]
    told = tell(impatient)
    warnings, titles = LOST[step]
    assert told.codes == warnings
    assert told.titles == titles
    assert told.response.status is Status.DEGRADED
    assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {KEY}"}
    assert all(KEY.encode() not in asked.body for asked in server.asked)
    assert KEY not in told.text() + caplog.text


@pytest.mark.parametrize(("behaviour", "step"), cases(HOLDS))
def test_a_habit_is_put_up_with(server: Server, impatient, behaviour: str, step: str):
    """Else a good reply in a common disguise would be thrown away."""
    server.behaviours[step] = HOLDS[behaviour]
    told = tell(impatient)
    assert told.codes == []
    assert told.titles == WHOLE
    assert told.response.status is Status.COMPLETE


@pytest.mark.req("E035", "E036", "E038", "E153", "E154", "E155")
@pytest.mark.parametrize("behaviour", BENDS)
def test_what_was_not_offered_is_not_taken(server: Server, impatient, behaviour: str):
    """Else a model could name a source, a field or a record into an answer."""
    step, behave, warnings = BENDS[behaviour]
    server.behaviours[step] = behave
    told = tell(impatient)
    assert told.codes == warnings
    assert set(told.titles) <= set(WHOLE)
    asked = [request.step for request in server.asked]
    assert asked.count("select") == 1
    assert all(trace["scope"] == ["news", "law", "far"] for trace in told.traces)


@pytest.mark.req("E037")
def test_each_source_that_was_invented_is_written_down(server: Server, impatient):
    """Else nobody would see that a model, or whoever speaks through it, reaches further."""
    server.behaviours["select"] = BENDS["invented sources"][1]
    events = [record["event"] for record in tell(impatient).audit]
    assert events.count("LLM_UNKNOWN_SOURCE_REJECTED") == 6


@pytest.mark.parametrize("behaviour", EXCHANGES)
def test_no_error_knows_the_key(server: Server, impatient, behaviour: str):
    """Else a log of a failed call would hold the key to the next one."""
    server.behaviours["select"] = EXCHANGES[behaviour]
    error = asyncio.run(_trouble(impatient))
    assert KEY not in "".join(traceback.format_exception(error))
    while error is not None:
        assert KEY not in repr(error)
        assert not hasattr(error, "request")
        error = error.__cause__ or error.__context__


async def _trouble(model) -> BaseException:
    with pytest.raises(Trouble) as caught:
        await model.selector.select(select_brief())
    return caught.value


def test_a_redirect_is_not_followed(server: Server, impatient):
    """Else an endpoint could send the key and the caller's words to any other host."""
    server.behaviours = dict.fromkeys(STEPS, EXCHANGES["redirect"])
    tell(impatient)
    assert {asked.path for asked in server.asked} == {"/v1/chat/completions"}


def test_a_slow_model_costs_no_more_than_its_time(server: Server):
    """Else a byte a second would hold an invocation for as long as it liked."""
    server.behaviours = dict.fromkeys(STEPS, EXCHANGES["a byte at a time"])

    async def run() -> float:
        model, loop = language_model(server, timeout=0.3), asyncio.get_running_loop()
        started = loop.time()
        assert "in time" in str(await _trouble(model))
        return loop.time() - started

    assert 0.3 <= asyncio.run(run()) < 0.8
    assert server.hung_up.wait(2)


def test_an_endpoint_that_is_not_there_costs_each_step():
    """Else a stopped server would end every invocation with an error."""
    gone = Server()
    gone.server_close()
    told = tell(language_model(gone))
    # Without selection one source is left to plan for.
    assert told.codes == [LOST[step][0][0] for step in STEPS]
    assert told.titles == LOST["select"][1]


def test_what_says_which_model_it_is_says_nothing_secret(server: Server):
    """Else a trace would carry the key, or a host that an administrator keeps to himself."""
    model = language_model(server)
    steps = (model.selector, model.planner, model.reranker)
    assert KEY not in repr(endpoint(server)) + repr(model) + "".join(s.identity for s in steps)
    assert all("127.0.0.1" not in step.identity for step in steps)
    assert len({step.identity for step in steps}) == 3
