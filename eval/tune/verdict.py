"""One capability's share: measured, decided, and written down with its evidence.

Pure but for the ledger and the files it is told to write.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from esra.domain.capability import Scoring
from eval import bulk, publish
from eval.evidence import Decision, Ledger, Scores, decide, split
from eval.evidence.agree import Agreement
from eval.evidence.family import inputs_of, stand
from eval.evidence.promote import due
from eval.table import GRID, Table
from eval.tune.case import Case, share_of
from eval.tune.judged import Judged
from eval.tune.predicted import Again, as_predicted
from eval.tune.tables import bounds, can_show, refuse_equal_keys, scores_of, table_of, tried_on

__all__ = ["Case", "NothingToScore", "Verdict", "reach", "scores_of", "settle", "share_of", "weigh"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    case: Case
    table: Table
    decision: Decision
    config: Path
    looked_at: NDArray[np.bool_]  # [queries] of the table: all but the sealed ones

    @property
    def why(self) -> str:
        """One sentence; the report's headline says already whether it is promoted."""
        return f"{self.case.advice} {self.decision.why}".strip()

    def as_json(self) -> dict[str, object]:
        """The document of ``tune --json`` for one capability."""
        plain, table, choice = self.decision.as_json(), self.table, self.decision.choice
        return {
            "capability": self.case.capability,
            **{key: plain[key] for key in ("queries", "measure", "before", "after")},
            "part": self.decision.part,
            "estimate": _only(plain["estimate"], "difference", "interval", "level", "groups"),
            "sealed": _only(plain["sealed"], "before", "after", "interval", "opening", "level"),
            **{key: plain[key] for key in ("coverage", "promoted")},
            "why": self.why,
            "config": str(self.config),
            "today": self.case.share,
            "setting": plain["setting"],
            "plateau": plain["plateau"],
            "smallest_detectable": plain["smallest_detectable"],
            "no_model": self.no_model,
            f"judged@{self.case.k}": self.judged.today,
            "curve": {
                "share": list(table.shares),
                table.measure: list(choice.curve),
                "half_width_of_band": list(choice.margin),
            },
            "left_out": {
                "no_judgements": len(table.no_judgements),
                "no_relevant": len(table.no_relevant),
            },
            "empty": len(table.empty),
            "degraded": self.case.degraded,
            "notes": [*self.judged.notes, *self.case.notes],
        }

    @property
    def no_model(self) -> float:
        """Mean of the order without a model, over the queries that may be looked at."""
        return float(self.table.no_model[self.looked_at].mean())

    @property
    def judged(self) -> Judged:
        return _judged(self.case, self.table, self.decision, self.looked_at)


def _judged(case: Case, table: Table, decision: Decision, looked_at: NDArray[np.bool_]) -> Judged:
    means = table.judged[looked_at].mean(axis=0).tolist()
    today, chosen = table.settings.index(case.today), decision.choice.index
    return Judged(k=case.k, today=means[today], setting=means[chosen])


def _only(values: Mapping[str, object] | None, *keys: str) -> dict[str, object] | None:
    return None if values is None else {key: values[key] for key in keys}


class NothingToScore(ValueError):
    """No recorded query has a relevant document."""


def reach(
    case: Case,
    ledger: Ledger,
    promoted: Path,
    candidate: Path,
    say: Callable[[str], None] = lambda text: None,
    again: Again | None = None,
) -> Verdict:
    """Measures, decides, and writes the promoted revision or the candidate: one claim alone."""
    weighed = weigh(case, ledger, promoted, candidate, say, again)
    return settle(weighed, ledger, promoted, candidate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A decision by itself: its opening stands in the ledger, and nothing else is written."""

    case: Case
    table: Table
    decision: Decision
    looked_at: NDArray[np.bool_]


def weigh(
    case: Case,
    ledger: Ledger,
    promoted: Path,
    candidate: Path,
    say: Callable[[str], None] = lambda text: None,
    again: Again | None = None,
    family: str = "",
) -> Weighed:
    """Measures and decides; ``family`` names the promotion that this is one claim of.

    What the set can show at all is said before anything is chosen on it.
    """
    refuse_equal_keys(case.recordings)
    settings = tuple(sorted({*GRID, case.today}))
    table = table_of(case, settings)
    if not table.queries:
        raise NothingToScore("no query that was run has a relevant document; nothing to tune on")
    scores = scores_of(case, table)
    parts = split(scores)
    if not case.explore:
        ledger.require(publish.named_heads(promoted, candidate))
    say(can_show(case, scores, parts, due(scores, parts, None if case.explore else ledger)))
    tried = tried_on(case, table)
    decision = decide(
        scores,
        ledger=None if case.explore else ledger,
        lineage_inputs={
            "data": case.data,
            "recording": case.recording,
            **inputs_of(case.capability, family),
        },
        candidate_hash_of=lambda setting: publish.candidate_hash(_claim(case, setting), tried),
        coverage=table.coverage,
        now=datetime.now(UTC),
        lower_bound_values=bounds(case, table, settings),
        explore=case.explore,
        as_predicted=lambda setting: _as_predicted(case, scores, setting, again),
    )
    return Weighed(case=case, table=table, decision=decision, looked_at=~parts.sealed)


def settle(weighed: Weighed, ledger: Ledger, promoted: Path, candidate: Path) -> Verdict:
    """Writes what came of it, once every other claim of its promotion is weighed too."""
    case, table = weighed.case, weighed.table
    decision = weighed.decision if case.explore else stand(weighed.decision, ledger)
    claim = _claim(case, decision.setting)
    judged = _judged(case, table, decision, weighed.looked_at)
    facts = evidence(case, decision, judged, tried_on(case, table))
    if decision.promoted:
        path = publish.promote(promoted, claim, facts)
    else:
        # Exploring names no ledger; the candidate's evidence must keep the head it names.
        place = candidate.with_name("explored.json") if case.explore else candidate
        path = publish.write_candidate(place, claim, facts)
    return Verdict(
        case=case, table=table, decision=decision, config=path, looked_at=weighed.looked_at
    )


def _as_predicted(
    case: Case, scores: Scores, setting: Fraction | int, again: Again | None
) -> Agreement | None:
    """No share changes what is asked; the numbers in force may, that nothing was recorded with."""
    if case.numbers is None or again is None:
        return None
    laid = bulk.lay_out(case.recordings)
    labels = bulk.label(laid, case.judgements, case.k)
    return as_predicted(
        laid,
        labels,
        _under(case.numbers, case, setting),
        scores,
        again,
        recordings=case.recordings,
        judgements=case.judgements,
    )


def _claim(case: Case, setting: Fraction | int) -> dict[str, object]:
    if case.numbers is None or case.own is None:
        # Of an imported run nothing is known but its share: nothing differs from what it has.
        bare = _under(Scoring(), case, setting)
        return publish.body_of(case.capability, bare, Scoring(), case.models, case.data)
    numbers = _under(case.numbers, case, setting)
    return publish.body_of(case.capability, numbers, case.own, case.models, case.data)


def _under(numbers: Scoring, case: Case, setting: Fraction | int) -> Scoring:
    """The numbers with another semantic share."""
    semantic, lexical = case.weights(1000 * Fraction(setting))
    return replace(numbers, semantic_weight=semantic, lexical_weight=lexical)


def evidence(case: Case, decision: Decision, judged: Judged, tried: str) -> dict[str, object]:
    """What a tuned file says of how its numbers were found; ``tried``: on which table."""
    return {
        **decision.as_json(),
        "judged": judged.as_json(),
        "notes": [*decision.notes, *judged.notes, *case.doubts],
        "today": case.today if isinstance(case.today, int) else float(case.today),
        "against": case.against,
        "asked": list(case.asked),
        "unasked": case.unasked,
        "recording": case.recording,
        "tried": tried,
        "conventions": {
            "gain": "linear",
            "ideal": "all judged documents",
            "unjudged": "gain 0",
            "ties": "trec_eval: 32-bit scores, id descending" if case.single else "runtime",
        },
        "date": datetime.now(UTC).date().isoformat(),
    }
