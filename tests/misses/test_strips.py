"""Many right documents are asked for in strips: few statements, and what fails is owned up to."""

import asyncio
import json
import os
from dataclasses import replace

import pytest

from esra.domain.capability import Forms, PlanForm
from esra.domain.codes import FailureCode
from esra.domain.outcome import Failed
from esra.domain.source import Limits, RowRule
from esra.llm.scripted import Scripted
from eval import record
from eval.misses import Cause, cause
from eval.misses.known import read, write
from eval.record import CALLER, Question
from eval.recording.as_of import WIDEST, Widely, as_of, asking
from eval.recording.engines import Engines
from eval.recording.looked import looked
from eval.runfolder import TRACES
from tests.misses.shelf import ASKED, BETTER, OTHER, Memory, Postgres, Scene, doc, housed, play

FEW = Limits(rows=2, seconds=30.0)


@pytest.fixture(scope="module")
def postgres(database):
    made = Postgres(database)
    yield made
    made.owner.close()


class Counted:
    """An engine that counts what ``news`` is asked, and answers no more of it after ``last``."""

    def __init__(self, engine, last=None):
        self._engine, self.last, self.asked = engine, last, 0

    def stock(self, records):
        return self._engine.stock(records)

    def provider(self):
        self._inner = self._engine.provider()
        return self

    @property
    def capabilities(self):
        return self._inner.capabilities

    async def run(self, query):
        if query.source == "news":
            self.asked += 1
            if self.last is not None and self.asked > self.last:
                return Failed(code=FailureCode.TIMEOUT)
        return await self._inner.run(query)

    async def close(self):
        await self._inner.close()


def shelf(count):
    """Half of them match the question, and none is among the best."""
    return [
        doc(
            f"r{n:05}",
            "a wing in a jet" if n % 2 else "boundary layer",
            "blue" if n == 7 else "red",
        )
        for n in range(count)
    ]


@pytest.mark.req("W57")
def test_the_statements_of_many_documents_are_few(postgres):
    """Ten thousand right documents of a broad question would be two hundred scans of a table."""
    many = shelf(2 * WIDEST + 1)
    relation = postgres.stock([*BETTER, *many])
    engine = Counted(postgres)
    rule = RowRule(column="colour", value="red")
    scene = Scene(relation=relation, source={"limits": FEW}, mapping={"record_filter": ((rule,),)})
    trace, known = play(engine, scene, *(one.key for one in many))
    # Two queries to record; three strips of 2,001 keys as the caller, and three with the filter
    # lifted; both queries over the 2,000 that the caller may see, in two strips.
    assert [one["strategy"] for one in trace["answers"] if one["source"] == "news"] == [
        "keyword",
        "phrase",
    ]
    assert engine.asked == 2 + 3 + 3 + 2 * 2
    assert known.hidden == {("news", "r00007")}
    assert known.matched["q"] == {("news", one.key) for one in many[1::2]} - known.hidden
    assert known.unmatched["q"] == {("news", one.key) for one in many[0::2]}
    assert len(known.sought) == len(many)
    assert not known.unsaid


def test_a_key_that_several_rows_share_is_one_document():
    """A table of versions would fill every strip with the first of its documents, and the rest of
    them would be told as gone."""
    memory = Memory()
    keys = [f"v{n:03}" for n in range(400)]
    versions = [doc(key, "a wing in a jet") for key in keys for _ in range(3)]
    scene = Scene(relation=memory.stock(versions), source={"limits": FEW})
    _, known = play(memory, scene, *keys, "gone")
    assert known.absent == {("news", "gone")}
    assert len(known.matched["q"]) == len(keys) - 1  # the row cap of two showed one of them
    assert not known.unsaid


@pytest.mark.req("W57")
def test_what_a_source_said_before_it_failed_is_kept(tmp_path):
    """One time-out would make nothing of hours, or pass what nobody knows for known."""
    memory, many = Memory(), shelf(WIDEST + 1)
    rule = RowRule(column="colour", value="red")
    scene = Scene(
        relation=memory.stock([*BETTER, *many]),
        source={"limits": FEW},
        mapping={"record_filter": ((rule,),)},
    )
    # The recording's two, and of the first strip both.
    trace, known = play(Counted(memory, last=4), scene, *(one.key for one in many))
    last = ("news", many[-1].key)
    assert known.silent == {"news"}
    assert known.hidden == {("news", "r00007")}
    assert known.sought == {("news", one.key) for one in many} - {last}
    assert known.unsaid["q"] == known.sought - known.hidden | {last}
    assert cause(trace, "q", last, 10, known) is Cause.NOT_KNOWN
    write(tmp_path, known)
    assert read(tmp_path) == known


@pytest.mark.req("W57")
def test_a_source_too_slow_to_say_is_no_source_without_a_match():
    """Somebody would write synonyms for documents that the caller was never to see."""
    memory = Memory()
    stock = [*BETTER, doc("hidden", "solar eclipse", "blue"), doc("poor", "boundary layer")]
    scene = Scene(
        relation=memory.stock(stock),
        mapping={"record_filter": ((RowRule(column="colour", value="red"),),)},
        question="solar eclipse",
    )
    hidden, poor = ("news", "hidden"), ("news", "poor")
    for last, causes in (
        (None, (Cause.HIDDEN, Cause.NO_TERM_MATCHED)),
        (2, (Cause.NOT_KNOWN, Cause.NOT_KNOWN)),
    ):
        trace, known = play(Counted(memory, last), scene, "hidden", "poor")
        assert tuple(cause(trace, "q", one, 10, known) for one in (hidden, poor)) == causes
        assert known.silent == ({"news"} if last else set())


@pytest.mark.req("W57")
@pytest.mark.parametrize("recorded_again", [False, True])
def test_an_engine_that_is_down_takes_back_nothing_of_what_it_said(tmp_path, recorded_again):
    """Whoever records again while a database is down would lose what is known already."""
    memory, many = Memory(), shelf(20)
    rule = RowRule(column="colour", value="red")
    scene = Scene(
        relation=memory.stock([*BETTER, *many]),
        source={"limits": FEW},
        mapping={"record_filter": ((rule,),)},
    )
    engine = Counted(memory)
    house = housed(engine, scene)
    question = Question(id="q", text=scene.question)
    judged = {"q": {("news", one.key): 1 for one in (*many, doc("gone", ""))}}

    async def go():
        await record.record([question], ASKED, house, tmp_path / TRACES)
        first = await looked(house, ASKED, [question], tmp_path, judged)
        write(tmp_path, first)
        if recorded_again:
            os.utime(tmp_path / TRACES)
        engine.last = 0
        return first, await looked(house, ASKED, [question], tmp_path, judged)

    first, second = asyncio.run(go())
    assert len(first.matched["q"]) + len(first.unmatched["q"]) == 19
    assert (first.hidden, first.absent) == ({("news", "r00007")}, {("news", "gone")})
    if not recorded_again:
        assert second == first
    else:  # another plan may have found something else
        behind = first.matched["q"] | first.unmatched["q"]
        assert second == replace(first, matched={}, unmatched={}, unsaid={"q": behind})


def test_what_is_dated_later_stays_known_while_an_engine_is_down(tmp_path):
    """News of the day after would read, from then on, as a question whose words are wrong."""
    memory = Memory()
    late = replace(doc("late", "a wing"), timestamp=86_400.0)
    engine = Counted(memory)
    house = housed(engine, Scene(relation=memory.stock([*BETTER, late])))
    question = Question(id="q", text="a wing", now=43_200.0)
    judged = {"q": {("news", "late"): 1}}

    async def go():
        await record.record([question], ASKED, house, tmp_path / TRACES, around=as_of)
        write(tmp_path, await looked(house, ASKED, [question], tmp_path, judged, as_of=True))
        engine.last = 0
        return await looked(house, ASKED, [question], tmp_path, judged, as_of=True)

    known = asyncio.run(go())
    ((_, trace),) = record.lines(tmp_path / TRACES)
    assert cause(trace, "q", ("news", "late"), 10, known) is Cause.LATER


def planned(limit):
    """A plan of two queries, of which one names a limit."""
    rows = [{"mapping": "docs", "strategy": "keyword", "optional": ["wing"]}]
    rows += [{**rows[0], "strategy": "synonym", "limit": limit}]
    return Scripted(lambda brief: json.dumps({"queries": rows}))


@pytest.mark.parametrize(("limit", "ran"), [(1, 2), (5, 1)], ids=["within", "over-the-cap"])
def test_a_limit_that_a_model_planned_is_set_aside_with_the_cap(limit, ran):
    """A thousand documents would be a thousand statements; and a query that was rejected would be
    let through, so that the plan would be another and nothing known."""
    memory = Memory()
    many = [doc(f"r{n}", "a wing in a jet") for n in range(6)]
    scene = Scene(
        relation=memory.stock([*BETTER, *many, OTHER]),
        source={"limits": FEW},
        capability={"forms": Forms(plan=PlanForm.MODEL)},
        models={"planners": {"model": planned(limit)}},
    )
    engine = Counted(memory)
    trace, known = play(engine, scene, *(one.key for one in many), "other")
    assert [one["source"] for one in trace["answers"]].count("news") == ran
    assert known.matched["q"] == {("news", one.key) for one in many}
    assert known.unmatched["q"] == {("news", "other")}
    assert engine.asked == ran + 1 + ran


def test_a_dated_recording_lets_through_what_is_wider_than_its_cap(tmp_path):
    """Nothing would be known of any question whose plan names more rows than the cap."""
    memory = Memory()
    many = [replace(doc(f"r{n}", "a wing in a jet"), timestamp=1.0) for n in range(9)]
    scene = Scene(
        relation=memory.stock(many),
        source={"limits": FEW},
        capability={"forms": Forms(plan=PlanForm.MODEL)},
        models={"planners": {"model": planned(5)}},
    )
    house, question = housed(memory, scene), Question(id="q", text=scene.question, now=2.0)
    judged = {"q": {("news", one.key): 1 for one in many}}
    path = tmp_path / TRACES

    async def go():
        wide, caller = Widely(exposure=ASKED), asking(CALLER)
        await record.record([question], ASKED, house, path, around=wide, caller=caller)
        traces = dict(record.lines(path))
        engines = Engines(house=house, exposure=ASKED, planners=house.planners, as_of=True)
        return traces["q"], await engines.look([question], traces, judged)

    trace, known = asyncio.run(go())
    assert [len(one["rows"]) for one in trace["answers"] if one["source"] == "news"] == [2, 2]
    assert (len(known.matched["q"]), known.unsaid) == (7, {})


def test_a_document_that_was_found_is_neither_hidden_nor_gone(postgres):
    """What was deleted after its question was recorded would stand in the answer and in the list of
    what is missing."""
    relation = postgres.stock([*BETTER, OTHER])

    class Since(Counted):
        async def run(self, query):
            if query.source == "news" and self.asked == 2:
                postgres.run(f"DELETE FROM {relation.schema}.{relation.table}")
            return await super().run(query)

    trace, known = play(Since(postgres), Scene(relation=relation), "better0", "other")
    assert known.absent == {("news", "other")}
    assert cause(trace, "q", ("news", "better0"), 10, known) is None
