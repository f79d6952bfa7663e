"""How far two raters agree beyond chance: Cohen's kappa, plain and weighted.

kappa = 1 - sum w(a,b) o(a,b) / sum w(a,b) e(a,b) over the pairs both graded: o is what was seen, e
what two raters of these habits would show by chance; w is 1 where grades differ (Cohen 1960), |a-b|
or (a-b)^2 (Cohen 1968). Distances are those of the grades themselves: 0 and 3 are three apart,
whether or not anybody gave a 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

from eval.formats.sheet import Grade, Judgement
from eval.labels.settle import by_pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Two raters over the ``pairs`` both graded.

    ``same`` is the share of equal grades. A kappa is None where chance alone gives full agreement,
    as when both gave one grade throughout: 0/0 says nothing.
    """

    raters: tuple[str, str]
    pairs: int
    same: float
    kappa: float | None
    linear: float | None
    quadratic: float | None


def agreements(judgements: Iterable[Judgement]) -> tuple[Agreement, ...]:
    """Every two raters, by name, who graded at least one pair in common."""
    shared: dict[tuple[str, str], list[tuple[Grade, Grade]]] = {}
    for given in by_pair(judgements).values():
        for one, other in combinations(sorted(given, key=lambda one: one.rater), 2):
            shared.setdefault((one.rater, other.rater), []).append((one.grade, other.grade))
    return tuple(_agreement(raters, pairs) for raters, pairs in sorted(shared.items()))


def kappa(
    pairs: Iterable[tuple[Grade, Grade]], distance: Callable[[Grade, Grade], float]
) -> float | None:
    """Kappa of (one rater's grade, the other's) under a distance; None where it is 0/0."""
    seen = Counter(pairs)
    total = sum(seen.values())
    first, second = Counter[Grade](), Counter[Grade]()
    for (a, b), count in seen.items():
        first[a] += count
        second[b] += count
    observed = sum(distance(a, b) * count for (a, b), count in seen.items())
    expected = sum(
        distance(a, b) * often * other for a, often in first.items() for b, other in second.items()
    )
    return 1 - observed * total / expected if expected else None


def _agreement(raters: tuple[str, str], pairs: list[tuple[Grade, Grade]]) -> Agreement:
    return Agreement(
        raters=raters,
        pairs=len(pairs),
        same=sum(a == b for a, b in pairs) / len(pairs),
        kappa=kappa(pairs, lambda a, b: float(a != b)),
        linear=kappa(pairs, lambda a, b: float(abs(a - b))),
        quadratic=kappa(pairs, lambda a, b: float((a - b) ** 2)),
    )
