"""Traces as arrays: rows, the records they are of, and what was already computed over them."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from esra.domain.hit import RecordId

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Mask = NDArray[np.bool_]
T = TypeVar("T")

BUDGET = 96 << 20  # bytes of arrays that are remembered for one layout


class Known:
    """What was computed for some numbers, until others need its place. It changes no result."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, object] = OrderedDict()
        self._bytes = 0

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` gives: from memory where ``key`` was asked for lately."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        made = make()
        self._kept[key] = made
        self._bytes += _bytes(made)
        while self._bytes > BUDGET and len(self._kept) > 1:
            self._bytes -= _bytes(self._kept.popitem(last=False)[1])
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Every usable row [M], those of one record beside each other, all of the record's own source.

    answer: which query of which source of which invocation; record: its candidate
    place: that query's own in the source's plan, from 0
    age: seconds, NaN without a timestamp; evidence: NaN where nothing is known
    """

    native: Floats
    answer: Whole
    source: Whole
    place: Whole
    record: Whole
    age: Floats
    stale: Mask
    evidence: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulk:
    """Traces of ``queries`` [Q]; records [N] are numbered query by query, ties in their order.

    group: ``scoring.GIVEN`` and the like; semantic: NaN outside the given; asked: the reranker
    saw it, whatever it said
    """

    queries: tuple[str, ...]
    sources: tuple[str, ...]
    rows: Rows
    ids: tuple[RecordId, ...]
    query: Whole
    source: Whole
    group: Whole
    semantic: Floats
    asked: Mask
    answers: int
    known: Known = field(default_factory=Known, repr=False, compare=False)


def _bytes(made: object) -> int:
    if isinstance(made, np.ndarray):
        return made.nbytes
    if is_dataclass(made):
        return sum(_bytes(getattr(made, one.name)) for one in fields(made))
    return sum(map(_bytes, made)) if isinstance(made, tuple) else 0
