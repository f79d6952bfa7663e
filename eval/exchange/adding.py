"""Puts what an import brings to the labels that a folder has already, as if both were one file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from eval.dataset.labels import Labels
from eval.exchange.incoming import rated
from eval.formats.findings import Findings
from eval.formats.gather import Gathered, OnConflict
from eval.formats.sheet import Sheet
from eval.labels.settle import Settling


def joined(
    before: Labels, sheet: Sheet, on_conflict: OnConflict, path: Path, findings: Findings
) -> Sheet:
    """The folder's ratings and the sheet's, in the folder's names; of one rater and pair one stays,
    as ``on_conflict`` says. What was carried over is no rating, and is carried anew.
    """
    there = rated(before)
    gathered = Gathered(path, findings, on_conflict)
    for one in (*(replace(old, line=0) for old in there.judgements), *sheet.judgements):
        gathered.add(one)
    graded = {(one.query, one.document) for one in gathered.judgements}
    waiting = dict.fromkeys((*there.open, *sheet.open))
    return replace(
        sheet,
        queries=tuple(dict.fromkeys((*there.queries, *sheet.queries))),
        judgements=gathered.judgements,
        open=tuple(pair for pair in waiting if pair not in graded),
        failures=tuple(dict.fromkeys((*there.failures, *sheet.failures))),
    )


def rule_of_both(
    before: Labels, chosen: Settling | None, given: Settling | None, path: Path, findings: Findings
) -> Settling:
    """The rule for both; refused where one side's ratings are values that are cut, and not grades.

    chosen: what a person named; its cuts are for both sides, and a rule alone leaves them as they
    are. given: what comes with the file
    A folder without ratings of its own has no rule yet, and its grades are none to be cut.
    """
    own = before.settling
    if chosen is not None and (chosen.cuts or not (before.grades or before.judgements)):
        return chosen
    if (given or Settling()).cuts != own.cuts and (before.grades or before.judgements):
        said = "is settled by other cuts than the folder: import it into a folder of its own"
        findings.refuse(path, 0, said)
    kept = own if before.judgements else given or own
    return replace(kept, rule=chosen.rule) if chosen is not None else kept
