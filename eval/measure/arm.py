"""One arm of a report: a recording, or a run of another system, with the labels it is held to."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eval import record, runfolder
from eval.formats.trec import read_qrels, read_run
from eval.measures import NeverRan
from eval.misses import Known, known
from eval.recording import about
from eval.recording.about import Held, Labelled

Record = tuple[str, str]  # (source, key)
Trace = Mapping[str, Any]
Grades = Mapping[str, Mapping[Record, int]]
RUN = "run"  # stands for the source of an imported run, which names none


class NotAnArm(ValueError):
    """What was named cannot be measured; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """Queries in the order of their ids everywhere, so that no order of input can show.

    lists: the whole ranking of each query; traces: {} for an imported run
    labels: of every query that was to be asked; tied: share of results whose score another has
    notes: what its files hold that is odd
    """

    name: str
    lists: Mapping[str, Sequence[Record]]
    judgements: Grades
    labels: Mapping[str, Labelled]
    traces: Mapping[str, Trace] = field(default_factory=dict)
    sources: Mapping[str, Held] = field(default_factory=dict)
    known: Known = field(default_factory=Known)
    as_of: str = ""
    noise: Mapping[str, object] | None = None
    k: int = 10
    tied: float = 0.0
    imported: bool = False
    notes: tuple[str, ...] = ()

    @property
    def hidden(self) -> frozenset[Record]:
        """What the recording's caller may not see."""
        return self.known.hidden

    @property
    def missing(self) -> tuple[str, ...]:
        """Labelled queries that were not answered at all: the arm is partial."""
        return tuple(query for query in self.labels if query not in self.lists)

    @property
    def groups(self) -> dict[str, str]:
        return {query: label.group for query, label in self.labels.items()}

    @property
    def right_sources(self) -> dict[str, frozenset[str]]:
        """As labelled, else those that hold a relevant document; unlabelled queries are absent."""
        found = {}
        for query, label in self.labels.items():
            grades = self.judgements.get(query, {})
            if label.right is not None:
                found[query] = frozenset(label.right)
            elif grades:
                found[query] = frozenset(source for (source, _), g in grades.items() if g > 0)
        return found

    @property
    def unanswerable(self) -> frozenset[str]:
        """Queries for which nothing is right: as labelled, or judged without a relevant one."""
        return frozenset(
            query
            for query, label in self.labels.items()
            if label.nothing
            or (self.judgements.get(query) and max(self.judgements[query].values()) < 1)
        )

    def shown(self, query: str) -> Sequence[Record]:
        """What left the house."""
        own, trace = self.lists.get(query, ()), self.traces.get(query)
        if trace is None:
            return own
        sent = {(row[0], row[2]) for row in trace["ranking"][: trace["shown"]]}
        return [one for one in own if one in sent]

    def without_self(self) -> "Arm":
        """Without results that carry the id of their own query."""
        lists = {
            query: tuple(one for one in own if one[1] != query) for query, own in self.lists.items()
        }
        return replace(self, lists=lists)

    @property
    def selves(self) -> int:
        """How many lists hold a result with the id of their own query."""
        return sum(any(one[1] == query for one in own) for query, own in self.lists.items())


def of_folder(folder: Path) -> Arm:
    """A run folder of ``record`` or ``tune``. Raises NotAnArm, NeverRan, RunFolderError."""
    plain = runfolder.judged(folder)
    try:
        told, looked = about.read(folder), known.read(folder)
    except ValueError as error:
        raise NotAnArm(str(error)) from error
    groups: Mapping[str, str] = plain["groups"]
    labels = dict(told.queries) if told else {}
    for query, group in groups.items():
        labels.setdefault(query, Labelled(group=group))
    traces = dict(record.lines(folder / runfolder.TRACES))
    found = {query: traces[query] for query in sorted(labels) if query in traces}
    if not found:
        raise NeverRan(f"{folder}: holds no trace of a labelled query; record it first")
    return Arm(
        name=told.arm if told else folder.name,
        lists={query: _ranking(trace) for query, trace in found.items()},
        judgements={
            query: {(source, key): grade for source, key, grade in rows}
            for query, rows in sorted(plain["judgements"].items())
            if query in labels
        },
        labels={query: labels[query] for query in sorted(labels)},
        traces=found,
        sources=told.sources if told else {},
        known=looked,
        as_of=told.as_of if told else "",
        noise=told.noise if told else None,
        k=plain["k"],
        tied=_tied([row[4] for row in trace["ranking"]] for trace in found.values()),
    )


def of_run(run: Path, qrels: Path) -> Arm:
    """A TREC run under trec_eval's tie rule. Raises FormatError, NeverRan."""
    read, judged = read_run(run), read_qrels(qrels)
    labels = judged.judgements
    # What nobody judged is listed as that; a judged query without a line was answered with nothing.
    asked = sorted({*labels, *read.scores})
    if not read.scores.keys() & labels.keys():
        raise NeverRan(f"{run}: shares no query with {qrels}; are the ids the same?")
    return Arm(
        name=read.tag,
        lists={query: [(RUN, key) for key in read.ranking(query)] for query in asked},
        judgements={
            query: {(RUN, key): grade for key, grade in sorted(labels[query].items())}
            for query in sorted(labels)
        },
        labels={query: Labelled(group=query) for query in asked},
        tied=_tied(list(scores.values()) for scores in read.scores.values()),
        imported=True,
        notes=tuple(map(str, (*read.findings, *judged.findings))),
    )


def of_runs(runs: Sequence[Path], qrels: Path) -> list[Arm]:
    """An arm of each TREC run; those that have one tag go by their files. Raises as ``of_run``."""
    arms = [of_run(run, qrels) for run in runs]
    tags = Counter(arm.name for arm in arms)
    return [
        replace(arm, name=str(run)) if tags[arm.name] > 1 else arm
        for arm, run in zip(arms, runs, strict=True)
    ]


def _ranking(trace: Trace) -> tuple[Record, ...]:
    """Each record once: two relations of a source may hold one key, and labels know no relation."""
    return tuple(dict.fromkeys((row[0], row[2]) for row in trace["ranking"]))


def _tied(lists: Iterable[Sequence[float]]) -> float:
    results = tied = 0
    for scores in lists:
        results += len(scores)
        tied += sum(count for count in Counter(scores).values() if count > 1)
    return tied / results if results else 0.0
