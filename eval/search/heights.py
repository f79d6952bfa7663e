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

SORTED = 12  # pairs for every record, from which on sorting is the cheaper way


@dataclass(frozen=True, slots=True, kw_only=True)
class Heights:
    """The relevant records [r] of the queries that are looked at, each beside all of its query.

    row: [p] which relevant record; other: [p] the record beside it; opens: [r] where each begins
    earlier: [p] the other comes first where the two are equal
    query: [r] which of the queries that are looked at
    """

    bulk: Bulk
    labels: Labels
    wanted: Mask
    record: Whole
    row: Whole
    other: Whole
    opens: Whole
    earlier: Mask
    query: Whole

    def mean(self, numbers: Scoring) -> float:
        """Over the queries that are looked at, each with the shortlist it would have."""
        return float(self.each(numbers).mean())

    def each(self, numbers: Scoring) -> Floats:
        """[queries that are looked at] nDCG@k."""
        if len(self.row) > SORTED * len(self.bulk.ids):
            found = order(self.bulk, numbers, cut=True)
            return ndcg(found, self.labels)[self.wanted[self.labels.measured]]
        k = self.labels.k
        rank = self._ahead(numbers)
        shown = np.zeros((int(np.count_nonzero(self.wanted)), k))
        seen = rank < k
        shown[self.query[seen], rank[seen]] = self.labels.gain[self.record[seen]]
        return measures.ndcg(shown, self.labels.ideal[self.wanted], k)

    def _ahead(self, numbers: Scoring) -> Whole:
        """[r] how many stand before each; before what is out, as many as are never shown."""
        made = scored(self.bulk, numbers, cut=True)
        out = np.isnan(made.weighted)
        group = np.where(out, GROUPS, made.group)
        apart = group[self.other] - group[self.record][self.row]
        higher = made.final[self.other] - made.final[self.record][self.row]
        ahead = (higher > 0) | ((higher == 0) & self.earlier)
        ahead = (apart < 0) | ((apart == 0) & ahead)
        rank = np.add.reduceat(ahead, self.opens, dtype=np.int64)
        return np.where(out[self.record], self.labels.k, rank)


def heights(bulk: Bulk, labels: Labels, wanted: Mask) -> Heights:
    """Laid out once for the ``wanted`` [Q] queries, each of which has a relevant document."""
    record = np.flatnonzero((labels.gain > 0) & wanted[bulk.query])
    begins = np.searchsorted(bulk.query, bulk.query[record], side="left")
    sizes = np.searchsorted(bulk.query, bulk.query[record], side="right") - begins
    opens = np.cumsum(sizes) - sizes
    row = np.repeat(np.arange(len(record)), sizes)
    other = np.arange(len(row)) + (begins - opens)[row]
    return Heights(
        bulk=bulk,
        labels=labels,
        wanted=wanted,
        record=record,
        row=row,
        other=other,
        opens=opens,
        earlier=other < record[row],
        query=(np.cumsum(wanted) - 1)[bulk.query[record]],
    )
