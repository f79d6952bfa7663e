"""Tunes any number of a capability, or several at once, as ``verdict`` tunes the semantic share.

What cannot be learned is said first. One number is decided along all its stops. Several are climbed
together on the development part alone, and decided along the straight way from today's numbers to
where the climb ended; their held-out estimate climbs again for every fold.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np

from esra.domain.capability import Scoring
from eval import bulk, publish
from eval.bulk import Bulk, Floats, Labels
from eval.evidence import Decision, Estimate, Ledger, Scores, decide, split
from eval.evidence.propose import LEAST_COVERAGE
from eval.plot import sketch
from eval.search.across import cross_fitted
from eval.search.ascent import ascend
from eval.search.learnable import everything, report, why_not
from eval.search.tunables import Tunable, tunable
from eval.search.ways import Way, along, towards
from eval.table import pair
from eval.tune.verdict import Case, NothingToScore

ALL = "all"
Say = Callable[[str], None]
# The queries answered again, live, under other numbers, in their order.
Again = Callable[[Scoring, Sequence[str]], Bulk]
LIVE_SAMPLE = 50
DETERMINISTIC = 1e-9  # what a mean may differ by where the model answers the same again


class NothingToLearn(ValueError):
    """No asked number can be learned from this recording; the message says why of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """The decision along one way, and the file that holds the numbers."""

    case: Case
    way: Way
    decision: Decision
    numbers: Scoring
    config: Path
    unlearnable: tuple[str, ...]
    tried: int

    @property
    def why(self) -> str:
        return f"{self.case.advice} {self.decision.why}".strip()

    def as_json(self) -> dict[str, object]:
        """The document of ``tune --parameter --json`` for one capability."""
        plain, choice = self.decision.as_json(), self.decision.choice
        return {
            "capability": self.case.capability,
            "parameter": self.way.name,
            **{key: value for key, value in plain.items() if key not in ("notes", "ledger")},
            "why": self.why,
            "told": self.told,
            "numbers": publish.tunables_of(self.numbers, self.case.own or self.numbers),
            "config": str(self.config),
            "curve": {
                "setting": [float(setting) for setting in self.way.settings],
                self.decision.measure: list(choice.curve),
                "half_width_of_band": list(choice.margin),
            },
            "settings_tried": len(self.way.settings) + self.tried,
            "cannot_be_learned": list(self.unlearnable),
            "degraded": self.case.degraded,
            "notes": [*self.decision.notes, *self.case.notes],
        }

    @property
    def told(self) -> dict[str, str]:
        """Today's setting and the chosen one, in words."""
        today = self.way.told(self.way.settings[self.way.today])
        return {"today": today, "setting": self.way.told(self.decision.setting)}

    def as_text(self) -> str:
        """The report of one capability."""
        decision, low = self.decision, self.way.told(self.decision.choice.plateau[0])
        estimate, high = decision.estimate, self.way.told(self.decision.choice.plateau[1])
        shares = [float(setting) for setting in self.way.settings]
        lines = [
            f"{self.case.capability}: {self.way.name}, {decision.queries} queries in "
            f"{decision.groups} groups, {decision.measure}",
            f"  {len(self.way.settings) + self.tried} settings tried, {self.way.parameters} "
            f"number{'s' if self.way.parameters > 1 else ''} turned",
            f"  today      {self.told['today']:24} {decision.before:.4f}",
            f"  chosen     {self.told['setting']}",
            f"  the procedure, held out             {decision.after:.4f} "
            f"({estimate.difference:+.4f}, {estimate.level:.0%} interval "
            f"{estimate.interval[0]:+.4f} to {estimate.interval[1]:+.4f})",
            f"  coverage {decision.coverage:.3f}",
            "  the curve, in sample on the development part:",
            *(f"  {line}" for line in sketch(shares, decision.choice.curve).splitlines()),
            f"  plateau {low} to {high}",
            *(f"  {line}" for line in self.unlearnable),
            *(f"  note: {note}" for note in (*decision.notes, *self.case.notes)),
            f"  {self.why}" if decision.promoted else f"  not promoted: {self.why}",
            f"  {self.config}",
        ]
        return "\n".join(lines)


def turn(
    case: Case,
    names: Sequence[str],
    ledger: Ledger,
    promoted: Path,
    candidate: Path,
    say: Say = lambda text: None,
    again: Again | None = None,
) -> Turned:
    """Decides, and writes the promoted revision or the candidate."""
    laid = bulk.lay_out(case.recordings)
    labels = bulk.label(laid, case.judgements, case.k)
    if not labels.measured.any():
        raise NothingToScore("no query that was run has a relevant document; nothing to tune on")
    today = case.numbers or case.recordings[0].numbers
    looked_at = _development(case, laid, labels)
    turned, lost = _learnable(laid, labels, today, names, looked_at)
    for line in lost:
        say(f"{case.capability}: {line}")
    if not turned:
        raise NothingToLearn("; ".join(lost))
    estimate, tried = None, 0
    if len(turned) == 1:
        way = along(today, turned[0])
    else:
        say(f"{case.capability}: climbing over {', '.join(str(one) for one in turned)}")
        climbed = ascend(
            laid, labels, today, turned, rng=np.random.default_rng(1), chosen=looked_at
        )
        way, tried = towards(today, climbed.numbers, turned), climbed.tried
    scores = _scores(case, laid, labels, way)
    if len(turned) > 1 and len(way.settings) > 1:
        estimate = cross_fitted(
            laid, labels, today, turned, split(scores).development, looked_at, say=say
        )
    decision = _decide(case, laid, labels, way, scores, ledger, estimate, again)
    numbers = way.numbers(Fraction(decision.setting))
    path = _write(case, way, decision, numbers, promoted, candidate)
    return Turned(
        case=case,
        way=way,
        decision=decision,
        numbers=numbers,
        config=path,
        unlearnable=tuple(lost),
        tried=tried,
    )


def _development(case: Case, laid: Bulk, labels: Labels) -> np.ndarray:
    """[Q] the measured queries that may be looked at before an opening."""
    queries = [q for q, ok in zip(laid.queries, labels.measured, strict=True) if ok]
    groups = tuple(case.groups[query] for query in queries)
    blank = Scores(
        measure="", settings=(0,), values=np.zeros((len(groups), 1)), groups=groups, today=0
    )
    sealed = np.zeros(len(laid.queries), dtype=bool)
    sealed[labels.measured] = split(blank).sealed
    return labels.measured & ~sealed


def _learnable(
    laid: Bulk, labels: Labels, today: Scoring, names: Sequence[str], looked_at: np.ndarray
) -> tuple[list[Tunable], list[str]]:
    asked = (
        everything(laid)
        if ALL in names
        else tuple(tunable(name, laid.sources) for name in dict.fromkeys(names))
    )
    reasons = {one: why_not(laid, labels, today, one, looked_at) for one in asked}
    lost = [(one, reason) for one, reason in reasons.items() if reason is not None]
    return [one for one, reason in reasons.items() if reason is None], report(lost)


def _scores(
    case: Case, laid: Bulk, labels: Labels, way: Way, assumed: float | None = None
) -> Scores:
    measured = [q for q, ok in zip(laid.queries, labels.measured, strict=True) if ok]
    return Scores(
        measure=f"nDCG@{case.k}",
        settings=way.settings,
        values=figures(laid, labels, way, assumed),
        groups=tuple(case.groups[query] for query in measured),
        today=way.today,
        strata=tuple(case.strata.get(query, "") for query in measured),
    )


def figures(laid: Bulk, labels: Labels, way: Way, assumed: float | None = None) -> Floats:
    """[measured queries, settings] nDCG@k along a way."""
    columns = [
        bulk.ndcg(bulk.order(laid, way.numbers(setting), assumed), labels)
        for setting in way.settings
    ]
    return np.column_stack(columns)


def _decide(
    case: Case,
    laid: Bulk,
    labels: Labels,
    way: Way,
    scores: Scores,
    ledger: Ledger,
    estimate: Estimate | None,
    again: Again | None,
) -> Decision:
    coverage = [bulk.coverage(laid, way.numbers(setting)) for setting in way.settings]
    unknown = min(coverage) < LEAST_COVERAGE
    bounds = [_scores(case, laid, labels, way, assumed).values for assumed in (0.0, 1.0)]
    tried = sha256(f"{way.name}\n{scores.settings}\n{way.today}".encode())
    tried.update(scores.values.tobytes())
    return decide(
        scores,
        ledger=None if case.explore else ledger,
        lineage_inputs={"data": case.data, "recording": case.recording},
        candidate_hash_of=lambda setting: publish.candidate_hash(
            _claim(case, way.numbers(Fraction(setting))), tried.hexdigest()
        ),
        coverage=coverage,
        now=datetime.now(UTC),
        lower_bound_values=bounds if unknown else None,
        explore=case.explore,
        parameters=way.parameters,
        estimate=estimate,
        as_predicted=lambda setting: _as_predicted(
            laid, labels, way.numbers(Fraction(setting)), scores, again
        ),
        told=way.told,
    )


def _as_predicted(
    laid: Bulk, labels: Labels, numbers: Scoring, scores: Scores, again: Again | None
) -> bool:
    """Whether live answers agree with the replay, where the candidate changes what is asked.

    A listwise model's score depends on its shortlist, so that a replay may be wrong (RULINGS 38).
    """
    wanted = bulk.shortlisted(laid, bulk.weights(laid, numbers), numbers.shortlist)
    changed = np.unique(laid.query[wanted & ~laid.asked])
    if not laid.asked.any() or not len(changed) or again is None:
        return True
    development = np.flatnonzero(labels.measured)[~split(scores).sealed]
    sample = [int(q) for q in development if q in set(changed.tolist())][:LIVE_SAMPLE]
    if not sample:
        return True
    live = again(numbers, [laid.queries[q] for q in sample])
    return _agree(laid, labels, numbers, sample, live)


def _agree(laid: Bulk, labels: Labels, numbers: Scoring, sample: list[int], live: Bulk) -> bool:
    """The live mean lies between the predicted ones with the unknown scores at 0 and at 1."""
    chosen = np.zeros(len(laid.queries), dtype=bool)
    chosen[sample] = True
    if live.queries != tuple(laid.queries[query] for query in sample):
        return False
    own = chosen[labels.measured]
    ends = [
        float(bulk.ndcg(bulk.order(laid, numbers, assumed), labels)[own].mean())
        for assumed in (0.0, 1.0)
    ]
    judgements = {
        laid.queries[query]: {
            pair(laid.ids[at]): int(labels.gain[at]) for at in np.flatnonzero(laid.query == query)
        }
        for query in sample
    }
    found = bulk.label(live, judgements, labels.k)
    ideal = replace(found, ideal=labels.ideal[sample], measured=np.ones(len(sample), dtype=bool))
    answered = float(bulk.ndcg(bulk.order(live, numbers), ideal).mean())
    return min(ends) - DETERMINISTIC <= answered <= max(ends) + DETERMINISTIC


def _claim(case: Case, numbers: Scoring) -> dict[str, object]:
    own = case.own or case.recordings[0].numbers
    return publish.body_of(case.capability, numbers, own, case.models, case.data)


def _write(
    case: Case, way: Way, decision: Decision, numbers: Scoring, promoted: Path, candidate: Path
) -> Path:
    facts = {
        **decision.as_json(),
        "way": way.name,
        "told": {"today": way.told(way.settings[way.today]), "setting": way.told(decision.setting)},
        "recording": case.recording,
        "date": datetime.now(UTC).date().isoformat(),
    }
    claim = _claim(case, numbers)
    if decision.promoted:
        return publish.promote(promoted, claim, facts)
    name = "explored.json" if case.explore else candidate.name
    return publish.write_candidate(candidate.with_name(name), claim, facts)
