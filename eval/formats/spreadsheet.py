"""Makes cells harmless for a spreadsheet, and takes that back: to the letter, both ways.

A cell that starts with ``= + - @``, a tab or a carriage return is a formula to a spreadsheet, which
may run it (OWASP, CSV Injection). An apostrophe in front makes it text. A cell that starts with an
apostrophe gets one more, so that taking one away gives back what was there. A number stays one.
"""

from __future__ import annotations

from eval.formats.columns import score_of

_MARK = "'"
STARTS = ("=", "+", "-", "@", "\t", "\r")


def harmless(cell: str) -> str:
    """The cell as a spreadsheet may see it."""
    changed = cell.startswith((*STARTS, _MARK)) and score_of(cell) is None
    return f"{_MARK}{cell}" if changed else cell


def original(cell: str) -> str:
    """What ``harmless`` was given."""
    return cell.removeprefix(_MARK)


def looks_harmless(cell: str) -> bool:
    """Whether the cell looks like one that ``harmless`` has changed."""
    return cell.startswith(_MARK) and cell[1:].startswith((*STARTS, _MARK))
