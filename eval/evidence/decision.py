"""What a decision hands on: the figures, the verdict and one sentence."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from eval.evidence.agree import Agreement
from eval.evidence.choose import Choice
from eval.evidence.confirm import Sealed
from eval.evidence.ledger import NO_LEDGER, Opening
from eval.evidence.nested import Estimate
from eval.evidence.outcome import Outcome
from eval.evidence.power import Detectable
from eval.evidence.scores import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The claims that were tested in one promotion; p as Holm adjusts it, to hold against 2.5 %."""

    claims: int
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict on one parameter of one capability.

    estimate:            held-out figures of the procedure, on the development part (on everything
                         under 60 groups)
    choice:              what the procedure chose there; its curve is in sample
    setting:             the candidate, or today's where that stays
    sealed:              what the sealed part said, None where it was not opened
    smallest_detectable: for the sealed part, known before any choice
    heard:               what live answers said of the replayed ones, None where nothing was asked
    opening:             the ledger's line of it, None where the sealed part was not opened
    beside:              what came of it beside the other claims, None where it was made alone
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
    outcome: Outcome
    why: str
    ledger_head: str | None
    notes: tuple[str, ...]
    heard: Agreement | None = None
    opening: Opening | None = None
    beside: Beside | None = None

    @property
    def promoted(self) -> bool:
        return self.outcome is Outcome.PROMOTED

    @property
    def part(self) -> str:
        """Whose means `before` and `after` are: those of all queries where none are sealed."""
        return "development" if self.sealed_groups else "all"

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
            "beside": None if self.beside is None else asdict(self.beside),
            "live": None if self.heard is None else self.heard.as_json(),
            "promoted": self.promoted,
            "outcome": str(self.outcome),
            "why": self.why,
            "setting": float(self.setting),
            "plateau": [float(edge) for edge in self.choice.plateau],
            "smallest_detectable": self.smallest_detectable.value,
            "groups": {"all": self.groups, "sealed": self.sealed_groups},
            "ledger": self.ledger_head if self.ledger_head is not None else NO_LEDGER,
            "notes": list(self.notes),
        }
