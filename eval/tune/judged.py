"""How much of what two settings show is judged: a gain may be one of what was looked at.

An unjudged result gains nothing (RULINGS 39). So a setting that brings up what nobody judged is
measured too low, and one that shows less of it than today's too high. Means over the queries that
may be looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eval.bulk import Bulk, Ordered
from eval.columns import Floats
from eval.evidence.noninferior import APART
from eval.table import Judgements, pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """judged@k under today's setting and under the chosen one."""

    k: int
    today: float
    setting: float

    @property
    def notes(self) -> tuple[str, ...]:
        """Said where the two are further apart than a difference may rest on."""
        if abs(self.setting - self.today) <= APART:
            return ()
        return (
            f"judged@{self.k} is {self.today:.3f} today and {self.setting:.3f} under the chosen "
            "setting: the difference may be one of what was judged; judge the deciding pairs "
            "(`judge-next`) before you believe it",
        )

    def as_json(self) -> dict[str, float]:
        return {"k": self.k, "today": self.today, "setting": self.setting}


def shares(bulk: Bulk, judgements: Judgements, ordered: Ordered, k: int) -> Floats:
    """[Q] judged@k of each ranking; 1 where nothing is shown."""
    known = np.array(
        [
            pair(id) in judgements.get(bulk.queries[query], {})
            for query, id in zip(bulk.query, bulk.ids, strict=True)
        ],
        dtype=bool,
    )
    places = np.diff(ordered.starts)
    rank = np.arange(len(ordered.records)) - np.repeat(ordered.starts[:-1], places)
    seen = known[ordered.records] & (rank < k)
    row = np.repeat(np.arange(len(places)), places)[seen]
    counted = np.bincount(row, minlength=len(places))
    return np.where(places > 0, counted / np.maximum(np.minimum(places, k), 1), 1.0)
