"""Decides whether a tuned number may be claimed, and says why in one sentence. A refusal is a
normal result.

The development part proposes; the sealed part, opened once for a candidate, confirms. Nothing that
is computed from the sealed part is returned before the opening stands in the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

import numpy as np

from eval.evidence import why
from eval.evidence.choose import Choice, choose
from eval.evidence.compare import Comparison, compare_settings
from eval.evidence.ledger import Ledger, Opening
from eval.evidence.nested import DRAWS, Estimate, nested
from eval.evidence.outcome import Outcome, Sealed
from eval.evidence.power import Detectable, smallest_detectable
from eval.evidence.scores import Floats, Scores, Setting
from eval.evidence.split import SHARE, seal_mark, sealed

LEAST_GROUPS = 60
GROUPS_A_PARAMETER = 40
LEAST_COVERAGE = 0.98

__all__ = ["Decision", "Outcome", "Sealed", "decide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict on one parameter of one capability.

    estimate:            held-out figures of the procedure, on the development part (on everything
                         under 60 groups)
    choice:              what the procedure chose there; its curve is in sample
    setting:             the setting to use: the candidate, or today's
    sealed:              what the sealed part said, None where it was not opened
    smallest_detectable: for the sealed part, known before any choice
    coverage:            share of the shortlist whose semantic score is recorded, under `setting`
    ledger_head:         hash of the ledger's last line, None where no ledger is found
    """

    measure: str
    queries: int
    groups: int
    sealed_groups: int
    estimate: Estimate
    choice: Choice
    setting: Setting
    sealed: Sealed | None
    smallest_detectable: Detectable
    coverage: float
    promoted: bool
    outcome: Outcome
    why: str
    ledger_head: str | None
    notes: tuple[str, ...]

    @property
    def before(self) -> float:
        return self.estimate.before

    @property
    def after(self) -> float:
        return self.estimate.after

    def as_json(self) -> dict[str, object]:
        """Plain numbers, text, lists and null; never NaN or infinity."""
        return {
            "queries": self.queries,
            "measure": self.measure,
            "before": self.before,
            "after": self.after,
            "estimate": self.estimate.as_json(),
            "sealed": None if self.sealed is None else self.sealed.as_json(),
            "coverage": self.coverage,
            "promoted": self.promoted,
            "outcome": str(self.outcome),
            "why": self.why,
            "setting": float(self.setting),
            "plateau": [float(edge) for edge in self.choice.plateau],
            "smallest_detectable": self.smallest_detectable.value,
            "groups": {"all": self.groups, "sealed": self.sealed_groups},
            "ledger": self.ledger_head if self.ledger_head is not None else "no ledger found",
            "notes": list(self.notes),
        }


def decide(
    scores: Scores,
    *,
    ledger: Ledger | None,
    lineage_inputs: Mapping[str, str],
    candidate_hash_of: Callable[[Setting], str],
    coverage: float | Sequence[float],
    now: datetime,
    lower_bound_values: Sequence[Floats] | None = None,
    explore: bool = False,
    parameters: int = 1,
    draws: int = DRAWS,
    share: float = SHARE,
    seed: int = 0,
) -> Decision:
    """Proposes a setting on the development part and tests it, once, on the sealed part.

    ledger:             None only with `explore`, which opens nothing and promotes nothing
    lineage_inputs:     fingerprints of the data, kept with an opening
    candidate_hash_of:  hash of the configuration that holds a setting
    coverage:           share of the shortlist with a recorded semantic score, one or [S]
    lower_bound_values: [Q, S] arrays with the unknown semantic scores at 0 and at 1; under .98
                        coverage a gain has to survive each of them
    parameters:         free parameters behind the settings
    seed:               of folds and bands; the sealed test takes none

    Raises UnfitScores, BrokenLedger, and ValueError where no ledger is given.
    """
    if ledger is None and not explore:
        raise ValueError("a decision needs the ledger; give one, or explore")
    proposal = _propose(scores, parameters, draws, share, seed)
    covered = _covered(coverage, proposal.choice.index, scores)
    bounds = tuple(scores.with_values(values) for values in lower_bound_values or ())
    outcome = _settled_before_opening(proposal, covered, bool(bounds), explore)
    if outcome is not None or ledger is None:
        return _decision(scores, proposal, covered, outcome or Outcome.EXPLORED, ledger)
    opening = _open(
        scores, proposal, covered, bounds, ledger, lineage_inputs, candidate_hash_of, now
    )
    return _decision(
        scores, proposal, covered, Outcome(str(opening.verdict["outcome"])), ledger, opening
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proposal:
    mask: np.ndarray
    development: Scores
    sealed_groups: int
    allowed: int
    parameters: int
    detectable: Detectable
    estimate: Estimate
    choice: Choice


def _propose(scores: Scores, parameters: int, draws: int, share: float, seed: int) -> _Proposal:
    mask = sealed(scores.groups, share)
    if scores.group_count < LEAST_GROUPS or mask.all():
        mask = np.zeros(len(scores.groups), dtype=np.bool_)
    development = scores.part(~mask)
    sealed_groups = scores.group_count - development.group_count
    # One parameter is always allowed: 60 groups leave about 36 to the development part.
    allowed = max(1, development.group_count // GROUPS_A_PARAMETER)
    return _Proposal(
        mask=mask,
        development=development,
        sealed_groups=sealed_groups,
        allowed=allowed,
        parameters=parameters,
        detectable=smallest_detectable(development, sealed_groups or development.group_count),
        estimate=nested(development, rng=np.random.default_rng([seed, 1]), draws=draws),
        choice=choose(development, rng=np.random.default_rng([seed, 2])),
    )


def _covered(coverage: float | Sequence[float], index: int, scores: Scores) -> float:
    if isinstance(coverage, int | float):
        return float(coverage)
    if len(coverage) != len(scores.settings):
        raise ValueError(f"{len(coverage)} coverages stand beside {len(scores.settings)} settings")
    return float(coverage[index])


def _settled_before_opening(
    proposal: _Proposal, covered: float, bounded: bool, explore: bool
) -> Outcome | None:
    """The outcome that needs no opening; None where the sealed part has to answer."""
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
    if explore:
        return Outcome.EXPLORED
    if covered < LEAST_COVERAGE and not bounded:
        return Outcome.NOT_COVERED
    return None


def _open(
    scores: Scores,
    proposal: _Proposal,
    covered: float,
    bounds: Sequence[Scores],
    ledger: Ledger,
    inputs: Mapping[str, str],
    candidate_hash_of: Callable[[Setting], str],
    now: datetime,
) -> Opening:
    choice, candidate = proposal.choice, candidate_hash_of(proposal.choice.setting)
    held_out = scores.part(proposal.mask)
    marks = [seal_mark(group) for group in held_out.group_keys]
    tables = [held_out]
    if covered < LEAST_COVERAGE:
        tables += [bound.part(proposal.mask) for bound in bounds]
    # The seed follows from what is opened: a borderline verdict has no dice to throw again.
    dice = int.from_bytes(
        sha256("\n".join([candidate, scores.measure, *marks]).encode()).digest()[:8]
    )

    def test(number: int, level: float) -> dict[str, object]:
        shown = [
            compare_settings(table, choice.index, rng=np.random.default_rng(dice), level=level)
            for table in tables
        ]
        outcome = _outcome(shown)
        sealed_part = _sealed(shown, number, level, choice, scores)
        return {"outcome": str(outcome), **sealed_part.as_json()}

    return ledger.open(
        marks=marks, candidate=candidate, measure=scores.measure, now=now, inputs=inputs, test=test
    )


def _outcome(shown: Sequence[Comparison]) -> Outcome:
    plain, *bounded = shown
    if not plain.can_show:
        return Outcome.CANNOT_SHOW
    if not plain.gained:
        return Outcome.NO_GAIN_SHOWN
    return (
        Outcome.PROMOTED if all(bound.gained for bound in bounded) else Outcome.GAIN_LOST_AT_BOUND
    )


def _sealed(
    shown: Sequence[Comparison], number: int, level: float, choice: Choice, scores: Scores
) -> Sealed:
    plain = shown[0]
    return Sealed(
        before=plain.before,
        after=plain.after,
        difference=plain.difference,
        interval=plain.interval,
        opening=number,
        level=level,
        p=max(one.p for one in shown),
        smallest_p=plain.smallest_p,
        groups=plain.groups,
        setting=float(choice.setting),
        today=float(scores.settings[scores.today]),
    )


def _decision(
    scores: Scores,
    proposal: _Proposal,
    covered: float,
    outcome: Outcome,
    ledger: Ledger | None,
    opening: Opening | None = None,
) -> Decision:
    shown = None if opening is None else Sealed.from_json(opening.verdict)
    facts = why.Facts(
        measure=scores.measure,
        today=scores.settings[scores.today],
        choice=proposal.choice,
        groups=scores.group_count,
        development_groups=proposal.development.group_count,
        sealed_groups=proposal.sealed_groups,
        parameters=proposal.parameters,
        allowed=proposal.allowed,
        least_groups=LEAST_GROUPS,
        coverage=covered,
        least_coverage=LEAST_COVERAGE,
        detectable=proposal.detectable.by_setting[proposal.choice.index],
        sealed=shown,
        shown_before=None if opening is None or opening.fresh else opening.date,
    )
    notes = () if opening is None else opening.notes
    if opening is not None and not opening.found:
        notes = ("no ledger found: this opening is the first of a new one", *notes)
    return Decision(
        measure=scores.measure,
        queries=len(scores.groups),
        groups=scores.group_count,
        sealed_groups=proposal.sealed_groups,
        estimate=proposal.estimate,
        choice=proposal.choice,
        setting=proposal.choice.setting,
        sealed=shown,
        smallest_detectable=proposal.detectable,
        coverage=covered,
        promoted=outcome is Outcome.PROMOTED,
        outcome=outcome,
        why=why.sentence(outcome, facts),
        ledger_head=None if ledger is None else ledger.head,
        notes=notes,
    )
