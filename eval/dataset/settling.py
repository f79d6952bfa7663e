"""``settling.json``: the rule by which a folder's qrels follow from its ratings."""

from __future__ import annotations

from pathlib import Path

from eval.formats import strict
from eval.formats.findings import Findings
from eval.labels.settle import Rule, Settling

SETTLING = "settling.json"


def read_settling(path: Path, findings: Findings) -> Settling:
    """The rule of a folder, the default where it names none."""
    if not path.exists():
        return Settling()
    value = strict.document(path, findings)
    if value is not None:
        try:
            rule, cuts = value["rule"], value["cuts"]  # type: ignore[index,call-overload]
            return Settling(rule=Rule(rule), cuts=tuple(float(cut) for cut in cuts))
        except (KeyError, TypeError, ValueError) as trouble:
            said = f'is no rule ({trouble}): write {{"rule": "mean", "cuts": []}}'
            findings.refuse(path, 0, said)
    return Settling()


def plain(settling: Settling) -> dict[str, object]:
    """The rule as ``read_settling`` reads it back."""
    return {"rule": settling.rule.value, "cuts": list(settling.cuts)}
