"""One capability's share: measured, decided, and written down with its evidence.

Pure but for the ledger and the files it is told to write.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from eval import publish
from eval.evidence import Decision, Ledger, Scores, decide, smallest_detectable, split
from eval.evidence.propose import LEAST_COVERAGE
from eval.replay import Recorded
from eval.table import GRID, Judgements, Table, tabulate


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a verdict is asked on.

    today: the semantic share in force, in thousandths; data and recording: fingerprints;
    groups and strata: of every query, by id; explore: open nothing and promote nothing.
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
    k: int = 10
    single: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    case: Case
    table: Table
    decision: Decision
    config: Path

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
            "no_model": float(table.no_model.mean()),
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
        }

    @property
    def judged_today(self) -> float:
        column = self.table.settings.index(self.case.today)
        return float(self.table.judged[:, column].mean())


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
) -> Verdict:
    """Measures, decides, and writes the promoted revision or the candidate.

    What the set can show at all is said before anything is chosen on it.
    """
    settings = tuple(sorted({*GRID, case.today}))
    table = _table(case, settings)
    if not table.queries:
        raise NothingToScore("no query that was run has a relevant document; nothing to tune on")
    scores = scores_of(case, table)
    say(_can_show(case, scores))
    decision = decide(
        scores,
        ledger=None if case.explore else ledger,
        lineage_inputs={"data": case.data, "recording": case.recording},
        candidate_hash_of=lambda setting: publish.candidate_hash(_claim(case, setting)),
        coverage=table.coverage,
        now=datetime.now(UTC),
        lower_bound_values=_bounds(case, table, settings),
        explore=case.explore,
    )
    claim = _claim(case, decision.setting)
    facts = evidence(case, table, decision)
    if decision.promoted:
        path = publish.promote(promoted, claim, facts)
    else:
        path = publish.write_candidate(candidate, claim, facts)
    return Verdict(case=case, table=table, decision=decision, config=path)


def _can_show(case: Case, scores: Scores) -> str:
    parts = split(scores)
    least = smallest_detectable(parts.development, parts.stated_for).value
    shown = "no difference at all" if least is None else f"a difference of {least:.4f}"
    return (
        f"{case.capability}: {len(scores.groups)} queries in {scores.group_count} groups, "
        f"{parts.sealed_groups} of them sealed, can show {shown} in {scores.measure}"
    )


def _table(case: Case, settings: Sequence[int], assumed: float | None = None) -> Table:
    return tabulate(
        case.recordings,
        case.judgements,
        settings,
        k=case.k,
        single=case.single,
        assumed=assumed,
    )


def scores_of(case: Case, table: Table) -> Scores:
    """The table as the evidence rooms take it."""
    return Scores(
        measure=table.measure,
        settings=tuple(Fraction(setting, 1000) for setting in table.settings),
        values=table.values,
        groups=tuple(case.groups[query] for query in table.queries),
        today=table.settings.index(case.today),
        strata=tuple(case.strata.get(query, "") for query in table.queries),
    )


def _bounds(case: Case, table: Table, settings: Sequence[int]) -> tuple | None:
    if table.coverage >= LEAST_COVERAGE:
        return None
    return tuple(_table(case, settings, assumed).values for assumed in (0.0, 1.0))


def _claim(case: Case, setting: Fraction | int) -> dict[str, object]:
    return publish.candidate_body(
        case.capability, int(Fraction(setting) * 1000), case.models, case.data
    )


def evidence(case: Case, table: Table, decision: Decision) -> dict[str, object]:
    """What a tuned file says of how its numbers were found."""
    return {
        **decision.as_json(),
        "today": case.today,
        "recording": case.recording,
        "conventions": {
            "gain": "linear",
            "ideal": "all judged documents",
            "unjudged": "gain 0",
            "ties": "trec_eval: 32-bit scores, id descending" if case.single else "runtime",
        },
        f"judged@{case.k}": float(table.judged[:, table.settings.index(case.today)].mean()),
        "date": datetime.now(UTC).date().isoformat(),
    }


def today_of(current: Mapping[str, object] | None, case_key: tuple[str, str], own: int) -> int:
    """The share a claim is measured against, in thousandths.

    A revision that was tuned on this very data and recording is what would be claimed again, so
    the share it replaced is "today's"; any other revision in force is itself today's.
    """
    if current is None:
        return own
    facts = current.get("evidence")
    if isinstance(facts, Mapping) and (current.get("data"), facts.get("recording")) == case_key:
        return int(facts["today"])
    tunables = current["tunables"]
    return share_of(tunables["semantic_weight"], tunables["lexical_weight"])


def share_of(semantic: float, lexical: float) -> int:
    """The semantic share of two weights, in thousandths; only their ratio orders (RULINGS 1)."""
    return round(1000 * semantic / (semantic + lexical))
