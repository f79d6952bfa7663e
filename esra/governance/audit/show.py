"""A report for a terminal and for a program. Pure."""

from dataclasses import asdict

from esra.governance.audit.findings import Finding, Report


def as_json(report: Report) -> dict[str, object]:
    return {"whole": report.whole, **asdict(report)}


def as_text(report: Report) -> str:
    """One line for each thing to know; the verdict first."""
    return "\n".join([_verdict(report), *map(_found, report.findings), *_notes(report)])


def _verdict(report: Report) -> str:
    if report.whole:
        return f"whole: {report.records:,} records, nothing changed or missing"
    return f"NOT WHOLE: {len(report.findings)} findings"


def _found(finding: Finding) -> str:
    words = [finding.kind.value]
    if finding.first:
        same = finding.first == finding.last
        words.append(
            f"record {finding.first}" if same else f"records {finding.first} to {finding.last}"
        )
    if finding.line:
        words.append(f"{finding.file} line {finding.line}")
    elif finding.file:
        words.append(finding.file)
    return f"{', '.join(words)}: {finding.text}"


def _notes(report: Report) -> list[str]:
    notes = [report.crash] if report.crash else []
    if report.torn:
        notes.append(f"{report.torn} torn lines were kept aside after crashes")
    if report.abandoned:
        notes.append(f"{report.abandoned} invocations were cut off when their process was killed")
    if report.setbacks:
        notes.append(
            f"the clock ran backwards {report.setbacks} times; the order is the sequence's"
        )
    notes += [
        f"invocation {one.invocation} (record {one.sequence}) has no end: it runs, or its process"
        " was killed and the next start will say so"
        for one in report.open
    ]
    return notes
