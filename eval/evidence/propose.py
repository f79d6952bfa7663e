"""Proposes a setting from the development part, and says where that already settles the matter.

Reads nothing of the sealed part but how many groups it has.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eval.evidence.choose import Choice, choose
from eval.evidence.outcome import Outcome
from eval.evidence.power import Detectable, smallest_detectable
from eval.evidence.scores import Mask, Scores
from eval.evidence.split import SHARE, sealed

LEAST_GROUPS = 60
GROUPS_A_PARAMETER = 40
LEAST_COVERAGE = 0.98


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Proposal:
    """What the development part says; under 60 groups it is everything and nothing is sealed.

    sealed_queries: [Q] mask over the whole table
    detectable:     for the sealed part, or for everything where nothing is sealed
    parameters:     free parameters asked for, of `allowed`
    """

    sealed_queries: Mask
    sealed_groups: int
    development: Scores
    detectable: Detectable
    choice: Choice
    parameters: int
    allowed: int


def propose(
    scores: Scores, *, rng: np.random.Generator, parameters: int = 1, share: float = SHARE
) -> Proposal:
    mask = sealed(scores.groups, share)
    if scores.group_count < LEAST_GROUPS or mask.all():
        mask = np.zeros_like(mask)
    development = scores.part(~mask)
    sealed_groups = scores.group_count - development.group_count
    return Proposal(
        sealed_queries=mask,
        sealed_groups=sealed_groups,
        development=development,
        detectable=smallest_detectable(development, sealed_groups or development.group_count),
        choice=choose(development, rng=rng),
        parameters=parameters,
        # One is always allowed: of 60 groups about 36 are in the development part.
        allowed=max(1, development.group_count // GROUPS_A_PARAMETER),
    )


def settled(proposal: Proposal) -> Outcome | None:
    """The outcome where the development part alone decides; None where there is a candidate."""
    choice = proposal.choice
    if len(choice.curve) == 1:
        return Outcome.ONE_SETTING
    if choice.flat:
        return Outcome.NOTHING_VARIES
    if proposal.sealed_groups == 0:
        return Outcome.TOO_FEW_GROUPS
    if proposal.parameters > proposal.allowed:
        return Outcome.TOO_MANY_PARAMETERS
    if choice.stays:
        return Outcome.TODAY_STAYS
    return None
