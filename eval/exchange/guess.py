"""Which format a file has, where its content leaves no doubt."""

from __future__ import annotations

from pathlib import Path

from eval.exchange.names import Name
from eval.formats import strict
from eval.formats.columns import columns, grade_of, score_of
from eval.formats.csvtable import read_table
from eval.formats.findings import Findings, FormatError
from eval.formats.lines import numbered_lines

IR_DATASETS = "irds:"


class Unclear(ValueError):
    """A file whose format only a person can name; the message says between which."""


def guess(given: str) -> Name:
    """The format of a file or folder, or of ``irds:ID``.

    Raises Unclear, and FormatError for a file that says nothing in any format.
    """
    if given.startswith(IR_DATASETS):
        return Name.IR_DATASETS
    path = Path(given)
    if path.is_dir():
        if (path / "queries.jsonl").exists():
            return Name.BEIR
        raise Unclear(f"{path} holds no queries.jsonl: name a file, or a BEIR folder")
    findings = Findings()
    first = next((text for _, text in numbered_lines(path, findings)), "")
    if not first and not findings.refused:
        findings.refuse(path, 0, "is empty")
    findings.check()
    if first.lstrip().startswith(("{", "[")):
        try:
            return _json(path, first)
        except FormatError:
            if (name := _columns(first)) and _numbered(first, name):
                return name  # its first id is written as {3f25...}
            raise
    name = _columns(first)
    if name and _numbered(first, name):
        return name
    if name := _table(path) or name:
        return name
    raise Unclear(f"{path} has no format known here: name one with --format")


def _json(path: Path, first: str) -> Name:
    try:
        line, _ = strict.parsed(first)
    except strict.Unusable:
        line = None
    if isinstance(line, dict) and ({"action_name", "user_query", "_source"} & line.keys()):
        return Name.CLICKS
    findings = Findings()
    value = strict.document(path, findings)
    if line is None:  # lines of JSON are no document, and may yet be something
        findings.check()
    if isinstance(value, dict):
        if "judgmentRatings" in value or "hits" in value:
            return Name.OPENSEARCH
        if {"queries", "topics", "query_groups"} & value.keys():
            return Name.RRE
    raise Unclear(f"{path} is JSON of no format known here: name one with --format")


def _table(path: Path) -> Name | None:
    header = {cell.strip().casefold() for cell in read_table(path, Findings()).header}
    if {"query_id", "docid", "rating"} <= header:
        return Name.RATINGS
    if "impressions" in header or "action_name" in header:
        return Name.CLICKS
    named = header & {"query", "query text", "query_text"}
    if not named or not header & {"docid", "doc id", "doc_id"}:
        return None
    if header & {"rating", "user rating"}:
        if len(header) == 3 or "user rating" in header:
            return Name.QUEPID
        raise Unclear(
            f"{path} has a column rating and others: --format quepid reads that one alone, "
            "--format quepid-raters takes each for a rater"
        )
    return Name.QUEPID_RATERS


_COLUMNS = {6: Name.TREC_RUN, 4: Name.TREC, 3: Name.TREC}


def _columns(first: str) -> Name | None:
    """By the number of columns: of tabs where they give one, since an id may hold blanks."""
    counts = [len(first.split("\t"))]
    for count in counts if counts[0] in _COLUMNS else _COLUMNS:
        if columns(first, (count,)):
            return _COLUMNS[count]
    return None


def _numbered(first: str, name: Name) -> bool:
    """Whether a number stands where a line of this format has one, and a header has a word."""
    if name is Name.TREC_RUN:
        result = columns(first, (6,))
        return result is not None and score_of(result[4]) is not None
    judgement = columns(first, (3, 4))
    return judgement is not None and grade_of(judgement[-1]) is not None
