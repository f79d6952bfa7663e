"""What a record filter costs its caller: quality against what he may see, and against all."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from eval.measure.arm import Arm
from eval.measures import Measure
from eval.measures.visible import price


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Means over the queries of which something right is visible; ``blind`` are the others.

    price: visible - full, what the filter costs and the ranking does not (RULINGS 49)
    """

    name: str
    visible: float
    full: float
    queries: int
    blind: int

    @property
    def price(self) -> float:
        return self.visible - self.full


def policy(arm: Arm, measures: Sequence[Measure]) -> tuple[Policy, ...]:
    """() where nothing is hidden from the arm's caller."""
    return tuple(filter(None, (_policy(arm, one) for one in measures))) if arm.hidden else ()


def _policy(arm: Arm, one: Measure) -> Policy | None:
    found = [
        price(one, arm.lists[query], grades, lambda record: record not in arm.hidden)
        for query, grades in arm.judgements.items()
        if query in arm.lists and any(grade >= one.level for grade in grades.values())
    ]
    seen = [own for own in found if own.visible is not None]
    if not seen:
        return None
    return Policy(
        name=one.name,
        visible=fsum(own.visible for own in seen if own.visible is not None) / len(seen),
        full=fsum(own.full for own in seen) / len(seen),
        queries=len(seen),
        blind=len(found) - len(seen),
    )
