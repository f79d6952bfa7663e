"""TREC runs: six columns, query, Q0, document, rank, score, tag.

An imported run is ordered by trec_eval's rule, whatever its rank column says: scores as 32-bit
floats, descending, ties by document id descending in bytes (trec_eval 9, ``form_res_rels.c``). A
report on an imported run says so. Judgements live in ``qrels`` and are offered here as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eval.formats.columns import columns, grade_of, score_of
from eval.formats.findings import Finding, Findings, FormatError, quoted
from eval.formats.lines import numbered_lines
from eval.formats.qrels import Qrels, QrelsForm, read_qrels, write_qrels
from eval.formats.writing import checked_id, write_lines

__all__ = [
    "TIE_RULE",
    "FormatError",
    "Qrels",
    "QrelsForm",
    "Run",
    "ranking",
    "read_qrels",
    "read_run",
    "write_qrels",
    "write_run",
]

TIE_RULE = "scores as 32-bit floats, ties by document id descending (trec_eval)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one system returned: ``scores[query][document]``, queries in the file's order."""

    tag: str
    scores: Mapping[str, Mapping[str, float]]
    findings: tuple[Finding, ...] = ()

    def ranking(self, query: str) -> tuple[str, ...]:
        """The documents of a query in trec_eval's order; empty where the run has none."""
        return ranking(self.scores.get(query, {}))

    def rankings(self) -> dict[str, tuple[str, ...]]:
        """``ranking`` of every query of the run."""
        return {query: ranking(scores) for query, scores in self.scores.items()}


def ranking(scores: Mapping[str, float]) -> tuple[str, ...]:
    """Documents by ``TIE_RULE``, best first."""
    rounded = np.array(list(scores.values()), dtype=np.float32).tolist()
    rule = [(score, key.encode(), key) for score, key in zip(rounded, scores, strict=True)]
    return tuple(key for _, _, key in sorted(rule, reverse=True))


def read_run(path: Path) -> Run:
    """A run, plain or gzip. Raises FormatError with every line at fault.

    Refused: a score that is not a finite 32-bit number, a document twice in a query. Findings are
    more than one tag, of which the first names the run, and ranks that contradict the scores.
    """
    findings = Findings()
    scores: dict[str, dict[str, float]] = {}
    lines: dict[tuple[str, str], int] = {}
    tags: dict[str, int] = {}
    ranked: dict[str, list[tuple[int, float]]] = {}
    for line, text in numbered_lines(path, findings):
        row = _result(text)
        if isinstance(row, str):
            findings.refuse(path, line, row)
        elif (first := lines.setdefault((row.query, row.document), line)) != line:
            pair = f"document {quoted(row.document)} of query {quoted(row.query)}"
            findings.refuse(path, line, f"{pair} stands in line {first} already: keep one")
        else:
            scores.setdefault(row.query, {})[row.document] = row.score
            tags.setdefault(row.tag, line)
            if row.rank is not None:
                ranked.setdefault(row.query, []).append((row.rank, row.score))
    if not lines and not findings.refused:
        findings.refuse(path, 0, "holds no result")
    findings.check()
    for tag in list(tags)[1:]:
        findings.count("more than one tag, the first is taken", path, tags[tag], quoted(tag))
    for query, given in ranked.items():
        if _contradicts(given):
            kind = "query whose ranks say otherwise than its scores, ordered by the scores"
            findings.count(kind, path, 0, quoted(query))
    return Run(tag=next(iter(tags)), scores=scores, findings=findings.tolerated())


def _contradicts(ranked: list[tuple[int, float]]) -> bool:
    """Whether a worse rank has a better score; equal ones of either say nothing."""
    rounded = np.array([score for _, score in ranked], dtype=np.float32)
    ranks = np.array([rank for rank, _ in ranked])
    order = np.lexsort((-rounded, ranks))
    lowest = np.minimum.accumulate(rounded[order])
    first = np.searchsorted(ranks[order], ranks[order])  # where the results of each rank begin
    above = first > 0
    return bool(np.any(rounded[order][above] > lowest[first[above] - 1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    query: str
    document: str
    rank: int | None
    score: float
    tag: str


def _result(text: str) -> _Result | str:
    """What a line says, or what is wrong with it."""
    cells = columns(text, (6,))
    if cells is None:
        return "needs 6 columns: query Q0 document rank score tag"
    query, _, document, rank, written, tag = cells
    if not query.strip() or not document.strip():
        return "has a blank id: name the query and the document"
    score = score_of(written)
    if score is None:
        return f"score {quoted(written)} is not a finite 32-bit number"
    return _Result(query=query, document=document, rank=grade_of(rank), score=score, tag=tag)


def write_run(run: Run, path: Path) -> None:
    """Writes what ``read_run`` reads back, ranks by ``TIE_RULE``; gzip where it ends in ``.gz``.

    A query without results has no line, as the format has no way to say it. Raises ValueError for
    an id or tag that no such file can hold.
    """
    tag = checked_id(run.tag)
    write_lines(
        path,
        [
            f"{checked_id(query)}\tQ0\t{checked_id(key)}\t{rank}\t{float(run.scores[query][key])!r}\t{tag}"
            for query in run.scores
            for rank, key in enumerate(run.ranking(query), start=1)
        ],
    )
