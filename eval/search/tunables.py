"""The numbers of a capability that a search may turn, by name: ``share``, ``priority:news``, ...

Each is a change of the runtime's own ``Scoring`` and nothing more. Bounds are the runtime's
(RULINGS, "Tunables of a capability").
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from esra import scoring
from esra.config.bounds import CAPABILITY, SOURCE, Bounds
from esra.domain.capability import Scoring

SHARE = "share"
OF_A_SOURCE = {
    "priority": "priority",
    "half-life": "half_life",
    "native-floor": "native_floor",
    "ceiling": "ceiling",
}
OF_ALL = {
    "bonus": "match_bonus",
    "bonus-cap": "bonus_cap",
    "freshness-floor": "freshness_floor",
    "stale-weight": "stale_weight",
    "evidence-floor": "evidence_floor",
    "shortlist": "shortlist",
}
# In the table, and said to be none of a recording's: it takes a source of that family.
OF_CONNECTORS = ("connector-margin", "connector-floor")
WHOLE = ("shortlist", "ceiling")  # counts: of candidates, of queries
# Days; half-lives differ by ratios, so that each doubles the one before.
HALF_LIVES = (0.25, 0.5, 1.0, 2.0, 4.0, 7.0, 14.0, 30.0, 60.0, 120.0, 240.0, 365.0, 730.0, 1825.0)
SHORTLISTS = (5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200)


class UnknownTunable(ValueError):
    """No number of a capability has this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tunable:
    """One number. ``source`` is empty for a number of the whole capability.

    off: whether it may be switched off; a tuned file has no word for that where the catalog is on
    stops: the values to try where the table of bounds cannot say them (``native-floor``), rising
    most: no value above it is tried
    """

    name: str
    source: str = ""
    off: bool = True
    stops: tuple[float, ...] = ()
    most: float = math.inf

    @property
    def linear(self) -> bool:
        """Every candidate's score is a line in it, but for where a bonus reaches its cap."""
        lines = self.name in OF_ALL and self.name != "shortlist"
        return self.name == SHARE or lines or self.name == "priority"

    @property
    def bounds(self) -> Bounds:
        if self.name == SHARE:
            return Bounds(low=0.0, high=1.0)
        known = SOURCE if self.source else CAPABILITY
        return known[OF_A_SOURCE[self.name] if self.source else OF_ALL[self.name]]

    def __str__(self) -> str:
        return f"{self.name}:{self.source}" if self.source else self.name


def tunable(text: str, sources: Sequence[str]) -> Tunable:
    """The number called ``text``; ``UnknownTunable`` names those there are."""
    name, _, source = text.partition(":")
    if not source and (name == SHARE or name in OF_ALL or name in OF_CONNECTORS):
        return Tunable(name=name)
    if source in sources and name in OF_A_SOURCE:
        return Tunable(name=name, source=source)
    own = [f"{kind}:SOURCE" for kind in OF_A_SOURCE]
    known = ", ".join([SHARE, *OF_ALL, *OF_CONNECTORS, *own])
    raise UnknownTunable(
        f"no number {text!r}; there are {known}, with SOURCE one of {', '.join(sources)}"
    )


def value_of(numbers: Scoring, one: Tunable) -> float | None:
    """What ``numbers`` say; None where the thing is off."""
    if one.name == SHARE:
        total = numbers.semantic_weight + numbers.lexical_weight
        return numbers.semantic_weight / total
    if one.source:
        own: float | None = getattr(numbers.of(one.source), OF_A_SOURCE[one.name])
        return None if own is None else float(own)
    return float(getattr(numbers, OF_ALL[one.name]))


def change(numbers: Scoring, one: Tunable, value: float | None) -> Scoring:
    """``numbers`` with one of them set. Bounds are the caller's business."""
    if one.name == SHARE:
        semantic, lexical = scoring.weights_of(float(value or 0.0))
        return replace(numbers, semantic_weight=semantic, lexical_weight=lexical)
    new: Any = round(value or 0.0) if one.name in WHOLE else value
    if not one.source:
        return replace(numbers, **{OF_ALL[one.name]: new})
    field: dict[str, Any] = {OF_A_SOURCE[one.name]: new}
    own = replace(numbers.of(one.source), **field)
    kept = tuple((id, old) for id, old in numbers.sources if id != one.source)
    return replace(numbers, sources=tuple(sorted([*kept, (one.source, own)])))


def grid(one: Tunable, steps: int = 100) -> tuple[float | None, ...]:
    """The values that are tried where there is no line: exact, ascending, "off" first."""
    off = (None,) if one.off else ()
    if one.name == "half-life":
        return (*off, *HALF_LIVES)
    if one.name == "native-floor":
        return (*off, *one.stops)
    if one.name == "shortlist":
        return tuple(float(size) for size in SHORTLISTS if size <= one.most)
    if one.name == "ceiling":
        most = int(min(one.most, one.bounds.high))
        return tuple(float(count) for count in range(1, most + 1))
    low, high = one.bounds.low, one.bounds.high
    return tuple(low + (high - low) * step / steps for step in range(steps + 1))
