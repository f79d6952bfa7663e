"""The noise floor of an arm: how far two recordings of the very same thing lie apart by chance.

With s_q the sample variance of query q's figure over the repeats, the mean over Q queries has the
variance sum(s_q) / Q^2, and the difference of two such means twice that. The floor is 1.96 standard
deviations of that difference: a difference below it is what recording again would do by itself.
It takes the queries to vary independently of each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt

NORMAL = 1.959963984540054  # the 97.5th percentile of the standard normal distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """``floor`` in the measure's own unit; ``means`` of each repeat; ``changed`` queries differ."""

    measure: str
    floor: float
    means: tuple[float, ...]
    queries: int
    changed: int

    def explains(self, difference: float) -> bool:
        """Whether recording again could have made it. An arm that answers alike explains none."""
        return self.floor > 0 and abs(difference) <= self.floor

    def line(self) -> str:
        low, high = min(self.means), max(self.means)
        return (
            f"noise floor of {self.measure}: {self.floor:.4f} ({len(self.means)} recordings, means "
            f"{low:.4f} to {high:.4f}, {self.changed} of {self.queries} queries changed)"
        )

    def as_json(self) -> dict[str, object]:
        return {
            "measure": self.measure,
            "floor": self.floor,
            "means": list(self.means),
            "queries": self.queries,
            "changed": self.changed,
        }


def noise(measure: str, repeats: Sequence[Mapping[str, float]]) -> Noise:
    """Over the queries that every repeat measured. ValueError with fewer than two, or no query."""
    if len(repeats) < 2:
        raise ValueError("a noise floor takes two recordings at least")
    common = [query for query in repeats[0] if all(query in one for one in repeats)]
    if not common:
        raise ValueError("the recordings have no measured query in common")
    figures = [[one[query] for one in repeats] for query in common]
    variance = fsum(_variance(own) for own in figures) / len(common) ** 2
    return Noise(
        measure=measure,
        floor=NORMAL * sqrt(2 * variance),
        means=tuple(fsum(one[query] for query in common) / len(common) for one in repeats),
        queries=len(common),
        changed=sum(len(set(own)) > 1 for own in figures),
    )


def _variance(values: Sequence[float]) -> float:
    mean = fsum(values) / len(values)
    return fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
