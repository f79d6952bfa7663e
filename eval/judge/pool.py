"""The pairs on which two arms' comparison rests, and how much each one weighs in it.

A pair is (query, document). Its weight is the difference of its discounts: what one grade of it
moves the second arm's DCG@k above the first one's. A pair that both arms show at one rank weighs 0;
so does one that neither shows among the first ``k``: judging it moves the ideal list at most.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Rankings = Mapping[str, Sequence[Hashable]]

UNRANKED = 1_000_000


class NothingToCompare(ValueError):
    """The two arms share no query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """queries [Q]; of every pair [P]: its document, query, best rank (from 0) in either arm,
    whether both arms have it, and its weight (second arm minus first)."""

    k: int
    queries: tuple[str, ...]
    documents: tuple[Hashable, ...]
    query: Whole
    rank: Whole
    shared: NDArray[np.bool_]
    weight: Floats

    def pair(self, place: int) -> tuple[str, Hashable]:
        return self.queries[self.query[place]], self.documents[place]


def pool(first: Rankings, second: Rankings, *, k: int = 10, depth: int | None = None) -> Pool:
    """The pairs of both arms down to ``depth`` (None: whole lists), query by query.

    Queries that only one arm ran are left out; ``NothingToCompare`` where none is left.
    """
    queries = tuple(query for query in first if query in second)
    if not queries:
        raise NothingToCompare("the two arms answer no query in common")
    rows: list[tuple[Hashable, int, int, bool, float]] = []
    for number, query in enumerate(queries):
        one = {id: rank for rank, id in enumerate(first[query][:depth])}
        other = {id: rank for rank, id in enumerate(second[query][:depth])}
        for id in dict.fromkeys([*one, *other]):
            ranks = (one.get(id, UNRANKED), other.get(id, UNRANKED))
            weight = _discount(ranks[1], k) - _discount(ranks[0], k)
            rows.append((id, number, min(ranks), max(ranks) < UNRANKED, weight))
    documents, query, rank, shared, weight = zip(*rows, strict=True) if rows else ((),) * 5
    return Pool(
        k=k,
        queries=queries,
        documents=tuple(documents),
        query=np.array(query, dtype=np.int64),
        rank=np.array(rank, dtype=np.int64),
        shared=np.array(shared, dtype=bool),
        weight=np.array(weight, dtype=np.float64),
    )


def _discount(rank: int, k: int) -> float:
    return 1.0 / float(np.log2(rank + 2)) if rank < k else 0.0
