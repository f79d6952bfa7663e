"""Quality against what the caller may see, and the price of policy (RULINGS 49).

A result that governance hides is no mistake of the ranking: the ideal list holds the visible
documents only. The figure against the full ideal is an operator's; the difference of the two is
what policy costs this caller.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from eval.measures.arrays import Judgements
from eval.measures.named import Measure


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """visible: against what this caller may see; None where nothing relevant is visible.
    full: against all judged documents.
    """

    visible: float | None
    full: float


def price(
    one: Measure,
    ids: Sequence[Hashable],
    judgements: Judgements,
    may_see: Callable[[Hashable], bool],
) -> Price:
    """ValueError where no judged document is relevant at all."""
    seen = {id: grade for id, grade in judgements.items() if may_see(id)}
    some = any(grade >= one.level for grade in seen.values())
    return Price(visible=one(ids, seen) if some else None, full=one(ids, judgements))
