"""One arm of a comparison: what a run showed for each query, and how good that was.

The order is the recorded one, or the recorded answers replayed under a configuration's numbers. A
query is measured where it has a relevant document; the others are listed (RULINGS 39).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import fsum

from esra.domain.capability import Scoring
from esra.stages.rerank import order
from eval import measures, record, runfolder
from eval.measures import NeverRan
from eval.measures.segments import head_torso_tail
from eval.recording import about
from eval.replay import Recorded, candidates, replay
from eval.runfolder import RunFolderError
from eval.runs.folders import RunFolder
from eval.table import pair
from eval.tune.verdict import Case

Document = tuple[str, str]  # (source, key)
Numbers = Callable[[Scoring], Scoring]
REPEATS = "repeats"
SHOWN = 10  # documents of each query that an arm keeps, or the depth of its measure where deeper


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One measured query. values: by measure, 0..1; right: rank of the first relevant document.

    top: the first documents shown, best first; tags: ``kind:value``, ``source`` among them. A
    baseline that was read back has neither ``group`` nor ``top``.
    """

    group: str
    tags: tuple[str, ...]
    values: Mapping[str, float]
    right: int | None
    top: tuple[Document, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """A run as the gate and the tables of `runs` take it.

    data, recording: fingerprints; numbers: what ordered it, in words
    tuned_on:        fingerprint of the data its numbers were chosen on, "" where none were
    unmeasured:      asked queries without a judgement or without a relevant document
    unasked:         labelled queries of the run that no trace holds
    degraded:        queries whose source or model failed
    """

    run: str
    capability: str
    k: int
    data: str
    recording: str
    numbers: str
    tuned_on: str
    models: Mapping[str, str]
    queries: Mapping[str, Figures]
    unmeasured: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()

    @property
    def measure(self) -> str:
        """The primary measure."""
        return f"nDCG@{self.k}"

    @property
    def judged(self) -> str:
        return f"Judged@{self.k}"

    def mean(self, name: str) -> float:
        """Mean over the measured queries; KeyError for a measure the arm was not asked for."""
        return fsum(one.values[name] for one in self.queries.values()) / len(self.queries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordering:
    """What orders an arm: ``change`` makes the numbers of the recorded ones (None: as recorded).

    model: False leaves every semantic score out, as if no model had been asked
    """

    said: str = "as recorded"
    change: Numbers | None = None
    tuned_on: str = ""
    model: bool = True


def unchanged(numbers: Scoring) -> Scoring:
    return numbers


RECORDED = Ordering()


def read_arm(run: RunFolder, ordering: Ordering = RECORDED, extra: Sequence[str] = ()) -> Arm:
    """The arm of a run's folder, with ``extra`` measures by name beside the usual ones.

    RunFolderError for a folder that cannot be replayed, NeverRan for one without a result,
    UnknownMeasure.
    """
    case = runfolder.read(run.path)
    degraded = tuple(
        query
        for query, trace in record.lines(run.path / runfolder.TRACES)
        if query in case.groups and record.failures(trace)
    )
    return arm_of(case, run.id, ordering, extra, degraded=degraded, labelled=_labelled(run))


def repeat_arms(run: RunFolder, ordering: Ordering = RECORDED) -> list[Arm]:
    """The arm of the run itself, then one for each time it was recorded again (`record --repeat`).

    As ``read_arm``.
    """
    case = runfolder.read(run.path)
    found = [read_arm(run, ordering)]
    numbered = (run.path / REPEATS).glob(f"*/{runfolder.TRACES}")
    for traces in sorted(numbered, key=lambda path: path.parent.name):
        again = replace(case, recordings=record.read(traces, frozenset(case.groups)))
        name = f"{run.id}/{REPEATS}/{traces.parent.name}"
        found.append(arm_of(replace(again, recording=name), name, ordering))
    return found


def arm_of(
    case: Case,
    run: str,
    ordering: Ordering = RECORDED,
    extra: Sequence[str] = (),
    *,
    degraded: tuple[str, ...] = (),
    labelled: Mapping[str, tuple[str, ...]] | None = None,
) -> Arm:
    """The arm of a case; see ``read_arm``. ``labelled``: further tags of each query."""
    asked = {one.query: one for one in case.recordings if one.query in case.groups}
    if not asked:
        raise NeverRan(f"run {run}: no query has a whole trace of this version; record it again")
    if not any(answer.result for one in asked.values() for answer in one.answers):
        raise NeverRan(f"run {run}: no query got a result from any source; it never ran")
    wanted = _measures(case.k, tuple(extra))
    named = {name: measures.measure(name) for name in wanted}
    found, unmeasured = {}, []
    for query, one in sorted(asked.items()):
        grades = case.judgements.get(query, {})
        if not any(grade > 0 for grade in grades.values()):
            unmeasured.append(query)
            continue
        ranked = shown(one, ordering)
        found[query] = Figures(
            group=case.groups[query],
            tags=_tags(case, query, labelled or {}),
            values={name: one_measure(ranked, grades) for name, one_measure in named.items()},
            right=first_right(ranked, grades),
            top=tuple(ranked[: max(SHOWN, case.k)]),
        )
    if not found:
        raise NeverRan(f"run {run}: no asked query has a relevant document; nothing to measure")
    return Arm(
        run=run,
        capability=case.capability,
        k=case.k,
        data=case.data,
        recording=case.recording,
        numbers=ordering.said,
        tuned_on=ordering.tuned_on,
        models=dict(case.models),
        queries=found,
        unmeasured=tuple(unmeasured),
        unasked=tuple(sorted(case.groups.keys() - asked.keys())),
        degraded=degraded,
    )


def first_right(ranked: Sequence[Document], grades: Mapping[Document, int]) -> int | None:
    """The rank, from 1, of the first relevant document; None where none is shown."""
    return next((rank for rank, id in enumerate(ranked, 1) if grades.get(id, 0) > 0), None)


def shown(one: Recorded, ordering: Ordering = RECORDED) -> list[Document]:
    """The documents of one recording, best first."""
    if ordering.change is None and ordering.model:
        return _once(pair(id) for id, _ in one.ranking)
    numbers = (ordering.change or unchanged)(one.numbers)
    if ordering.model:
        return _once(pair(r.candidate.hit.id) for r in replay(one, numbers, cut=True))
    return _once(pair(r.candidate.hit.id) for r in order(candidates(one, numbers), {}, numbers))


def _once(order: Iterable[Document]) -> list[Document]:
    # Labels name a document by source and key: of two relations' equal keys the better place counts
    return list(dict.fromkeys(order))


@lru_cache
def _measures(k: int, extra: tuple[str, ...]) -> tuple[str, ...]:
    usual = (f"nDCG@{k}", f"RR@{k}", f"R@{k}", f"Judged@{k}")
    return tuple(dict.fromkeys(measures.measure(name).name for name in (*usual, *extra)))


def _labelled(run: RunFolder) -> dict[str, tuple[str, ...]]:
    """The tags somebody gave the queries, and head, torso or tail where traffic was counted."""
    try:
        known = about.read(run.path)
    except ValueError as error:
        raise RunFolderError(f"run {run.id}: {about.FILE} cannot be used ({error})") from error
    if known is None:
        return {}
    counts = {q: own.traffic for q, own in known.queries.items() if own.traffic is not None}
    parts = head_torso_tail(counts) if sum(counts.values()) > 0 else {}
    return {
        query: (*own.tags, *((parts[query],) if query in parts else ()))
        for query, own in known.queries.items()
    }


def _tags(case: Case, query: str, labelled: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    source = case.strata.get(query, "")
    own = labelled.get(query, ())
    return tuple(dict.fromkeys([*((f"source:{source}",) if source else ()), *own]))
