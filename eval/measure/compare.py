"""Arms beside each other: how alike their lists are, and who is better at no greater cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

from eval.measure.arm import Arm


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """Means over ``queries`` that both arms answered. ``tau`` None: never two shared results."""

    one: str
    other: str
    k: int
    queries: int
    jaccard: float
    rbo: float
    tau: float | None


def alike(arms: Sequence[Arm], k: int) -> list[Alike]:
    """Every pair of arms with a query in common."""
    return [found for pair in combinations(arms, 2) if (found := _pair(*pair, k)) is not None]


def _pair(one: Arm, other: Arm, k: int) -> Alike | None:
    # Here, since it brings scipy along, which one arm alone does not need.
    from eval.measures.overlap import jaccard, kendall_tau, rbo

    common = [query for query in one.lists if query in other.lists]
    if not common:
        return None
    pairs = [(one.lists[query], other.lists[query]) for query in common]
    taus = [tau for a, b in pairs if (tau := kendall_tau(a, b)) is not None]
    return Alike(
        one=one.name,
        other=other.name,
        k=k,
        queries=len(common),
        jaccard=fsum(jaccard(a, b, k) for a, b in pairs) / len(common),
        rbo=fsum(rbo(a, b) for a, b in pairs) / len(common),
        tau=fsum(taus) / len(taus) if taus else None,
    )


def undominated(points: Mapping[str, tuple[float, float]]) -> frozenset[str]:
    """The arms, of (quality, cost) each, that no other beats in one and equals in the other."""
    return frozenset(
        name
        for name, (quality, cost) in points.items()
        if not any(
            q >= quality and c <= cost and (q, c) != (quality, cost) for q, c in points.values()
        )
    )
