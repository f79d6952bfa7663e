"""Asks the engines, after a recording, what became of the right documents that no trace tells of.

Two things are asked, each through the real pipeline over a catalog changed in memory, so that what
matches and who sees it is decided by nobody but the engine, the gate and the record filter:

* which right documents a source holds, and which of these its record filter lets the recording's
  caller see. For the first of the two the filter is lifted; what comes back is keys of documents
  that stand in the labels already, and nothing else of them is kept;
* where a row cap was filled: which of the right documents behind it the plan's own queries find.
  The queries are planned again by the same rule and run over these documents alone. Where the plan
  is not the recorded one, since a model's answer was not kept, nothing is known.

Both are the record filter's doing, with one rule more: the key is one of those asked for. No model
is asked, and nothing is written to a source. What an engine cannot say stays unknown. In a
recording as of each question's date, what is dated later is told from the first of the two.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from esra.briefs import PlanBrief
from esra.domain.capability import PlanForm
from esra.domain.invocation import Caller
from esra.domain.source import Source
from esra.ports import House, Planner, Reply, Trouble
from eval.misses.causes import Trace, answers_of, found_by
from eval.misses.known import Known, Record
from eval.misses.table import Judged, right_of
from eval.record import CALLER, Question
from eval.recording.answers import Answers
from eval.recording.as_of import WIDEST, caps
from eval.recording.held import Holdings
from eval.recording.narrowed import Unbounded, of_one
from eval.recording.strip import ask, capped, failed, rows, strips


class FromKept:
    """A paid planner as far as its answers are kept; it asks nobody."""

    def __init__(self, identity: str, answers: Answers | None) -> None:
        self.identity, self._answers = identity, answers

    async def plan(self, brief: PlanBrief) -> Reply:
        if self._answers is not None:
            kept = self._answers.read(self._answers.key(self.identity, "plan", 0, brief), brief)
            if kept is not None:
                return kept
        raise Trouble("no answer is kept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """``house`` and ``caller`` are those of the recording, ``planners`` those that cost nothing;
    ``as_of``: records dated after a question were taken out of its answer.
    """

    house: House
    exposure: str
    planners: Mapping[str, Planner]
    as_of: bool = False
    caller: Caller = CALLER
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))

    async def look(
        self,
        questions: Sequence[Question],
        traces: Mapping[str, Trace],
        judgements: Judged,
        progress: Callable[[int, int], None] = lambda done, all: None,
    ) -> Known:
        """What is to be known of every right document of the traced questions."""
        right = right_of(traces, judgements)
        scope = {source for trace in traces.values() for source in trace["scope"]}
        sources = [one for one in self.house.catalog.sources if one.id in scope]
        wanted: dict[str, set[str]] = defaultdict(set)
        for source, key in {one for own in right.values() for one in own}:
            wanted[source].add(key)
        holdings = Holdings(house=self.house, exposure=self.exposure, caller=self.caller)
        known, times = await holdings.look(sources, wanted)
        # What a trace shows was there to be seen, whatever became of it since.
        found = _found_in(traces)
        known = replace(known, hidden=known.hidden - found, absent=known.absent - found)
        if self.as_of:
            known = replace(known, later=_later(questions, right, times))
        behind = [
            (question, source, keys)
            for question in questions
            if question.id in right
            for source in sources
            if (keys := _behind_the_cap(traces[question.id], source.id, question.id, right, known))
        ]
        done = 0

        async def one(question: Question, source: Source, keys: frozenset[str]) -> _Found:
            nonlocal done
            async with self.gate:
                found = await self._matched(question, source, traces[question.id], keys)
            done += 1
            progress(done, len(behind))
            return found

        told = await asyncio.gather(*(one(*asked) for asked in behind))
        asked = list(zip(behind, told, strict=True))
        return replace(
            known,
            matched=_by_query((q.id, s.id, own.matched) for (q, s, _), own in asked),
            unmatched=_by_query((q.id, s.id, own.unmatched) for (q, s, _), own in asked),
            unsaid=_by_query(
                (q.id, s.id, keys - own.matched - own.unmatched) for (q, s, keys), own in asked
            ),
        )

    async def _matched(
        self, question: Question, source: Source, recorded: Trace, keys: frozenset[str]
    ) -> "_Found":
        """Which of the keys the recorded plan's queries find."""
        form = PlanForm(recorded["forms"]["plan"])
        catalog = of_one(self.house.catalog, self.exposure, source, source.mappings, form)
        cap = self._cap(question, source)
        planners = {name: Unbounded(one, cap) for name, one in self.planners.items()}
        house = replace(self.house, catalog=catalog, planners=planners)
        matched, unmatched = set[str](), set[str]()
        for strip in strips(keys):
            left = set(strip)
            while left:
                trace = await ask(question, self.exposure, house, self.caller, left)
                if _asked_otherwise(trace, recorded, source.id) or failed(trace, source.id):
                    return _Found(matched=frozenset(matched), unmatched=frozenset(unmatched))
                new = {key for key, _ in rows(trace, source.id)} & left
                matched |= new
                left -= new
                if not capped(trace, source.id):
                    unmatched |= left
                    break
                if not new:
                    break
        return _Found(matched=frozenset(matched), unmatched=frozenset(unmatched))

    def _cap(self, question: Question, source: Source) -> int:
        """The most rows that a query of the recording could ask for."""
        if self.as_of and question.now is not None:
            return WIDEST
        return caps(self.house.catalog, self.exposure)[source.id]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    matched: frozenset[str] = frozenset()
    unmatched: frozenset[str] = frozenset()


def _behind_the_cap(
    trace: Trace, source: str, query: str, right: Mapping[str, Sequence[Record]], known: Known
) -> frozenset[str]:
    """Keys of right documents that a filled row cap may have kept out."""
    if not capped(trace, source) or failed(trace, source):
        return frozenset()
    out = known.hidden | known.absent | known.later.get(query, frozenset())
    return frozenset(
        one[1]
        for one in right[query]
        if one[0] == source and one not in out and not found_by(trace, one)
    )


def _found_in(traces: Mapping[str, Trace]) -> frozenset[Record]:
    return frozenset(
        (answer["source"], row[1])
        for trace in traces.values()
        for answer in trace["answers"]
        for row in answer.get("rows", ())
    )


def _later(
    questions: Sequence[Question],
    right: Mapping[str, Sequence[Record]],
    times: Mapping[Record, float | None],
) -> dict[str, frozenset[Record]]:
    """The right documents of each dated question that are of later than it."""
    found = {
        one.id: frozenset(
            record
            for record in right.get(one.id, ())
            if (time := times.get(record)) is not None and time > one.now
        )
        for one in questions
        if one.now is not None
    }
    return {query: records for query, records in found.items() if records}


def _asked_otherwise(trace: Trace, recorded: Trace, source: str) -> bool:
    """Whether other queries ran than those that were recorded."""

    def told(one: Trace) -> object:
        plans = [plan for plan in one["plans"] if plan["source"] == source]
        return plans, [(answer["query"], answer["strategy"]) for answer in answers_of(one, source)]

    return told(trace) != told(recorded)


def _by_query(
    found: Iterable[tuple[str, str, frozenset[str]]],
) -> dict[str, frozenset[Record]]:
    kept: dict[str, set[Record]] = defaultdict(set)
    for query, source, keys in found:
        kept[query] |= {(source, key) for key in keys}
    return {query: frozenset(own) for query, own in kept.items() if own}
