"""Decides whether a tuned number may be claimed, and says why in one sentence. Start here.

The development part proposes; the sealed part, opened once for a candidate, confirms. Nothing that
is computed from the sealed part is returned before the opening stands in the ledger. A refusal is a
normal result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256

import numpy as np

from eval.evidence import why
from eval.evidence.confirm import Sealed, confirm
from eval.evidence.decision import Decision
from eval.evidence.ledger import Ledger, Opening
from eval.evidence.nested import DRAWS, Estimate, nested
from eval.evidence.outcome import Outcome
from eval.evidence.propose import LEAST_COVERAGE, LEAST_GROUPS, Proposal, propose, settled
from eval.evidence.scores import Floats, Scores, Setting
from eval.evidence.split import SHARE, seal_mark


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
    bounds = tuple(scores.with_values(values) for values in lower_bound_values or ())
    proposal = propose(
        scores, rng=np.random.default_rng([seed, 1]), parameters=parameters, share=share
    )
    estimate = nested(proposal.development, rng=np.random.default_rng([seed, 2]), draws=draws)
    covered = _covered(coverage, proposal.choice.index, scores)
    outcome = settled(proposal) or _kept_shut(covered, bool(bounds), explore)
    opening = None
    if outcome is None and ledger is not None:
        used = () if covered >= LEAST_COVERAGE else bounds
        candidate = candidate_hash_of(proposal.choice.setting)
        opening = _open(scores, proposal, used, ledger, lineage_inputs, candidate, now)
        outcome = Outcome(opening.verdict["outcome"])
    return _decision(
        scores, proposal, estimate, covered, outcome or Outcome.EXPLORED, opening, ledger
    )


def _covered(coverage: float | Sequence[float], index: int, scores: Scores) -> float:
    each = np.broadcast_to(np.asarray(coverage, dtype=np.float64), (len(scores.settings),))
    return float(each[index])


def _kept_shut(covered: float, bounded: bool, explore: bool) -> Outcome | None:
    if explore:
        return Outcome.EXPLORED
    if not covered >= LEAST_COVERAGE and not bounded:
        return Outcome.NOT_COVERED
    return None


def _open(
    scores: Scores,
    proposal: Proposal,
    bounds: Sequence[Scores],
    ledger: Ledger,
    inputs: Mapping[str, str],
    candidate: str,
    now: datetime,
) -> Opening:
    mask, index = proposal.sealed_queries, proposal.choice.index
    held_out = scores.part(mask)
    marks = [seal_mark(group) for group in held_out.group_keys]
    # The seed follows from what is opened: a borderline verdict has no dice to throw again.
    dice = sha256("\n".join([candidate, scores.measure, *marks]).encode()).digest()[:8]

    def test(number: int, level: float) -> dict[str, object]:
        outcome, shown = confirm(
            held_out,
            [bound.part(mask) for bound in bounds],
            index,
            opening=number,
            level=level,
            dice=int.from_bytes(dice, "big"),
        )
        return {"outcome": str(outcome), **shown.as_json()}

    return ledger.open(
        marks=marks,
        candidate=candidate,
        measure=scores.measure,
        now=now,
        inputs=inputs,
        test=test,
    )


def _decision(
    scores: Scores,
    proposal: Proposal,
    estimate: Estimate,
    covered: float,
    outcome: Outcome,
    opening: Opening | None,
    ledger: Ledger | None,
) -> Decision:
    shown = None if opening is None else Sealed.from_json(opening.verdict)
    facts = why.Facts(
        measure=scores.measure,
        today=scores.settings[scores.today],
        choice=proposal.choice,
        groups=scores.group_count,
        development_groups=proposal.development.group_count,
        parameters=proposal.parameters,
        allowed=proposal.allowed,
        least_groups=LEAST_GROUPS,
        coverage=covered,
        least_coverage=LEAST_COVERAGE,
        detectable=proposal.detectable.by_setting[proposal.choice.index],
        sealed=shown,
        shown_before=None if opening is None or opening.fresh else opening.date,
    )
    return Decision(
        measure=scores.measure,
        queries=len(scores.groups),
        groups=scores.group_count,
        sealed_groups=proposal.sealed_groups,
        estimate=estimate,
        choice=proposal.choice,
        setting=proposal.choice.setting,
        sealed=shown,
        smallest_detectable=proposal.detectable,
        coverage=covered,
        outcome=outcome,
        why=why.sentence(outcome, facts),
        ledger_head=None if ledger is None else ledger.head,
        notes=() if opening is None else opening.notes,
    )
