"""Asks a recorded capability again, live, under numbers it was not recorded with."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from esra.config.apply import tuned
from esra.config.tuned import TunedFile
from esra.domain.capability import Capability, Catalog, Scoring
from esra.trace import scoring_json
from esra.wiring import Wishes, open_house
from eval import publish, record
from eval.bulk import Bulk, lay_out
from eval.recording.expect import Rate, from_traces
from eval.replay import Recorded
from eval.runfolder import TRACES
from eval.tune.predicted import Again


class CannotAnswer(RuntimeError):
    """Live answers failed; what was answered is kept, and nothing was opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A recorded capability: catalog, run folder, and the questions it was recorded with."""

    catalog: Path
    slug: str
    folder: Path
    base: Path
    questions: Mapping[str, record.Question]


def again(place: Place, recordings: Sequence[Recorded], say: Callable[[str], None]) -> Again:
    """How the recorded queries are answered once more, each as of the time it was recorded."""
    times = {one.query: one.now for one in recordings}

    def ask(numbers: Scoring, queries: Sequence[str], draw: int) -> Bulk:
        own = [replace(place.questions[query], now=times[query]) for query in queries]
        return answer_again(place, numbers, own, draw)

    return Again(
        ask=ask,
        repeats=lambda queries: _repeats(place.folder, queries),
        warn=lambda queries, most: say(_cost(place, queries, most)),
    )


def answer_again(
    place: Place, numbers: Scoring, questions: Sequence[record.Question], draw: int = 0
) -> Bulk:
    """The questions answered under other numbers, in their order; kept in the run folder, so that
    asking twice is paid for once. A further ``draw`` asks all of it anew.

    CannotAnswer where a source or model failed.
    """
    slug = place.slug
    text = json.dumps(scoring_json(numbers), sort_keys=True)
    name = f"live-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    path = place.folder / f"{name}{f'-{draw + 1}' if draw else ''}.jsonl"

    def change(known: Catalog) -> Catalog:
        own = (replace(c, scoring=numbers) if c.id == slug else c for c in known.capabilities)
        return replace(known, capabilities=tuple(own))

    async def ask() -> None:
        wishes = Wishes(tuned=False, remember=False, words=True, change=change)
        async with open_house(place.catalog, place.base, wishes) as opened:
            await record.record(questions, slug, opened.house, path)

    asyncio.run(ask())
    wanted = [question.id for question in questions]
    _refuse_failures(path, wanted)
    return lay_out(_in_order(path, wanted))


def _in_order(path: Path, queries: Sequence[str]) -> list[Recorded]:
    found = {one.query: one for one in record.read(path, frozenset(queries))}
    return [found[query] for query in queries if query in found]


def _refuse_failures(path: Path, wanted: Sequence[str]) -> None:
    """How often a model fails is no noise of its answers."""
    failed = {q: record.failures(trace) for q, trace in record.lines(path) if q in set(wanted)}
    broken = {query: codes for query, codes in failed.items() if codes}
    if broken:
        codes = sorted({code for own in broken.values() for code in own})
        raise CannotAnswer(
            f"{len(broken)} of {len(wanted)} live answers failed ({', '.join(codes)}); nothing was "
            "opened, what was answered is kept: run it again"
        )


def _repeats(folder: Path, queries: Sequence[str]) -> list[Bulk]:
    """What ``record --repeat`` left beside the recording, where it holds these queries whole."""
    found = []
    for path in sorted(folder.glob("repeats/*/traces.jsonl")):
        whole = {q for q, trace in record.lines(path) if not record.failures(trace)}
        if whole >= set(queries):
            found.append(lay_out(_in_order(path, queries)))
    return found


def _cost(place: Place, queries: int, most: int) -> str:
    traces = [trace for _, trace in record.lines(place.folder / TRACES)]
    known = from_traces(traces, queries * most, Rate())
    often = "once" if most == 1 else f"and up to {most} times if the model does not repeat itself"
    return (
        f"{place.slug}: these numbers change what the model is asked: {queries} development "
        f"queries are answered live, {often}"
        + ("" if known is None else f"; at most, {known.line()}")
    )


def in_force(
    capability: Capability,
    current: TunedFile | None,
    case_key: tuple[str, str],
    asked: Sequence[str] = (),
) -> Scoring:
    """The numbers that a claim is measured against, and keeps but for the ``asked`` ones.

    They are the catalog's, or those of the revision in force. Where that one came of asking the
    same of this very recording, it is what would be claimed again, and they are what it replaced.
    """
    if current is None:
        return capability.scoring
    evidence = current.evidence
    before = publish.measured_against(current)
    same = (current.data, evidence.get("recording")) == case_key
    if same and before is not None and evidence.get("asked") == list(asked):
        return tuned(capability, before).scoring
    return tuned(capability, current).scoring
