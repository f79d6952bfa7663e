"""Tables with a header as comma-separated text: RFC 4180, quoted cells may hold line ends.

Cells are kept to the letter, up to a million characters. Semicolons and tabs between the cells of
the header are understood, as spreadsheets of many countries write them. Every row has the line it
begins in.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.formats import spreadsheet
from eval.formats.findings import Findings, quoted
from eval.formats.lines import LONGEST_LINE, numbered_lines
from eval.formats.writing import write_text

_BETWEEN = (",", ";", "\t")
# A cell: a reason or a need at its longest. With a quote left open it is also where reading stops.
LONGEST_CELL = 1_000_000
# Python's own bound, 131,072, is lower than what it writes without a word; it is one a process.
csv.field_size_limit(LONGEST_CELL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The cells of one row, as many as the header has; cells left away are empty."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """``header`` as written; ``rows`` are read once, while the file is read."""

    header: tuple[str, ...]
    rows: Iterator[Row]

    def places(
        self, names: Mapping[str, Iterable[str]], path: Path, findings: Findings
    ) -> dict[str, int]:
        """The column of each name, found by any of its spellings, without regard to case.

        One that stands there twice is refused: nobody can say which of the two is meant.
        """
        plain = [cell.strip().casefold() for cell in self.header]
        for spelling in dict.fromkeys(one for own in names.values() for one in own):
            if plain.count(spelling) > 1:
                findings.refuse(path, 1, f"names the column {quoted(spelling)} twice: keep one")
        return {
            name: plain.index(spelling)
            for name, spellings in names.items()
            for spelling in spellings
            if spelling in plain
        }


def read_table(path: Path, findings: Findings, *, escaped: bool = False) -> Table:
    """The table of a file, plain or gzip; ``escaped`` takes back what a spreadsheet was spared."""
    rows = _rows(path, findings)
    first = next(rows, None)
    if first is None:
        if not findings.refused:
            findings.refuse(path, 0, "is empty: the first line names the columns")
        return Table(header=(), rows=iter(()))
    header = tuple(map(spreadsheet.original, first[1])) if escaped else tuple(first[1])
    return Table(header=header, rows=_body(path, rows, len(header), findings, escaped))


def write_table(
    path: Path,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    escape: bool = False,
    texts: Collection[int] = (),
) -> None:
    """Writes what ``read_table`` reads back; ``texts`` are the columns of ids and texts, in which
    a number is none.

    Raises ValueError for a NUL, a lone surrogate, and a cell or line longer than can be read.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)  # ends lines with \r\n, so that either sign in a cell is quoted
    for row in (header, *rows):
        writer.writerow(_readable(_escaped(row, texts) if escape else row))
    body = text.getvalue()
    if "\0" in body:
        raise ValueError("a cell holds a NUL: no file of this kind can")
    write_text(path, body)


def _escaped(row: Sequence[str], texts: Collection[int]) -> list[str]:
    return [
        spreadsheet.kept(cell) if place in texts else spreadsheet.harmless(cell)
        for place, cell in enumerate(row)
    ]


def _readable(row: Sequence[str]) -> Sequence[str]:
    """The row itself, if it can be read back."""
    for cell in row:
        if len(cell) > LONGEST_CELL:
            said = f"a cell has {len(cell):,} characters; it may have {LONGEST_CELL:,}"
            raise ValueError(f"{said}: shorten {quoted(cell[:40])}")
    size = sum(map(len, row))
    # A character has up to four bytes, and a quote is written twice.
    if size > LONGEST_LINE // 8 and 2 * len("".join(row).encode()) > LONGEST_LINE:
        raise ValueError(
            f"a row has {size:,} characters, longer than a line of a file may be "
            f"({LONGEST_LINE:,} bytes): shorten {quoted(row[0][:40])}"
        )
    return row


def _rows(path: Path, findings: Findings) -> Iterator[tuple[int, list[str]]]:
    """(line, cells) of every row that is not blank; the first broken one ends the reading."""
    read = 0

    def lines() -> Iterator[str]:
        nonlocal read
        for number, line in numbered_lines(path, findings, whole=True):
            read = number
            yield line

    source = lines()
    head = next(source, None)
    if head is None:
        return
    # No first column of ours has such a sign in its name, so the first one stands between cells.
    between = next((sign for sign in head if sign in _BETWEEN), ",")
    at = 1
    reader = csv.reader(_chained(head, source), delimiter=between, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield at, cells
            at = read + 1
    except csv.Error as trouble:
        findings.refuse(path, at, f"is no usable CSV: {_told(trouble)} (is every quote closed?)")


def _told(trouble: csv.Error) -> str:
    if "field limit" in str(trouble):
        return f"a cell has more than {LONGEST_CELL:,} characters"
    return str(trouble)


def _chained(head: str, rest: Iterator[str]) -> Iterator[str]:
    yield head
    yield from rest


def _body(
    path: Path,
    rows: Iterator[tuple[int, list[str]]],
    width: int,
    findings: Findings,
    escaped: bool,
) -> Iterator[Row]:
    for line, cells in rows:
        if len(cells) > width:
            findings.refuse(path, line, f"has {len(cells)} cells, the header names {width}")
            continue
        for cell in cells:
            if not escaped and spreadsheet.looks_harmless(cell):
                kind = (
                    "cell that looks escaped for a spreadsheet, kept as it is (--from-spreadsheet)"
                )
                findings.count(kind, path, line, quoted(cell))
        found = [spreadsheet.original(cell) for cell in cells] if escaped else cells
        yield Row(line=line, cells=(*found, *("" for _ in range(width - len(cells)))))
