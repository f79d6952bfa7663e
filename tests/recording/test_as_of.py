"""A recording as of a date answers like a house that never held what came later."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esra.domain.capability import Forms, RerankForm
from esra.domain.hit import Hits, NativeHit, RecordId
from esra.domain.source import Limits
from eval import record
from eval.misses.known import Known
from eval.progress import Progress
from eval.record import Question
from eval.recording import as_of as room
from eval.recording.about import About
from eval.recording.said import done
from eval.recording.session import expect, run
from tests.recording import library

DAY = 86_400.0
CAP = 4
PLAIN = Forms(rerank=RerankForm.NONE)


def house(rows=CAP):
    """The library under a row cap."""
    known = library.known(PLAIN)
    sources = tuple(replace(one, limits=Limits(rows=rows)) for one in known.sources)
    return library.house(catalog=replace(known, sources=sources))


def answers(house, question, caller=record.CALLER):
    trace = asyncio.run(record.answer(question, library.ASKED, house, caller))
    return [(one["source"], one["capped"], one["rows"]) for one in trace["answers"]]


class Engine:
    """Rows by falling score, as many as are asked for."""

    capabilities = None

    def __init__(self, times):
        self.times = times

    async def run(self, query):
        hits = [
            NativeHit(
                id=RecordId("air", "docs", str(n)), native=-n, title="", fragment="", timestamp=time
            )
            for n, time in enumerate(self.times)
        ]
        return Hits.of(hits[: query.rows], capped=len(hits) > query.rows)


def rows_of(provider, rows):
    return asyncio.run(provider.run(SimpleNamespace(source="air", rows=rows)))


@given(
    times=st.lists(st.none() | st.integers(0, 9).map(float), max_size=25),
    cap=st.integers(1, 6),
    widest=st.integers(6, 30),
)
def test_the_rows_are_those_of_an_engine_without_the_later_ones(times, cap, widest):
    """Records that were right at the time would be missing, pushed out by what came later."""
    now = 4.0
    found = rows_of(room.AsOf(Engine(times), now, {"air": cap}), widest)
    early = [(str(n), time) for n, time in enumerate(times) if time is None or time <= now]
    keys = [hit.id.key for hit in found]
    if found.capped and len(found) < cap:  # filled: the beginning of the right rows
        assert len(times) > widest
        assert keys == [key for key, _ in early][: len(keys)]
    else:
        assert keys == [key for key, _ in early][:cap]
        assert found.capped or len(early) <= cap


@pytest.mark.parametrize("question", library.questions(30)[4:], ids=lambda one: one.id)
def test_the_cap_is_filled_with_what_was_there_at_the_time(question):
    """A question of May would be answered from the few rows that June left over."""
    widely, own = room.Widely(exposure=library.ASKED), house()
    found = answers(widely(own, question), question, room.asking(record.CALLER))
    below = answers(room.as_of(own, question), question)
    for (_, _, rows), (_, _, few) in zip(found, below, strict=True):
        assert all(row[3] <= question.now for row in rows)
        assert few == rows[: len(few)]
    assert sum(len(rows) for *_, rows in found) >= sum(len(rows) for *_, rows in below)


def test_a_question_without_a_date_is_asked_as_always():
    """A wider cap would let in rows that no caller is ever shown."""
    question = Question(id="q", text="wing")
    for own in (house(), house(rows=200)):
        widely = room.Widely(exposure=library.ASKED)
        found = answers(widely(own, question), question, room.asking(record.CALLER))
        assert found == answers(own, question)
        assert len(found[0][2]) == min(30, own.catalog.sources[0].limits.rows)


def test_a_lower_cap_of_exposure_or_capability_holds():
    """A recording would show more than the tool that was published."""
    question = Question(id="q", text="wing", now=DAY * 20)
    own = house(rows=50)
    for name in ("capabilities", "exposures"):
        levels = tuple(replace(one, limits=Limits(rows=3)) for one in getattr(own.catalog, name))
        tight = replace(own, catalog=replace(own.catalog, **{name: levels}))
        assert set(room.caps(tight.catalog, library.ASKED).values()) == {3}
        widely = room.Widely(exposure=library.ASKED)
        found = answers(widely(tight, question), question, room.asking(record.CALLER))
        assert {len(rows) for *_, rows in found} == {3}


def recorded(folder, questions):
    async def go():
        asked = library.wanted(questions=questions, as_of=True)
        expected = await expect(asked, house(), folder)
        return await run(asked, house(), folder, expected, None, Progress(quiet=True))

    return asyncio.run(go())


def test_where_even_the_wider_answer_is_filled_it_is_said(tmp_path, monkeypatch):
    """Rows would be lost below what came later, and the report be read as if they were not."""
    monkeypatch.setattr(room, "WIDEST", 6)
    # All 30 records of a source hold "wing"; on day 0 one is there, on day 40 all are.
    asked = [Question(id=f"q{day:02}", text="wing", now=DAY * day) for day in (*range(12), 40)]
    went = recorded(tmp_path, asked)
    assert "q40" not in went.filled
    assert set(went.filled["q00"]) == set(library.SOURCES)
    traces = dict(record.lines(tmp_path / "traces.jsonl"))
    for query, trace in traces.items():
        short = {a["source"] for a in trace["answers"] if a["capped"] and len(a["rows"]) < CAP}
        assert set(went.filled.get(query, ())) == short
    again = recorded(tmp_path, asked)
    assert again.filled == went.filled
    told = done(tmp_path, About(arm="a", as_of=room.TOLD), went, len(asked), None, Known())
    count = len(went.filled)
    assert 10 < count < 13
    assert f"warning: in {count} of 13 questions later records filled the answer" in told.text
    assert told.text.count("'q0") == 10
    document = json.loads(json.dumps(told.document))
    assert set(document["filled_by_later"]) == set(went.filled)


def test_nothing_is_said_where_nothing_was_lost(tmp_path):
    """A warning that always stands is read by nobody."""
    went = recorded(tmp_path, library.questions(5))
    assert went.filled == {}
    told = done(tmp_path, About(arm="a", as_of=room.TOLD), went, 5, None, Known())
    assert ("warning" in told.text, told.document["filled_by_later"]) == (False, {})
