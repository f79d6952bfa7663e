"""Proposes a setting from the development part, and says where that already settles the matter.

Reads nothing of the sealed part but how many groups it has.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eval.evidence.choose import Choice, choose
from eval.evidence.outcome import Outcome
from eval.evidence.split import Parts

GROUPS_A_PARAMETER = 40
LEAST_COVERAGE = 0.98


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What the development part chose, and the outcome where that alone decides.

    settled: None where there is a candidate to confirm
    allowed: free parameters that the development part carries
    """

    choice: Choice
    settled: Outcome | None
    allowed: int


def propose(parts: Parts, *, rng: np.random.Generator, parameters: int = 1) -> Proposal:
    """parameters: the free parameters behind the settings."""
    choice = choose(parts.development, rng=rng)
    # One is always allowed: of 60 groups about 36 are in the development part.
    allowed = max(1, parts.development.group_count // GROUPS_A_PARAMETER)
    return Proposal(
        choice=choice,
        settled=_settled(choice, parts.sealed_groups, parameters > allowed),
        allowed=allowed,
    )


def _settled(choice: Choice, sealed_groups: int, too_many: bool) -> Outcome | None:
    if len(choice.curve) == 1:
        return Outcome.ONE_SETTING
    if choice.flat:
        return Outcome.NOTHING_VARIES
    if sealed_groups == 0:
        return Outcome.TOO_FEW_GROUPS
    if too_many:
        return Outcome.TOO_MANY_PARAMETERS
    if choice.stays:
        return Outcome.TODAY_STAYS
    return None
