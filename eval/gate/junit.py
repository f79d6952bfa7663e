"""A gate's checks as JUnit XML, in the form that Jenkins, GitLab and GitHub's readers take.

Valid against the xUnit plugin's ``junit-10.xsd``: what every reader knows, and nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from eval.gate.check import Check, Status, Suite
from eval.gate.escape import xml_text


def junit(checks: Sequence[Check], name: str) -> str:
    """The document; a suite for each kind of check that was asked, ``name`` above them."""
    root = ElementTree.Element("testsuites", {"name": xml_text(name), **_counts(checks)})
    for suite in Suite:
        own = [check for check in checks if check.suite is suite]
        if own:
            _suite(root, suite, own)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _suite(root: ElementTree.Element, suite: Suite, checks: Sequence[Check]) -> None:
    element = ElementTree.SubElement(
        root,
        "testsuite",
        {
            "name": f"gate.{suite}",
            **_counts(checks),
            "skipped": str(_count(checks, Status.SKIPPED)),
        },
    )
    for check in checks:
        _case(element, check)


def _case(suite: ElementTree.Element, check: Check) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {"name": xml_text(check.name), "classname": f"gate.{check.suite}", "time": "0"},
    )
    said = xml_text(check.said)
    details = xml_text("\n".join(check.details))
    match check.status:
        case Status.FAILED:
            failure = ElementTree.SubElement(case, "failure", {"message": said, "type": "gate"})
            failure.text = details or said
        case Status.SKIPPED:
            skipped = ElementTree.SubElement(case, "skipped", {"message": said})
            skipped.text = details or None
        case Status.PASSED:
            output = ElementTree.SubElement(case, "system-out")
            output.text = "\n".join([said, details]) if details else said


def _counts(checks: Sequence[Check]) -> dict[str, str]:
    return {
        "tests": str(len(checks)),
        "failures": str(_count(checks, Status.FAILED)),
        "errors": "0",
        "time": "0",
    }


def _count(checks: Sequence[Check], status: Status) -> int:
    return sum(check.status is status for check in checks)
