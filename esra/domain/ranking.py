"""The order of an answer, the score that made it, and what the reranker was sent."""

from dataclasses import dataclass
from enum import StrEnum

from esra.domain.hit import Ranked, RecordId


class OrderedBy(StrEnum):
    """The score that ordered the answer (RULINGS 8)."""

    FINAL = "final"
    WEIGHTED = "weighted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    ranked: tuple[Ranked, ...]
    ordered_by: OrderedBy
    asked: tuple[RecordId, ...] = ()
