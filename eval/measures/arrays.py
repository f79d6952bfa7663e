"""Ranking measures over an order that is given: nothing here sorts results.

Conventions, the same in every function, as trec_eval's ``ndcg_cut`` and ir_measures' ``nDCG@k``:

* The order is the caller's. Ties were settled before a ranking comes here.
* Gain is the grade itself (linear), a grade below 1 gains nothing.
* The discount of rank r is ``1 / log2(r + 1)``, r counted from 1.
* The ideal list is made of *all* judged documents of the query, retrieved or not.
* An unjudged result gains 0, and ``judged@k`` beside the figure says how many there were.

Two forms of one arithmetic: ``*_at`` takes one query's ids and judgements; the bare name takes
padded arrays ``[..., queries, depth]``, any number of settings in front. Source: Järvelin and
Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, ACM TOIS 20 (2002).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Judgements = Mapping[Any, int]  # any hashable id; a Mapping's keys are invariant


class NeverRan(ValueError):
    """The arm returned nothing for any judged query: it did not run, so it has no figure."""


def dcg(grades: Floats, k: int = 10) -> Floats:
    """Discounted gain of the first ``k`` ranks: ``[..., depth]`` grades to ``[...]``.

    Ranks are added one after the other, so that one query and a million settings round alike.
    """
    grades = np.asarray(grades, dtype=np.float64)
    total = np.zeros(grades.shape[:-1])
    for rank in range(min(_positive(k), grades.shape[-1])):
        total += np.maximum(grades[..., rank], 0.0) / np.log2(rank + 2.0)
    return total


def ndcg(ranked_grades: Floats, ideal_grades: Floats, k: int = 10) -> Floats:
    """nDCG@k, ``[..., queries]``, of many rankings.

    ``ranked_grades[..., queries, depth]`` holds the grade at each rank, 0 where unjudged or past
    the end; ``ideal_grades[queries, >= k]`` is ``ideal`` of each query, padded with 0. Raises
    ValueError where a query has no relevant document.
    """
    best = dcg(ideal_grades, k)
    if np.any(best <= 0.0):
        rows = np.flatnonzero(best <= 0.0)[:10].tolist()
        raise ValueError(f"no relevant document in rows {rows}: leave them out")
    return np.divide(dcg(ranked_grades, k), best)


def judged(known: NDArray[np.bool_], returned: NDArray[np.int64], k: int = 10) -> Floats:
    """judged@k: the share of the first ``k`` results that carry a judgement, ``[..., queries]``.

    ``known[..., queries, depth]`` says which ranks are judged, ``returned[..., queries]`` how many
    results there are. A query that shows nothing shows nothing unjudged: 1.
    """
    shown = np.minimum(np.asarray(returned), _positive(k))
    inside = np.arange(known.shape[-1]) < shown[..., None]
    counted = np.count_nonzero(known & inside, axis=-1)
    return np.where(shown > 0, counted / np.maximum(shown, 1), 1.0)


def rr(ranked_grades: Floats, k: int = 10, level: int = 1) -> Floats:
    """RR@k: one over the first rank (of the first ``k``) whose grade reaches ``level``, else 0."""
    hits = np.asarray(ranked_grades)[..., : _positive(k)] >= level
    if hits.shape[-1] == 0:
        return np.zeros(hits.shape[:-1])
    first: Floats = np.argmax(hits, axis=-1) + 1.0
    return hits.any(axis=-1) / first


def recall(
    ranked_grades: Floats, relevant: NDArray[np.int64], k: int = 10, level: int = 1
) -> Floats:
    """R@k: the share of a query's ``relevant[queries]`` documents that the first ``k`` show.

    A document is relevant from grade ``level`` on. ValueError where a query has none.
    """
    if np.any(np.asarray(relevant) < 1):
        raise ValueError("a query without a relevant document has no recall: leave it out")
    hits = np.asarray(ranked_grades)[..., : _positive(k)] >= level
    found: Floats = np.count_nonzero(hits, axis=-1) / np.asarray(relevant)
    return found


def ideal(judgements: Judgements, k: int = 10) -> tuple[int, ...]:
    """The best grades ``k`` ranks can show, best first; shorter where fewer are relevant."""
    gains = sorted((grade for grade in judgements.values() if grade > 0), reverse=True)
    return tuple(gains[: _positive(k)])


def ndcg_at(ranking: Sequence[Hashable], judgements: Judgements, k: int = 10) -> float:
    """nDCG@k of one ranking of ids. ValueError without a relevant document, or with one twice."""
    best = np.array([ideal(judgements, k)], dtype=np.float64)
    return float(ndcg(_grades(ranking, judgements), best, k)[0])


def judged_at(ranking: Sequence[Hashable], judgements: Judgements, k: int = 10) -> float:
    """judged@k of one ranking of ids."""
    known = np.array([[key in judgements for key in ranking]], dtype=bool)
    return float(judged(known, np.array([len(ranking)]), k)[0])


def rr_at(
    ranking: Sequence[Hashable], judgements: Judgements, k: int = 10, level: int = 1
) -> float:
    """RR@k of one ranking of ids; 0 where no result of the first ``k`` reaches ``level``."""
    return float(rr(_grades(ranking, judgements), k, level)[0])


def recall_at(
    ranking: Sequence[Hashable], judgements: Judgements, k: int = 10, level: int = 1
) -> float:
    """R@k of one ranking of ids. ValueError without a document of grade ``level`` or better."""
    relevant = sum(grade >= level for grade in judgements.values())
    return float(recall(_grades(ranking, judgements), np.array([relevant]), k, level)[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One arm's figures, and every query the mean does not tell about.

    ``values`` and ``judged`` are keyed by query, in the judgements' order. A query in ``empty``
    returned nothing and counts 0. Those in ``no_judgements`` and ``no_relevant`` have no nDCG and
    are left out; of the latter, ``nothing_shown`` were answered with no result, the right answer.
    """

    measure: str
    values: Mapping[str, float]
    judged: Mapping[str, float]
    empty: tuple[str, ...]
    no_judgements: tuple[str, ...]
    no_relevant: tuple[str, ...]
    nothing_shown: tuple[str, ...]

    @property
    def mean(self) -> float:
        """Mean over the measured queries, exactly rounded: their order cannot show."""
        return fsum(self.values.values()) / len(self.values)


def measure_ndcg(
    rankings: Mapping[str, Sequence[Hashable]], judgements: Mapping[str, Judgements], k: int = 10
) -> Measured:
    """nDCG@k of every query that has one; the others are listed, none is dropped in silence.

    Raises NeverRan where ``rankings`` answers no judged query, ValueError where no query has a
    relevant document.
    """
    asked = {query: marks for query, marks in judgements.items() if marks}
    if not asked.keys() & rankings.keys():
        raise NeverRan("the run answers no judged query: did it run, and do the query ids match?")
    scored = [query for query, marks in asked.items() if ideal(marks, k)]
    if not scored:
        raise ValueError(
            "no query has a relevant document (grade 1 or more): nothing can be measured"
        )
    lists = {query: rankings.get(query, ()) for query in asked}
    unanswerable = tuple(query for query in asked if not ideal(asked[query], k))
    return Measured(
        measure=f"nDCG@{k}",
        values={query: ndcg_at(lists[query], asked[query], k) for query in scored},
        judged={query: judged_at(lists[query], asked[query], k) for query in scored},
        empty=tuple(query for query in scored if not lists[query]),
        no_judgements=tuple(query for query in {**judgements, **rankings} if query not in asked),
        no_relevant=unanswerable,
        nothing_shown=tuple(query for query in unanswerable if not lists[query]),
    )


def _grades(ranking: Sequence[Hashable], judgements: Judgements) -> Floats:
    if len(set(ranking)) != len(ranking):
        twice = next(key for rank, key in enumerate(ranking) if key in ranking[:rank])
        raise ValueError(
            f"document {twice!r} stands twice in one ranking: a ranking names a document once"
        )
    return np.array([[judgements.get(key, 0) for key in ranking]], dtype=np.float64)


def _positive(k: int) -> int:
    if k < 1:
        raise ValueError(f"a cutoff counts ranks from 1, not {k}")
    return k
