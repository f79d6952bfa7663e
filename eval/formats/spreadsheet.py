"""Makes cells harmless for a spreadsheet, and takes that back: to the letter, both ways.

A cell that starts with ``= + - @``, a tab or a carriage return is a formula to a spreadsheet, which
may run it (OWASP, CSV Injection). An apostrophe in front makes it text. A cell that starts with an
apostrophe gets one more, so that taking one away gives back what was there. A number stays one.

An id is no number: of ``0001``, ``1e3``, ``1-2`` or ``TRUE`` a spreadsheet keeps what it takes it
for, and saves that. Where a column holds ids or texts, such a cell is marked as well.
"""

from __future__ import annotations

import re

from eval.formats.columns import score_of

_MARK = "'"
STARTS = ("=", "+", "-", "@", "\t", "\r")
# Numbers, dates, times, shares, sums of money and, in brackets, what is below 0 begin so, and so do
# truths and names of months.
_TAKEN = re.compile(
    r"\s*(?:\(?[0-9.$€£¥%]|(?:true|false)\s*$|(?:jan|feb|ma[ry]|apr|ju[nl]|aug|sep|oct|nov|dec)[a-z]*\W?[0-9])",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"0|[1-9][0-9]{0,14}")  # a whole number that a spreadsheet keeps to the letter


def harmless(cell: str) -> str:
    """The cell as a spreadsheet may see it."""
    changed = cell.startswith((*STARTS, _MARK)) and score_of(cell) is None
    return f"{_MARK}{cell}" if changed else cell


def kept(cell: str) -> str:
    """An id or a text as a spreadsheet may see it, which gives it back as it is."""
    taken = _TAKEN.match(cell) and not _PLAIN.fullmatch(cell)
    return f"{_MARK}{cell}" if taken or cell.startswith((*STARTS, _MARK)) else cell


def original(cell: str) -> str:
    """What ``harmless`` or ``kept`` was given."""
    return cell.removeprefix(_MARK)


def looks_harmless(cell: str) -> bool:
    """Whether the cell looks like one that ``harmless`` or ``kept`` has changed."""
    return cell.startswith(_MARK) and kept(cell[1:]) != cell[1:]
