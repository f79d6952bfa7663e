"""Decides whether a tuned number may be claimed.

Start at `promote.decide`. Everything here is arithmetic over arrays, except `ledger`, which owns
one file.
"""

from eval.evidence.choose import Choice, choose
from eval.evidence.compare import Comparison, compare
from eval.evidence.confirm import Sealed
from eval.evidence.decision import Decision
from eval.evidence.ledger import NO_LEDGER, BrokenLedger, Ledger
from eval.evidence.nested import Estimate, nested
from eval.evidence.outcome import Outcome
from eval.evidence.power import Detectable, smallest_detectable
from eval.evidence.promote import decide
from eval.evidence.scores import Scores, UnfitScores, normal_form
from eval.evidence.split import Parts, sealed, split

__all__ = [
    "NO_LEDGER",
    "BrokenLedger",
    "Choice",
    "Comparison",
    "Decision",
    "Detectable",
    "Estimate",
    "Ledger",
    "Outcome",
    "Parts",
    "Scores",
    "Sealed",
    "UnfitScores",
    "choose",
    "compare",
    "decide",
    "nested",
    "normal_form",
    "sealed",
    "smallest_detectable",
    "split",
]
