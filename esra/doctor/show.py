"""Findings as lines for a terminal, and as JSON. A name from a database moves no cursor."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from esra.doctor.finding import Finding, Severity
from esra.show import plain


def as_json(findings: Sequence[Finding]) -> dict[str, object]:
    return {
        "healthy": all(finding.severity is Severity.OK for finding in findings),
        "findings": [asdict(finding) for finding in findings],
    }


def as_text(findings: Sequence[Finding]) -> str:
    """One line a finding, and one that counts them."""
    return "\n".join([*map(_line, findings), _count(findings)])


def _line(finding: Finding) -> str:
    todo = f" -> {plain(finding.advice)}" if finding.advice else ""
    return f"{finding.severity:<8}{plain(finding.about)}: {plain(finding.text)}{todo}"


def _count(findings: Sequence[Finding]) -> str:
    counted = Counter(finding.severity for finding in findings)
    return ", ".join(_many(counted[kind], kind) for kind in (Severity.ERROR, Severity.WARNING))


def _many(count: int, kind: Severity) -> str:
    return f"{count} {kind}{'' if count == 1 else 's'}"
