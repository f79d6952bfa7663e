"""The closed set of ways a decision ends, and what an opened sealed part said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    ONE_SETTING = "one-setting"
    NOTHING_VARIES = "nothing-varies"
    TOO_FEW_GROUPS = "too-few-groups"
    TOO_MANY_PARAMETERS = "too-many-parameters"
    TODAY_STAYS = "today-stays"
    EXPLORED = "explored"
    NOT_COVERED = "not-covered"
    CANNOT_SHOW = "cannot-show"
    NO_GAIN_SHOWN = "no-gain-shown"
    GAIN_LOST_AT_BOUND = "gain-lost-at-bound"
    PROMOTED = "promoted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """One opening of the sealed part: `setting` against `today`, means over its queries.

    interval holds the difference, each end missed with probability `level` at most; p is
    one-sided, the largest where a gain had to survive a bound.
    """

    before: float
    after: float
    difference: float
    interval: tuple[float, float]
    opening: int
    level: float
    p: float
    smallest_p: float
    groups: int
    setting: float
    today: float

    def as_json(self) -> dict[str, object]:
        return asdict(self) | {"interval": list(self.interval)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Sealed:
        kept = {field.name: stored[field.name] for field in fields(cls)}
        return cls(**kept | {"interval": tuple(kept["interval"])})
