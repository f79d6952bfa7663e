"""Mean nDCG@k of one setting after the other: what is relevant is counted past, nothing is sorted.

A rank is one more than how many stand before, ties settled as in ``bulk.order``; the figure is that
of its ranking, to the last bit.
"""

from dataclasses import dataclass

import numpy as np

from esra.domain.capability import Scoring
from eval import measures
from eval.bulk import GROUPS, Bulk, Labels, ndcg, order, scored
from eval.columns import Floats, Mask, Whole

SORTED = 24  # relevant records a query, from which on sorting is the cheaper way


@dataclass(frozen=True, slots=True, kw_only=True)
class Heights:
    """The relevant records [r] of the queries [q] that are looked at, each beside all of its query.

    query: [r] whose it is; grid: [q, n] each query's records, one past the last where there are no
    more; earlier: [r, n] who of the grid comes first where the two are equal
    """

    bulk: Bulk
    labels: Labels
    wanted: Mask
    record: Whole
    query: Whole
    grid: Whole
    earlier: Mask

    def mean(self, numbers: Scoring) -> float:
        """Over the queries that are looked at, each with the shortlist it would have."""
        return float(self.each(numbers).mean())

    def each(self, numbers: Scoring) -> Floats:
        """[q] nDCG@k."""
        if len(self.record) * self.grid.shape[1] > SORTED * self.grid.size:
            found = order(self.bulk, numbers, cut=True)
            return ndcg(found, self.labels)[self.wanted[self.labels.measured]]
        k = self.labels.k
        rank = self._ahead(numbers)
        shown = np.zeros((len(self.grid), k))
        seen = rank < k
        shown[self.query[seen], rank[seen]] = self.labels.gain[self.record[seen]]
        return measures.ndcg(shown, self.labels.ideal[self.wanted], k)

    def _ahead(self, numbers: Scoring) -> Whole:
        """[r] how many stand before each; k or more where it is not shown, however many."""
        made = scored(self.bulk, numbers, cut=True)
        there = ~np.isnan(made.weighted)
        own = np.where(there[self.record], made.group[self.record], GROUPS)
        rank = np.full(len(self.record), self.labels.k)
        before = np.zeros(len(self.grid), dtype=np.int64)
        for group in range(GROUPS):
            rows = np.flatnonzero((own == group) & (before[self.query] < self.labels.k))
            of_it = there & (made.group == group)
            if len(rows):
                rank[rows] = before[self.query[rows]] + self._past(rows, of_it, made.final)
            if (own > group).any():
                before += np.append(of_it, False)[self.grid].sum(axis=1)
        return rank

    def _past(self, rows: Whole, rivals: Mask, final: Floats) -> Whole:
        """[rows] how many of the rivals stand before each of these relevant records."""
        scores = np.append(np.where(rivals, final, -np.inf), -np.inf)
        beside = scores[self.grid][self.query[rows]]
        score = final[self.record[rows], None]
        first = (beside > score) | ((beside == score) & self.earlier[rows])
        past: Whole = np.count_nonzero(first, axis=1)
        return past


def heights(bulk: Bulk, labels: Labels, wanted: Mask) -> Heights:
    """Laid out once for the ``wanted`` [Q] queries, each of which has a relevant document."""
    record = np.flatnonzero((labels.gain > 0) & wanted[bulk.query])
    starts = np.searchsorted(bulk.query, np.flatnonzero(wanted), side="left")
    sizes = np.searchsorted(bulk.query, np.flatnonzero(wanted), side="right") - starts
    columns = np.arange(int(sizes.max(initial=0)))
    inside = columns < sizes[:, None]
    query = (np.cumsum(wanted) - 1)[bulk.query[record]]
    place = record - starts[query]
    return Heights(
        bulk=bulk,
        labels=labels,
        wanted=wanted,
        record=record,
        query=query,
        grid=np.where(inside, starts[:, None] + columns, len(bulk.ids)),
        earlier=columns < place[:, None],
    )
