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
is asked, and nothing is written to a source. What an engine cannot say stays unknown.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from esra.briefs import PlanBrief
from esra.domain.capability import Catalog, Forms, PlanForm, RerankForm, SelectForm
from esra.domain.plan import Strategy
from esra.domain.source import Field, Masking, Operator, RowRule, Source
from esra.domain.source import Mapping as Searchable
from esra.ports import House, Planner, Reply, Trouble, no_evidence
from eval import record
from eval.misses.causes import Trace, answers_of, found_by
from eval.misses.known import Known, Record
from eval.misses.table import Judged, right_of
from eval.record import CALLER, Question
from eval.recording.answers import Answers

CLAIM = "the keys of this question"  # of the caller, and of nobody else: no token has a blank in it
KEY = "key"
LISTING = PlanForm.MODEL  # the form under which a plan of ours comes in

Around = Callable[[House, Question], House]


class Listing:
    """Plans for every record that the record filter lets pass, whatever its words."""

    identity = "listing"

    async def plan(self, brief: PlanBrief) -> Reply:
        every = {"field": KEY, "operator": Operator.NE.value, "value": ""}
        queries = [
            {"mapping": one.id, "strategy": Strategy.RECENT.value, "filters": [every]}
            for one in brief.mappings
        ]
        return Reply(text=json.dumps({"queries": queries}))


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
    """``house`` is that of the recording, ``planners`` those that cost nothing."""

    house: House
    exposure: str
    planners: Mapping[str, Planner]
    around: Around = lambda house, question: house
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
        known = await self._presence(sources, wanted)
        behind = [
            (question, source, keys)
            for question in questions
            if question.id in right
            for source in sources
            if (keys := _behind_the_cap(traces[question.id], source.id, right[question.id], known))
        ]
        done = 0

        async def one(question: Question, source: Source, keys: frozenset[str]) -> _Found:
            nonlocal done
            async with self.gate:
                found = await self._matched(question, source, traces[question.id], keys)
            done += 1
            progress(done, len(behind))
            return found

        found = await asyncio.gather(*(one(*asked) for asked in behind))
        asked = list(zip(behind, found, strict=True))
        return replace(
            known,
            matched=_by_query((q.id, s.id, own.matched) for (q, s, _), own in asked),
            unmatched=_by_query((q.id, s.id, own.unmatched) for (q, s, _), own in asked),
        )

    async def _presence(self, sources: Sequence[Source], wanted: Mapping[str, set[str]]) -> Known:
        hidden: set[Record] = set()
        absent: set[Record] = set()
        for source in sources:
            keys = frozenset(wanted.get(source.id, ()))
            seen = await self._held(source, keys, lifted=False)
            there = await self._held(source, keys, lifted=True) if source.hides_rows else seen
            if seen is None or there is None:
                continue
            hidden |= {(source.id, key) for key in there - seen}
            absent |= {(source.id, key) for key in keys - there}
        masked = {
            (source.id, mapping.id)
            for source in sources
            for mapping in source.mappings
            if _shows_masked_alone(mapping)
        }
        return Known(hidden=frozenset(hidden), absent=frozenset(absent), masked=frozenset(masked))

    async def _held(
        self, source: Source, keys: frozenset[str], *, lifted: bool
    ) -> frozenset[str] | None:
        """Which of the keys a source holds; None where it cannot say."""
        found: set[str] = set()
        for mapping in source.mappings:
            one = _listed(replace(mapping, record_filter=()) if lifted else mapping)
            catalog = _of_one(self.house.catalog, self.exposure, source, (one,), LISTING)
            house = replace(self.house, catalog=catalog, planners={LISTING.value: Listing()})
            question, left = Question(id="", text=KEY), set(keys - found)
            while left:
                trace = await self._asked(question, house, left)
                if not answers_of(trace, source.id) or _failed(trace, source.id):
                    return None
                new = _keys(trace, source.id) & left
                found |= new
                left -= new
                if not new or not _capped(trace, source.id):
                    break
        return frozenset(found)

    async def _matched(
        self, question: Question, source: Source, recorded: Trace, keys: frozenset[str]
    ) -> "_Found":
        """Which of the keys the recorded plan's queries find."""
        catalog = self.house.catalog
        form = PlanForm(recorded["forms"]["plan"])
        narrowed = _of_one(catalog, self.exposure, source, source.mappings, form)
        house = replace(self.house, catalog=narrowed, planners=self.planners)
        house, matched, left = self.around(house, question), set[str](), set(keys)
        while left:
            trace = await self._asked(question, house, left)
            if _asked_otherwise(trace, recorded, source.id) or _failed(trace, source.id):
                return _Found(matched=frozenset(matched))
            new = _keys(trace, source.id) & left
            matched |= new
            left -= new
            if not new or not _capped(trace, source.id):
                break
        return _Found(matched=frozenset(matched), unmatched=frozenset(left))

    async def _asked(self, question: Question, house: House, keys: Iterable[str]) -> Trace:
        caller = replace(CALLER, claims=(*CALLER.claims, (CLAIM, tuple(sorted(keys)))))
        quiet = replace(house, evidence=no_evidence, selections=None)
        return await record.answer(question, self.exposure, quiet, caller)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    matched: frozenset[str] = frozenset()
    unmatched: frozenset[str] = frozenset()


def _of_one(
    catalog: Catalog, slug: str, source: Source, mappings: tuple[Searchable, ...], plan: PlanForm
) -> Catalog:
    """The catalog with nothing but these mappings of a source, and of them nothing but our keys."""
    exposure = catalog.exposure(slug)
    capability = catalog.capability(exposure.capability) if exposure else None
    if exposure is None or capability is None:
        raise LookupError(f"the catalog has no exposure {slug!r}")
    own = replace(
        capability,
        bindings=tuple(one for one in capability.bindings if one.source == source.id),
        forms=Forms(select=SelectForm.ALL, plan=plan, rerank=RerankForm.NONE),
    )
    kept = tuple(
        replace(one, record_filter=(*one.record_filter, (_key_rule(one),))) for one in mappings
    )
    return replace(
        catalog,
        sources=(replace(source, mappings=kept),),
        capabilities=(own,),
        exposures=(exposure,),
    )


def _key_rule(mapping: Searchable) -> RowRule:
    return RowRule(column=mapping.relation.key, claim=CLAIM)


def _listed(mapping: Searchable) -> Searchable:
    """With its key as a field: a search for no word has to be narrowed by something."""
    key = Field(
        name=KEY,
        column=mapping.relation.key,
        filterable=True,
        operators=frozenset({Operator.NE}),
    )
    return replace(mapping, fields=(key,))


def _shows_masked_alone(mapping: Searchable) -> bool:
    shown = [one for one in mapping.fields if one.returnable and not one.restricted]
    return bool(shown) and all(one.masking is not Masking.NONE for one in shown)


def _behind_the_cap(
    trace: Trace, source: str, right: Sequence[Record], known: Known
) -> frozenset[str]:
    """Keys of right documents that a filled row cap may have kept out."""
    if not _capped(trace, source) or _failed(trace, source):
        return frozenset()
    return frozenset(
        one[1]
        for one in right
        if one[0] == source and one not in known.hidden | known.absent and not found_by(trace, one)
    )


def _asked_otherwise(trace: Trace, recorded: Trace, source: str) -> bool:
    """Whether other queries ran than those that were recorded."""

    def told(one: Trace) -> object:
        plans = [plan for plan in one["plans"] if plan["source"] == source]
        return plans, [(answer["query"], answer["strategy"]) for answer in answers_of(one, source)]

    return told(trace) != told(recorded)


def _keys(trace: Trace, source: str) -> set[str]:
    return {row[1] for answer in answers_of(trace, source) for row in answer.get("rows", ())}


def _capped(trace: Trace, source: str) -> bool:
    return any(answer["capped"] for answer in answers_of(trace, source))


def _failed(trace: Trace, source: str) -> bool:
    return any("failed" in answer for answer in answers_of(trace, source))


def _by_query(
    found: Iterable[tuple[str, str, frozenset[str]]],
) -> dict[str, frozenset[Record]]:
    kept: dict[str, set[Record]] = defaultdict(set)
    for query, source, keys in found:
        kept[query] |= {(source, key) for key in keys}
    return {query: frozenset(own) for query, own in kept.items() if own}
