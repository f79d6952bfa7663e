"""A gate's checks as Markdown, for a pull request's comment or a build's summary."""

from __future__ import annotations

from collections.abc import Sequence

from eval.gate.check import Check, Status, failed
from eval.gate.escape import code_span

MARKS = {Status.PASSED: "passed", Status.FAILED: "**FAILED**", Status.SKIPPED: "skipped"}


def markdown(checks: Sequence[Check], name: str) -> str:
    """A headline, a table of all checks, and the details of what failed."""
    shut = failed(checks)
    lines = [
        f"### Gate {'shut' if shut else 'open'}: {code_span(name)}",
        "",
        "| check | | |",
        "|---|---|---|",
        *(
            f"| {code_span(f'{check.suite} / {check.name}')} | {MARKS[check.status]} "
            f"| {code_span(check.said)} |"
            for check in checks
        ),
    ]
    for check in checks:
        if check.status is Status.FAILED and check.details:
            lines += ["", f"{code_span(f'{check.suite} / {check.name}')}:", ""]
            lines += [f"- {code_span(detail)}" for detail in check.details]
    return "\n".join(lines) + "\n"
