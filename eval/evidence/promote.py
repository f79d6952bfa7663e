"""Decides whether a tuned number may be claimed, and says why in one sentence. Start here.

The development part proposes; the sealed part, opened once for a candidate, confirms. Nothing that
is computed from the sealed part is returned before the opening stands in the ledger. A refusal is a
normal result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

import numpy as np

from eval.evidence import why
from eval.evidence.agree import Agreement, Bearing
from eval.evidence.compare import LEVEL
from eval.evidence.confirm import Sealed, confirm
from eval.evidence.decision import Decision
from eval.evidence.ledger import Ledger, Opening
from eval.evidence.nested import DRAWS, Estimate, nested
from eval.evidence.outcome import Outcome
from eval.evidence.power import Detectable, smallest_detectable
from eval.evidence.propose import LEAST_COVERAGE, Proposal, propose
from eval.evidence.scores import Floats, Scores, Setting
from eval.evidence.split import LEAST_GROUPS, SHARE, Parts, known_marks, seal_mark, split

BY_BEARING = {
    Bearing.BORNE_OUT: None,
    Bearing.CONTRADICTED: Outcome.NOT_AS_PREDICTED,
    Bearing.UNCLEAR: Outcome.NOISE_TAKES_THE_GAIN,
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
    estimate: Estimate | None = None,
    as_predicted: Callable[[Setting], Agreement | None] = lambda setting: None,
    told: Callable[[Setting | float], str] = why.number,
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
    estimate:           held-out figures of a procedure that also found the settings themselves
    as_predicted:       asked before an opening: what live answers say of the replayed ones; None
                        where nothing else would be asked than was recorded
    told:               a setting in words
    seed:               of folds and bands; the sealed test takes none

    Raises UnfitScores, BrokenLedger, and ValueError where no ledger is given.
    """
    if ledger is None and not explore:
        raise ValueError("a decision needs the ledger; give one, or explore")
    parts = split(scores, share)
    detectable = smallest_detectable(
        parts.development, parts.stated_for, level=due(scores, parts, ledger)
    )
    proposal = propose(parts, rng=np.random.default_rng([seed, 1]), parameters=parameters)
    if estimate is None:
        estimate = nested(parts.development, rng=np.random.default_rng([seed, 2]), draws=draws)
    case = _Case(
        scores=scores,
        parts=parts,
        detectable=detectable,
        proposal=proposal,
        estimate=estimate,
        coverage=_covered(coverage, proposal.choice.index, scores),
        bounds=tuple(scores.with_values(values) for values in lower_bound_values or ()),
        parameters=parameters,
        told=told,
    )
    outcome = proposal.settled or _kept_shut(case, explore)
    if outcome is None:
        heard = as_predicted(proposal.choice.setting)
        case = replace(case, heard=heard)
        outcome = None if heard is None else BY_BEARING[heard.bearing]
    if outcome is not None or ledger is None:
        return _decision(case, outcome or Outcome.EXPLORED, ledger)
    candidate = candidate_hash_of(proposal.choice.setting)
    opening = _open(case, ledger, lineage_inputs, candidate, now)
    if opening.level != detectable.level:  # shown before, or another command was first
        again = smallest_detectable(parts.development, parts.stated_for, level=opening.level)
        case = replace(case, detectable=again)
    return _decision(case, Outcome(opening.verdict["outcome"]), ledger, opening)


def due(scores: Scores, parts: Parts, ledger: Ledger | None) -> float:
    """The level at which a candidate would be tested on the sealed part; opens nothing."""
    if ledger is None or not parts.sealed_groups:
        return LEVEL
    held_out = scores.part(parts.sealed)
    marks = [seal_mark(group) for group in held_out.group_keys]
    return ledger.due(marks, known_marks(held_out))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Case:
    """Everything that is known before the sealed part is opened."""

    scores: Scores
    parts: Parts
    detectable: Detectable
    proposal: Proposal
    estimate: Estimate
    coverage: float
    bounds: tuple[Scores, ...]
    parameters: int
    told: Callable[[Setting | float], str]
    heard: Agreement | None = None


def _covered(coverage: float | Sequence[float], index: int, scores: Scores) -> float:
    each = np.broadcast_to(np.asarray(coverage, dtype=np.float64), (len(scores.settings),))
    if not ((each >= 0) & (each <= 1)).all():
        raise ValueError(f"coverage {coverage} is not a share between 0 and 1")
    return float(each[index])


def _kept_shut(case: _Case, explore: bool) -> Outcome | None:
    if explore:
        return Outcome.EXPLORED
    if not case.coverage >= LEAST_COVERAGE and not case.bounds:
        return Outcome.NOT_COVERED
    return None


def _open(
    case: _Case, ledger: Ledger, inputs: Mapping[str, str], candidate: str, now: datetime
) -> Opening:
    scores, mask = case.scores, case.parts.sealed
    held_out = scores.part(mask)
    bounds = () if case.coverage >= LEAST_COVERAGE else case.bounds
    marks = [seal_mark(group) for group in held_out.group_keys]
    # The seed follows from what is opened: a borderline verdict has no dice to throw again.
    dice = sha256("\n".join([candidate, scores.measure, *marks]).encode()).digest()[:8]

    def test(number: int, level: float) -> dict[str, object]:
        outcome, shown = confirm(
            held_out,
            [bound.part(mask) for bound in bounds],
            case.proposal.choice.index,
            opening=number,
            level=level,
            dice=int.from_bytes(dice, "big"),
        )
        return {"outcome": str(outcome), **shown.as_json()}

    return ledger.open(
        marks=marks,
        known=known_marks(held_out),
        candidate=candidate,
        measure=scores.measure,
        now=now,
        inputs=inputs,
        test=test,
    )


def _decision(
    case: _Case, outcome: Outcome, ledger: Ledger | None, opening: Opening | None = None
) -> Decision:
    scores, choice = case.scores, case.proposal.choice
    shown = None if opening is None else Sealed.from_json(opening.verdict)
    facts = why.Facts(
        measure=scores.measure,
        today=scores.settings[scores.today],
        choice=choice,
        groups=scores.group_count,
        development_groups=case.parts.development.group_count,
        parameters=case.parameters,
        allowed=case.proposal.allowed,
        least_groups=LEAST_GROUPS,
        coverage=case.coverage,
        least_coverage=LEAST_COVERAGE,
        detectable=case.detectable.by_setting[choice.index],
        sealed=shown,
        heard=case.heard,
        told=case.told,
        shown_before=None if opening is None or opening.fresh else opening.date,
    )
    return Decision(
        measure=scores.measure,
        queries=len(scores.groups),
        groups=scores.group_count,
        sealed_groups=case.parts.sealed_groups,
        estimate=case.estimate,
        choice=choice,
        setting=choice.setting,
        sealed=shown,
        smallest_detectable=case.detectable,
        coverage=case.coverage,
        heard=case.heard,
        opening=opening,
        outcome=outcome,
        why=why.sentence(outcome, facts),
        ledger_head=None if ledger is None else ledger.head,
        notes=() if opening is None else opening.notes,
    )
