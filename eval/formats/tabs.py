"""Tables whose cells stand between tabs, as TREC topics are kept: a line a row, a quote a quote.

Read as CSV a lone quote would swallow the rows after it. A spreadsheet quotes what holds a quote or
a comma, and doubles the quotes in it: of a cell that is written so, that is taken back. Where the
header stands in quotes, every cell does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eval.formats.csvtable import Row, Table
from eval.formats.findings import Findings
from eval.formats.lines import numbered_lines

_QUOTE = '"'


def read_tabs(path: Path, findings: Findings) -> Table:
    """The table of a file, plain or gzip."""
    lines = numbered_lines(path, findings)
    first = next(lines, None)
    if first is None:
        if not findings.refused:
            findings.refuse(path, 0, "is empty: the first line names the columns")
        return Table(header=(), rows=iter(()))
    names = first[1].split("\t")
    if len(names) == 1:
        findings.refuse(path, 1, "names one column: a tab stands between the cells of a .tsv")
    every = all(_inner(name) is not None for name in names)
    header = tuple(_plain(name, every) for name in names)
    return Table(header=header, rows=_rows(path, lines, len(header), every, findings))


def _rows(
    path: Path, lines: Iterator[tuple[int, str]], width: int, every: bool, findings: Findings
) -> Iterator[Row]:
    for number, text in lines:
        cells = [_plain(cell, every) for cell in text.split("\t")]
        if len(cells) > width:
            findings.refuse(path, number, f"has {len(cells)} cells, the header names {width}")
            continue
        yield Row(line=number, cells=(*cells, *("" for _ in range(width - len(cells)))))


def _plain(cell: str, every: bool) -> str:
    """The cell without the quotes that a spreadsheet has put around it."""
    inner = _inner(cell)
    if inner is None or not (every or _QUOTE in inner or "," in inner):
        return cell
    return inner.replace(_QUOTE * 2, _QUOTE)


def _inner(cell: str) -> str | None:
    """What stands between quotes that are one cell's, those in it doubled; None where none do."""
    inner = cell[1:-1]
    whole = len(cell) > 1 and cell.startswith(_QUOTE) and cell.endswith(_QUOTE)
    return inner if whole and _QUOTE not in inner.replace(_QUOTE * 2, "") else None
