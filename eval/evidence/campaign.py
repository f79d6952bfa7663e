"""Tests the claims of this package on sets whose truth is known.

How often is nothing promoted as a gain, and how often is a gain missed? Every set goes through the
very functions that decide on real queries.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from eval.evidence.compare import LEVEL
from eval.evidence.confirm import confirm
from eval.evidence.outcome import Outcome
from eval.evidence.propose import propose
from eval.evidence.scores import Scores, Setting
from eval.evidence.simulate import PLATEAU, Shape, World, detectable_gain, simulate
from eval.evidence.split import SHARE, split

GROUPS = (60, 100, 300)
# Enough for a level of 2.5 %; a real opening takes ten times as many.
FLIPS = 1_999
TWICE = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One size and shape; rates over `sets` simulated sets without, and `sets` with a planted gain.

    false_promotions: sets without a gain that were promoted
    false_gains:      the same where the peak is always opened, though today's setting lies in the
                      plateau: the test alone, which no refusal to test can flatter
    power:            share promoted where the gain is twice the smallest detectable
    in_plateau:       share of these whose proposed setting lies in the planted plateau
    """

    groups: int
    shape: str
    sets: int
    false_promotions: int
    false_gains: int
    power: float
    in_plateau: float

    def as_json(self) -> dict[str, object]:
        return {
            **asdict(self),
            "false_promotion_rate": self.false_promotions / self.sets,
            "upper_99": upper_bound(self.false_promotions, self.sets),
            "false_gain_rate": self.false_gains / self.sets,
            "false_gain_upper_99": upper_bound(self.false_gains, self.sets),
        }


def run_cell(shape: Shape, groups: int, sets: int, seed: int) -> Cell:
    """Simulates one cell; the same arguments give the same cell."""
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng([seed, groups, list(Shape).index(shape)])
    # The products are too small to share: a second thread doubles the CPU time and saves none.
    with threadpool_limits(1):
        return _cell(shape, groups, sets, rng)


def _cell(shape: Shape, groups: int, sets: int, rng: np.random.Generator) -> Cell:
    gain = TWICE * detectable_gain(shape, round(groups * SHARE))
    null = partial(simulate, World(shape=shape), groups, rng)
    planted = partial(simulate, World(shape=shape, gain=gain), groups, rng)
    silent = [_both(null(), rng) for _ in range(sets)]
    found = [_decided(planted(), rng) for _ in range(sets)]
    low, high = PLATEAU
    return Cell(
        groups=groups,
        shape=str(shape),
        sets=sets,
        false_promotions=sum(promoted for promoted, _ in silent),
        false_gains=sum(gained for _, gained in silent),
        power=sum(outcome is Outcome.PROMOTED for outcome, _ in found) / sets,
        in_plateau=sum(low <= setting <= high for _, setting in found) / sets,
    )


def pooled(cells: Iterable[Cell]) -> dict[str, float]:
    """The promotion rate over all sets without a gain, with its upper 99 % bound."""
    together = list(cells)
    hits, sets = sum(cell.false_promotions for cell in together), sum(c.sets for c in together)
    return {"false_promotion_rate": hits / sets, "upper_99": upper_bound(hits, sets)}


def upper_bound(hits: int, trials: int, confidence: float = 0.99) -> float:
    """One-sided upper bound of a rate (Clopper and Pearson 1934)."""
    from scipy.special import betaincinv

    return 1.0 if hits == trials else float(betaincinv(hits + 1, trials - hits, confidence))


def _decided(scores: Scores, rng: np.random.Generator) -> tuple[Outcome, Setting]:
    parts = split(scores)
    proposal = propose(parts, rng=rng)
    outcome = proposal.settled or _tested(scores.part(parts.sealed), proposal.choice.index, rng)
    return outcome, proposal.choice.setting


def _both(scores: Scores, rng: np.random.Generator) -> tuple[bool, bool]:
    """Whether the set is promoted, and whether its peak would be if it were always opened."""
    parts = split(scores)
    proposal = propose(parts, rng=rng)
    sealed = scores.part(parts.sealed)
    promoted = (
        proposal.settled is None and _tested(sealed, proposal.choice.index, rng) is Outcome.PROMOTED
    )
    curve = np.array(proposal.choice.curve)
    curve[scores.today] = -np.inf
    return promoted, _tested(sealed, int(curve.argmax()), rng) is Outcome.PROMOTED


def _tested(sealed: Scores, candidate: int, rng: np.random.Generator) -> Outcome:
    dice = int(rng.integers(2**62))
    outcome, _ = confirm(sealed, (), candidate, opening=1, level=LEVEL, dice=dice, flips=FLIPS)
    return outcome
