"""One capability's share: measured, decided, and written down with its evidence.

Pure but for the ledger and the files it is told to write.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from esra import scoring
from esra.domain.capability import Scoring
from esra.stages.rerank import shortlist
from eval import bulk, publish
from eval.evidence import Decision, Ledger, Parts, Scores, decide, smallest_detectable, split
from eval.evidence.agree import Agreement
from eval.evidence.family import inputs_of, stand
from eval.evidence.propose import LEAST_COVERAGE
from eval.replay import Recorded, candidates
from eval.search.tunables import SHARE, change, tunable
from eval.table import GRID, Judgements, Table, tabulate
from eval.tune.predicted import Again, as_predicted


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a verdict is asked on.

    today: the semantic share in force, in thousandths; data and recording: fingerprints;
    groups and strata: of every query, by id; explore: open nothing and promote nothing;
    notes: what was tolerated in the data; degraded: queries whose source or model failed;
    numbers: those in force, own: the catalog's; None: the recorded ones; asked: the numbers that
    are tuned, none for the share alone; mixed: queries are mixed over the sources as callers mix
    them, by their traffic or by declaration; tags: of every query that has some, by id.
    """

    capability: str
    recordings: Sequence[Recorded]
    judgements: Judgements
    groups: Mapping[str, str]
    strata: Mapping[str, str]
    today: int
    models: Mapping[str, str]
    data: str
    recording: str
    explore: bool = False
    advice: str = ""
    notes: tuple[str, ...] = ()
    degraded: int = 0
    k: int = 10
    single: bool = False
    numbers: Scoring | None = None
    own: Scoring | None = None
    asked: tuple[str, ...] = ()
    mixed: bool = False
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def against(self) -> dict[str, object]:
        """The tunables that a claim is measured against, as a tuned file would say them."""
        if self.numbers is None or self.own is None:
            semantic, lexical = scoring.weights(self.today)
            return {"semantic_weight": semantic, "lexical_weight": lexical}
        return publish.tunables_of(self.numbers, self.own)


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
            "estimate": _only(plain["estimate"], "difference", "interval", "level", "groups"),
            "sealed": _only(plain["sealed"], "before", "after", "interval", "opening", "level"),
            **{key: plain[key] for key in ("coverage", "promoted")},
            "why": self.why,
            "config": str(self.config),
            "today": self.case.today / 1000,
            "setting": plain["setting"],
            "plateau": plain["plateau"],
            "smallest_detectable": plain["smallest_detectable"],
            "no_model": self.no_model,
            f"judged@{self.case.k}": self.judged_today,
            "curve": {
                "share": [setting / 1000 for setting in table.settings],
                table.measure: list(choice.curve),
                "half_width_of_band": list(choice.margin),
            },
            "left_out": {
                "no_judgements": len(table.no_judgements),
                "no_relevant": len(table.no_relevant),
            },
            "empty": len(table.empty),
            "degraded": self.case.degraded,
            "notes": list(self.case.notes),
        }

    @property
    def no_model(self) -> float:
        """Mean of the order without a model, over the queries that may be looked at."""
        return float(self.table.no_model[self.looked_at].mean())

    @property
    def judged_today(self) -> float:
        """Mean judged@k under today's share, over the queries that may be looked at."""
        column = self.table.settings.index(self.case.today)
        return float(self.table.judged[self.looked_at, column].mean())


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
    settings = tuple(sorted({*GRID, case.today}))
    table = _table(case, settings)
    if not table.queries:
        raise NothingToScore("no query that was run has a relevant document; nothing to tune on")
    scores = scores_of(case, table)
    parts = split(scores)
    say(_can_show(case, scores, parts))
    tried = _tried(case, table)
    if not case.explore:
        ledger.require(publish.named_heads(promoted, candidate))
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
        lower_bound_values=_bounds(case, table, settings),
        explore=case.explore,
        as_predicted=lambda setting: _as_predicted(case, scores, setting, again),
    )
    return Weighed(case=case, table=table, decision=decision, looked_at=~parts.sealed)


def settle(weighed: Weighed, ledger: Ledger, promoted: Path, candidate: Path) -> Verdict:
    """Writes what came of it, once every other claim of its promotion is weighed too."""
    case, table = weighed.case, weighed.table
    decision = weighed.decision if case.explore else stand(weighed.decision, ledger)
    claim = _claim(case, decision.setting)
    facts = evidence(case, table, decision)
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
    numbers = change(case.numbers, tunable(SHARE, ()), float(setting))
    return as_predicted(laid, labels, numbers, scores, again)


def _tried(case: Case, table: Table) -> str:
    """SHA-256 of what a candidate is tried on: today's share, and every figure of the table."""
    told = hashlib.sha256(f"{case.today}\n{table.settings}\n{table.queries}".encode())
    told.update(table.values.tobytes())
    return told.hexdigest()


def _can_show(case: Case, scores: Scores, parts: Parts) -> str:
    least = smallest_detectable(parts.development, parts.stated_for).value
    shown = "no difference at all" if least is None else f"a difference of {least:.4f}"
    return (
        f"{case.capability}: {len(scores.groups)} queries in {scores.group_count} groups, "
        f"{parts.sealed_groups} of them sealed, can show {shown} in {scores.measure}"
    )


def _table(case: Case, settings: Sequence[int], assumed: float | None = None) -> Table:
    return tabulate(
        [_under(one, case.numbers or one.numbers) for one in case.recordings],
        case.judgements,
        settings,
        k=case.k,
        single=case.single,
        assumed=assumed,
    )


def _under(one: Recorded, numbers: Scoring) -> Recorded:
    """The recording as it would be under other numbers: what their shortlist leaves is scored."""
    if numbers == one.numbers:
        return one
    wanted = {c.hit.id for c in shortlist(candidates(one, numbers), numbers.shortlist)}
    kept = {id: said for id, said in one.semantic.items() if id in wanted}
    return replace(one, numbers=numbers, semantic=kept)


def scores_of(case: Case, table: Table) -> Scores:
    """The table as the evidence rooms take it."""
    return Scores(
        measure=table.measure,
        settings=tuple(Fraction(setting, 1000) for setting in table.settings),
        values=table.values,
        groups=tuple(case.groups[query] for query in table.queries),
        today=table.settings.index(case.today),
        strata=tuple(case.strata.get(query, "") for query in table.queries),
        tags=tuple(case.tags.get(query, ()) for query in table.queries),
    )


def _bounds(case: Case, table: Table, settings: Sequence[int]) -> tuple | None:
    if table.coverage >= LEAST_COVERAGE:
        return None
    return tuple(_table(case, settings, assumed).values for assumed in (0.0, 1.0))


def _claim(case: Case, setting: Fraction | int) -> dict[str, object]:
    share = int(Fraction(setting) * 1000)
    if case.numbers is None or case.own is None:
        return publish.candidate_body(case.capability, share, case.models, case.data)
    semantic, lexical = scoring.weights(share)
    numbers = replace(case.numbers, semantic_weight=semantic, lexical_weight=lexical)
    return publish.body_of(case.capability, numbers, case.own, case.models, case.data)


def evidence(case: Case, table: Table, decision: Decision) -> dict[str, object]:
    """What a tuned file says of how its numbers were found."""
    return {
        **decision.as_json(),
        "today": case.today,
        "against": case.against,
        "asked": list(case.asked),
        "recording": case.recording,
        "conventions": {
            "gain": "linear",
            "ideal": "all judged documents",
            "unjudged": "gain 0",
            "ties": "trec_eval: 32-bit scores, id descending" if case.single else "runtime",
        },
        "date": datetime.now(UTC).date().isoformat(),
    }


def share_of(semantic: float, lexical: float) -> int:
    """The semantic share of two weights, in thousandths; only their ratio orders (RULINGS 1)."""
    return round(1000 * semantic / (semantic + lexical))
