"""The closed set of ways a decision ends."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    ONE_SETTING = "one-setting"
    NOTHING_VARIES = "nothing-varies"
    TOO_FEW_GROUPS = "too-few-groups"
    TOO_MANY_PARAMETERS = "too-many-parameters"
    TODAY_STAYS = "today-stays"
    EXPLORED = "explored"
    NOT_COVERED = "not-covered"
    NOT_AS_PREDICTED = "not-as-predicted"
    NOISE_TAKES_THE_GAIN = "noise-takes-the-gain"
    CANNOT_SHOW = "cannot-show"
    NO_GAIN_SHOWN = "no-gain-shown"
    GAIN_LOST_AT_BOUND = "gain-lost-at-bound"
    SEGMENT_LOSES = "segment-loses"
    FALLS_BESIDE_OTHERS = "falls-beside-others"
    PROMOTED = "promoted"
