"""The tunables of a capability with their bounds: one table for the catalog and for tuned files.

Source: RULINGS, "Tunables of a capability". An administrator's value outside them is clamped with
a notice; a tuned file with one is refused.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    low: float
    high: float

    def hold(self, value: float) -> bool:
        return self.low <= value <= self.high

    def clamp(self, value: float) -> float:
        return min(max(value, self.low), self.high)


CAPABILITY: dict[str, Bounds] = {
    "match_bonus": Bounds(low=0.0, high=0.1),
    "bonus_cap": Bounds(low=0.0, high=0.5),
    "freshness_floor": Bounds(low=0.0, high=1.0),
    "stale_weight": Bounds(low=0.0, high=1.0),
    "evidence_floor": Bounds(low=0.0, high=1.0),
    "shortlist": Bounds(low=5, high=200),
}

SOURCE: dict[str, Bounds] = {
    "priority": Bounds(low=0.1, high=10.0),
    "half_life": Bounds(low=0.25, high=3650.0),
    "ceiling": Bounds(low=1, high=20),
}
