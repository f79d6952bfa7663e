"""The pool of several runs, as what is left to judge and as the file somebody judges it in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval import record, runfolder
from eval.dataset import Federation
from eval.formats.csvtable import write_table
from eval.formats.ratings import HEADER, TEXTS
from eval.formats.trec import read_qrels, read_run
from eval.judge import sheet as judging
from eval.judge.shown import Shown
from eval.labels.pool import Pool, pool
from eval.runfolder import TRACES, RunFolderError
from eval.runs.folders import folder_of

Document = tuple[str, str]  # (source, key); the source of a plain run is ""
Grades = dict[str, dict[Document, int]]
BESIDE = ("title", "text")  # for people, passed over by whoever reads the file
POOLED = "pooled"


class CannotPool(ValueError):
    """Runs that make no pool together; the message says what to name instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """``rankings[query]``: documents, best first. ``judged`` is what the run itself knows."""

    name: str
    rankings: Mapping[str, Sequence[Document]]
    judged: Grades


def read_runs(named: Sequence[str], base: Path) -> list[Run]:
    """Recorded runs and TREC runs, as they are named at a terminal.

    Raises CannotPool, RunFolderError, FormatError, NoSuchRun.
    """
    if twice := next((name for name in named if named.count(name) > 1), None):
        raise CannotPool(f"{twice} is named twice: a run adds nothing to itself")
    found = [
        _plain(Path(name)) if Path(name).is_file() else _recorded(folder_of(base, name), name)
        for name in named
    ]
    sources = {source for run in found for own in run.rankings.values() for source, _ in own}
    recorded = sorted(sources - {""})
    if "" not in sources or not recorded:
        return found
    if len(recorded) > 1:
        raise CannotPool(
            f"a TREC run names no source, and the recordings have {', '.join(recorded)}: pool it "
            "with runs of one source"
        )
    return [_of_source(run, recorded[0]) for run in found]


def pooled(
    runs: Sequence[Run], depth: int, federation: Federation | None, qrels: Path | None
) -> Pool[Document]:
    """The pool; judged is what any run, the labelled folders or a file of judgements know."""
    judged: Grades = {}
    sources = {source for run in runs for own in run.rankings.values() for source, _ in own}
    for run in runs:
        _add(judged, run.judged)
    if federation is not None:
        _refuse_strange(federation, sources)
    for query, own in federation.judgements.items() if federation is not None else ():
        plain = {("", key): grade for (_, key), grade in own.items()}
        _add(judged, {query: plain if sources == {""} else own})
    _add(judged, _judged(qrels, sources) if qrels is not None else {})
    return pool({run.name: run.rankings for run in runs}, depth, judged)


def write_ratings(
    path: Path, unjudged: Mapping[str, Sequence[Document]], source: str | None, shown: Shown
) -> None:
    """A row a pair as ``import`` reads it; no cell is a formula to a spreadsheet.

    Raises CannotPool where the documents have several sources and none is named: the labels of each
    are a folder of their own.
    """
    there = sorted({one for own in unjudged.values() for one, _ in own})
    wanted = [one for one in there if source in (None, one)]
    if len(wanted) != 1:
        said = f"the pairs have the sources {', '.join(there)}"
        raise CannotPool(f"{said}: write a file for each, with --source NAME")
    rows = []
    for query, own in unjudged.items():
        for document in own:
            if document[0] == wanted[0]:
                question, need, title, text = shown.of(query, *document)
                rows.append([query, question, need, document[1], "", "", "", "", title, text])
    write_table(path, (*HEADER, *BESIDE), rows, escape=True, texts=TEXTS)


def write_judging(
    path: Path, unjudged: Mapping[str, Sequence[Document]], source: str | None, shown: Shown
) -> None:
    """A row a pair as ``judge-next --judged`` reads it, of all sources or of one."""
    pairs = [
        (query, *document)
        for query, own in unjudged.items()
        for document in own
        if source in (None, document[0])
    ]
    judging.write(path, pairs, shown=shown, drawn=POOLED)


def _recorded(folder: Path, name: str) -> Run:
    traces = folder / TRACES
    if not traces.exists():
        raise RunFolderError(f"{folder}: holds no {TRACES}; name a recording or a TREC run")
    rankings = {
        query: tuple(dict.fromkeys((row[0], row[2]) for row in trace["ranking"]))  # type: ignore[attr-defined]
        for query, trace in record.lines(traces)
    }
    if not rankings:
        raise RunFolderError(f"{traces}: holds no trace of this version; record it again")
    known = runfolder.judged(folder) if (folder / runfolder.LABELS).exists() else {}
    judged = {
        query: {(source, key): grade for source, key, grade in rows}
        for query, rows in known.get("judgements", {}).items()
    }
    return Run(name=name, rankings=rankings, judged=judged)


def _plain(path: Path) -> Run:
    rankings = {
        query: tuple(("", key) for key in own) for query, own in read_run(path).rankings().items()
    }
    return Run(name=str(path), rankings=rankings, judged={})


def _of_source(run: Run, source: str) -> Run:
    rankings = {
        query: tuple((own or source, key) for own, key in ranking)
        for query, ranking in run.rankings.items()
    }
    return Run(name=run.name, rankings=rankings, judged=run.judged)


def _refuse_strange(federation: Federation, sources: Collection[str]) -> None:
    """Folders of which none is a source of the runs: all of it would be judged again, unseen."""
    names = {source.name for source in federation.sources}
    if sources and sources != {""} and names.isdisjoint(sources):
        said = f"the sources are {', '.join(sorted(sources))}, and no folder of --data is called so"
        raise CannotPool(f"{said}: a folder's name is its source's id")


def _judged(qrels: Path, sources: Collection[str]) -> Grades:
    """Raises CannotPool where they are about no source at all: all of it would be judged again."""
    found = {
        query: {_sourced(key, sources): grade for key, grade in grades.items()}
        for query, grades in read_qrels(qrels).judgements.items()
    }
    if sources and not any(source in sources for own in found.values() for source, _ in own):
        named = ", ".join(sorted(sources))
        raise CannotPool(f"{qrels}: names none of the sources {named}: write source/key")
    return found


def _sourced(document: str, sources: Collection[str]) -> Document:
    """As ``record --qrels`` reads it: a key, or with several sources ``source/key``."""
    if len(sources) == 1:
        return (next(iter(sources)), document)
    source, _, key = document.partition("/")
    return (source, key)


def _add(judged: Grades, more: Mapping[str, Mapping[Document, int]]) -> None:
    for query, own in more.items():
        judged.setdefault(query, {}).update(own)


def shown_pairs(unjudged: Mapping[str, Sequence[Document]]) -> Iterable[tuple[str, str, str]]:
    """(query, source, key) of every pair."""
    return ((query, *document) for query, own in unjudged.items() for document in own)
