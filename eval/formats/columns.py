"""Splits the lines of TREC files and reads their numbers strictly.

A line with tabs is split at tabs alone, so that an id may hold spaces; any other line at runs of
spaces. Python's own ``split`` and ``float`` take more than a file of this field means: no-break
spaces, ``1_000``, ``nan``, digits of other scripts.
"""

from __future__ import annotations

import re

from eval.formats.sheet import Grade

LARGEST_GRADE = 999_999_999
# The largest finite 32-bit float: trec_eval keeps scores in 32 bits.
LARGEST_SCORE = 3.4028234663852886e38
_SPACES = re.compile(r"[ \t]+")
_SCORE = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_GRADE = re.compile(r"[+-]?[0-9]{1,9}")


def columns(line: str, counts: tuple[int, ...]) -> list[str] | None:
    """The columns of a line, or None where their number is not in ``counts``."""
    by_tabs = line.split("\t")
    if len(by_tabs) in counts:
        return by_tabs
    by_spaces = _SPACES.split(line.strip(" \t"))
    return by_spaces if len(by_spaces) in counts else None


def score_of(text: str) -> float | None:
    """A finite number that a 32-bit float can hold, else None."""
    text = text.strip(" ")
    value = float(text) if _SCORE.fullmatch(text) else None
    return value if value is not None and abs(value) <= LARGEST_SCORE else None


def grade_of(text: str) -> int | None:
    """A whole number of at most nine digits, else None."""
    text = text.strip(" ")
    return int(text) if _GRADE.fullmatch(text) else None


def rating_of(text: str) -> Grade | None:
    """A grade that may have a fraction, as Quepid and OpenSearch write them; 3.000 is 3."""
    value = score_of(text)
    if value is None or abs(value) > LARGEST_GRADE:
        return None
    return int(value) if value.is_integer() else value


def rating_text(grade: Grade) -> str:
    """What ``rating_of`` reads back to the same grade."""
    return str(grade) if isinstance(grade, int) else repr(grade)
