"""The judging file: what to judge next, and back again with the ratings a person typed.

Columns: query_id, source, document_id, rating, drawn, and for the judge's eyes only question, need,
title and text. ``drawn`` says ``targeted`` of pairs that were chosen for what they settle, so that
their share of relevant ones says nothing about the others, and ``pooled`` of a pool's. The
header is no label format's, so that no importer takes them for judgements by mistake. Cells are
harmless to a spreadsheet.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from eval.formats.csvtable import LONGEST_CELL
from eval.formats.spreadsheet import kept, original
from eval.formats.writing import write_text
from eval.judge.shown import NOTHING, Shown

COLUMNS = ("query_id", "source", "document_id", "rating", "drawn")
TOLD = ("question", "need", "title", "text")  # read by people, passed over when read back
TARGETED = "targeted"
LARGEST = 64 * 1024 * 1024  # bytes

Pair = tuple[str, str, str]  # query, source ("" for a plain run), document


class SheetError(ValueError):
    """The file is no judging file, or a rating is none; the message names the line."""


def write(
    path: Path,
    pairs: Iterable[Pair],
    *,
    shown: Shown = NOTHING,
    replace: bool = False,
    drawn: str = TARGETED,
) -> None:
    """Writes pairs without a rating. ``SheetError`` where the file is there: it may hold work."""
    if path.exists() and not replace:
        raise SheetError(f"{path}: is there already and may hold ratings; name another file")
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\r\n")
    rows.writerow([*COLUMNS, *TOLD])
    for pair in pairs:
        told = (kept(cell) for cell in (*pair, *shown.of(*pair)))
        query, source, document, *rest = told
        rows.writerow([query, source, document, "", drawn, *rest])
    write_text(path, text.getvalue())


def read(path: Path) -> dict[Pair, int]:
    """The rated pairs; a blank rating is no judgement. A pair rated twice must agree."""
    try:
        if path.stat().st_size > LARGEST:
            raise SheetError(f"{path}: larger than {LARGEST} bytes")
        text = path.read_bytes().decode(
            "utf-8-sig"
        )  # line ends inside a quoted id stay as they are
    except OSError as error:
        raise SheetError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise SheetError(f"{path}: not UTF-8") from error
    rows = _rows(path, text)
    header = next(rows, (1, []))[1]
    if tuple(header[: len(COLUMNS)]) != COLUMNS:
        raise SheetError(f"{path}: the first line is not {','.join(COLUMNS)}")
    found: dict[Pair, int] = {}
    for line, row in rows:
        where = f"{path}:{line}"
        if not row:
            continue
        if len(row) != len(header):
            raise SheetError(f"{where}: {len(row)} columns, {len(header)} are needed")
        query, source, document = map(original, row[:3])
        rating = row[3]
        if rating.strip():
            grade = _grade(rating.strip(), where)
            if found.setdefault((query, source, document), grade) != grade:
                raise SheetError(f"{where}: {document!r} has two ratings for query {query!r}")
    return found


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with the line they end in; ``SheetError`` where one is no CSV, or has no end."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in rows:
            yield rows.line_num, row
    except csv.Error as error:
        raise SheetError(
            f"{path}:{rows.line_num}: no usable CSV, {error}; a cell has at most "
            f"{LONGEST_CELL:,} characters (is every quote closed?)"
        ) from error


def merged(files: Iterable[Path]) -> dict[Pair, int]:
    """The ratings of several files; the same pair must have the same rating in each."""
    found: dict[Pair, int] = {}
    for path in files:
        for pair, grade in read(path).items():
            if found.setdefault(pair, grade) != grade:
                raise SheetError(f"{path}: rates {pair[2]!r} of query {pair[0]!r} otherwise")
    return found


def _grade(text: str, where: str) -> int:
    if not text.lstrip("-").isdecimal() or not -1 <= int(text) <= 100:
        raise SheetError(f"{where}: {text!r} is no grade; a whole number from 0")
    return int(text)
