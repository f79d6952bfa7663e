"""The pool of several runs, as what is left to judge and as the file somebody judges it in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from eval import record, runfolder
from eval.dataset import Federation
from eval.formats.csvtable import write_table
from eval.formats.ratings import HEADER, TEXTS
from eval.formats.trec import read_qrels, read_run
from eval.judge import sheet as judging
from eval.judge.shown import Shown
from eval.labels.home import Home, home, listed
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
    runs: Sequence[Run],
    depth: int,
    federation: Federation | None,
    qrels: Path | None,
    source: str | None = None,
) -> Pool[Document]:
    """The pool; judged is what any run, the labelled folders or a file of judgements know.

    With ``source`` it is of that source's documents among the first ``depth``, and of no other's.
    """
    judged: Grades = {}
    sources = {one for run in runs for own in run.rankings.values() for one, _ in own}
    wanted = runs if source is None else _only(runs, depth, source, sources)
    for run in runs:
        _add(judged, run.judged)
    if federation is not None:
        _refuse_strange(federation, sources, source)
    for query, own in federation.judgements.items() if federation is not None else ():
        plain = {("", key): grade for (_, key), grade in own.items()}
        _add(judged, {query: plain if sources == {""} else own})
    _add(judged, _judged(qrels, sources) if qrels is not None else {})
    return pool({run.name: run.rankings for run in wanted}, depth, judged)


def home_of(unjudged: Mapping[str, Sequence[Document]], federation: Federation | None) -> Home:
    """Under which ids a folder takes what is written for it.

    Raises CannotPool where the documents have several sources: the labels of each are a folder of
    their own. And where nobody can tell which query of a folder one of the runs is.
    """
    there = sorted({one for own in unjudged.values() for one, _ in own})
    if len(there) > 1:
        said = f"the pairs have the sources {', '.join(there)}"
        raise CannotPool(f"{said}: write a file for each, with --source NAME")
    found = home(unjudged, there[0] if there else "", federation)
    if found.unknown and not found.ids:
        raise CannotPool(
            f"no folder of --data asks any of the runs' queries ({listed(found.unknown)}): name "
            "all folders that were recorded"
        )
    return found


def refuse_qualified(runs: Sequence[Run], unjudged: Iterable[str]) -> None:
    """Ids that tell folders apart are none of a folder's own: raises CannotPool."""
    sources = {one for run in runs for own in run.rankings.values() for one, _ in own}
    told = [query for query in unjudged if query.partition("/")[0] in sources and "/" in query]
    if told and len(sources) > 1:
        raise CannotPool(
            f"the runs tell queries of several folders apart ({listed(told)}): name all folders "
            "that were recorded with --data, so that each rating gets its folder's own query id"
        )


def write_ratings(
    path: Path, unjudged: Mapping[str, Sequence[Document]], home: Home, shown: Shown
) -> None:
    """A row a pair as ``import`` reads it; no cell is a formula to a spreadsheet."""
    rows = []
    for query, id in home.ids.items():
        for document in unjudged[query]:
            question, need, title, text = shown.of(query, *document)
            rows.append([id, question, need, document[1], "", "", "", "", title, text])
    write_table(path, (*HEADER, *BESIDE), rows, escape=True, texts=TEXTS)


def write_judging(path: Path, unjudged: Mapping[str, Sequence[Document]], shown: Shown) -> None:
    """A row a pair as ``judge-next --judged`` reads it, under the ids of the runs."""
    judging.write(path, shown_pairs(unjudged), shown=shown, drawn=POOLED)


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


def _only(runs: Sequence[Run], depth: int, source: str, sources: Collection[str]) -> list[Run]:
    """Raises CannotPool for a source that the runs do not have."""
    if source not in sources:
        known = ", ".join(sorted(set(sources) - {""})) or "none, as TREC runs name no source"
        raise CannotPool(f"the runs hold nothing of the source {source}; they have {known}")
    return [
        replace(
            run,
            rankings={
                query: tuple(one for one in own[:depth] if one[0] == source)
                for query, own in run.rankings.items()
            },
        )
        for run in runs
    ]


def _refuse_strange(federation: Federation, sources: Collection[str], source: str | None) -> None:
    """Folders of which none is a source of the runs, or the one that is asked for: all of it would
    be judged again, unseen.
    """
    names = {folder.name for folder in federation.sources}
    wanted = sources if source is None else {source}
    if wanted and wanted != {""} and names.isdisjoint(wanted):
        said = f"the sources are {', '.join(sorted(wanted))}, and no folder of --data is called so"
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
