"""What numbers are tuned on: a recording and its labels as arrays, laid out once."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from esra.domain.capability import Scoring
from eval import bulk
from eval.bulk import Bulk, Floats, Labels
from eval.evidence import Scores, split
from eval.search.ways import Way
from eval.tune.tables import refuse_equal_keys
from eval.tune.verdict import Case, NothingToScore


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """today: the numbers in force. looked_at: [Q] the measured queries outside the sealed part."""

    case: Case
    laid: Bulk
    labels: Labels
    today: Scoring
    looked_at: NDArray[np.bool_]

    @classmethod
    def of(cls, case: Case) -> Self:
        """Raises NothingToScore, KeysMeet."""
        refuse_equal_keys(case.recordings)
        laid = bulk.lay_out(case.recordings)
        labels = bulk.label(laid, case.judgements, case.k)
        if not labels.measured.any():
            raise NothingToScore(
                "no query that was run has a relevant document; nothing to tune on"
            )
        return cls(
            case=case,
            laid=laid,
            labels=labels,
            today=case.numbers or case.recordings[0].numbers,
            looked_at=_development(case, laid, labels),
        )

    @property
    def asks(self) -> bool:
        """Whether a reranker is asked at all; where none is, no score can be unknown."""
        return bool(self.case.models.get("rerank"))

    def scores(self, way: Way, assumed: float | None = None) -> Scores:
        """Along a way; ``assumed`` stands in for each semantic score that is not recorded."""
        case = self.case
        measured = _measured(self.laid, self.labels)
        return Scores(
            measure=f"nDCG@{case.k}",
            settings=way.settings,
            values=figures(self.laid, self.labels, way, assumed),
            groups=tuple(case.groups[query] for query in measured),
            today=way.today,
            strata=tuple(case.strata.get(query, "") for query in measured),
            tags=tuple(case.tags.get(query, ()) for query in measured),
            texts=tuple(case.texts.get(query, "") for query in measured),
        )


def figures(laid: Bulk, labels: Labels, way: Way, assumed: float | None = None) -> Floats:
    """[measured queries, settings] nDCG@k along a way, each setting with its own shortlist."""
    columns = [
        bulk.ndcg(bulk.order(laid, way.numbers(setting), assumed, cut=True), labels)
        for setting in way.settings
    ]
    return np.column_stack(columns)


def _development(case: Case, laid: Bulk, labels: Labels) -> NDArray[np.bool_]:
    groups = tuple(case.groups[query] for query in _measured(laid, labels))
    blank = Scores(
        measure="", settings=(0,), values=np.zeros((len(groups), 1)), groups=groups, today=0
    )
    sealed = np.zeros(len(laid.queries), dtype=bool)
    sealed[labels.measured] = split(blank).sealed
    return labels.measured & ~sealed


def _measured(laid: Bulk, labels: Labels) -> list[str]:
    return [query for query, ok in zip(laid.queries, labels.measured, strict=True) if ok]
