"""Judgements as TREC's four columns (query, 0, document, grade) or BEIR's three with a header.

Ids are strings and kept to the letter. An equal judgement given twice is counted, two that differ
are refused with both lines; a negative grade is kept and, as in TREC, not relevant. All lines have
as many columns as the first: of a line cut off after the document, its key would read as a grade.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from eval.formats.columns import columns, grade_of
from eval.formats.findings import Finding, Findings, quoted
from eval.formats.gather import Gathered, OnConflict
from eval.formats.lines import numbered_lines
from eval.formats.sheet import Judgement
from eval.formats.writing import checked_id, write_lines

_HEADERS = frozenset(
    {"query-id", "query_id", "queryid", "qid", "query", "topic", "topic-id", "topic_id"}
)
_COUNTS = (3, 4)
BEIR_HEADER = "query-id\tcorpus-id\tscore"


@dataclass(frozen=True, slots=True, kw_only=True)
class Qrels:
    """``judgements[query][document]`` is the grade; ``findings`` counts what was tolerated."""

    judgements: Mapping[str, Mapping[str, int]]
    findings: tuple[Finding, ...] = ()


class QrelsForm(StrEnum):
    """TREC: four columns, no header. BEIR: three columns under a header."""

    TREC = "trec"
    BEIR = "beir"


def read_qrels(path: Path, on_conflict: OnConflict = OnConflict.REFUSE) -> Qrels:
    """The judgements of a file, plain or gzip. Raises FormatError with every line at fault."""
    findings = Findings()
    rows = judgement_rows(path, findings, on_conflict)
    if not rows and not findings.refused:
        findings.refuse(path, 0, "holds no judgement")
    findings.check()
    judgements: dict[str, dict[str, int]] = {}
    for row in rows:
        judgements.setdefault(row.query, {})[row.document] = row.grade
    return Qrels(judgements=judgements, findings=findings.tolerated())


def judgement_rows(
    path: Path, findings: Findings, on_conflict: OnConflict = OnConflict.REFUSE
) -> tuple[Judgement, ...]:
    """The judgements in file order, each pair once; what is wrong goes to ``findings``."""
    rows, counts = Gathered(path, findings, on_conflict), _COUNTS
    for line, text in numbered_lines(path, findings):
        cells = columns(text, counts)
        if cells is None:
            findings.refuse(path, line, _needs(counts))
            continue
        counts = (len(cells),)
        if line == 1 and len(cells) == 3 and _mixed(text):
            findings.refuse(path, line, "has tabs and blanks between its columns: write tabs alone")
        elif not _is_header(line, cells):
            row = _judgement(path, line, cells, findings)
            if row is not None:
                rows.add(row)
    return rows.judgements


def write_qrels(
    judgements: Mapping[str, Mapping[str, int]], path: Path, form: QrelsForm = QrelsForm.TREC
) -> None:
    """Writes what ``read_qrels`` reads back; gzip where the name ends in ``.gz``.

    Raises ValueError for an id that no such file can hold (blank, or with a tab or a line end).
    """
    middle = "\t" if form is QrelsForm.BEIR else "\t0\t"
    rows = [
        f"{checked_id(query)}{middle}{checked_id(document)}\t{grade:d}"
        for query, grades in judgements.items()
        for document, grade in grades.items()
    ]
    write_lines(path, [BEIR_HEADER, *rows] if form is QrelsForm.BEIR else rows)


def _needs(counts: tuple[int, ...]) -> str:
    if len(counts) > 1:
        return "needs 3 or 4 columns: query, [0,] document, grade"
    return f"needs {counts[0]} columns, as the lines before it have"


def _mixed(text: str) -> bool:
    """Of ``q<tab>0 d<tab>1`` three columns would come, and a document that is called "0 d"."""
    parts = text.split()
    return len(parts) == 4 and parts[1] in ("0", "Q0")


def _is_header(line: int, cells: list[str]) -> bool:
    return line == 1 and cells[0].strip().casefold() in _HEADERS and grade_of(cells[-1]) is None


def _judgement(path: Path, line: int, cells: list[str], findings: Findings) -> Judgement | None:
    query, document, grade = cells[0], cells[-2], grade_of(cells[-1])
    if not query.strip() or not document.strip():
        findings.refuse(path, line, "has a blank id: name the query and the document")
    elif grade is None:
        said = f"grade {quoted(cells[-1])} is not a whole number of at most nine digits"
        findings.refuse(path, line, f"{said}: formats with a rating take fractions")
    else:
        return Judgement(query=query, document=document, grade=grade, line=line)
    return None
