"""Which rows of ``tests/requirements.md`` a passing test names.

A test names rows with ``@pytest.mark.req("E131")``. ``tests/conftest.py`` hands the outcomes of
every run to ``record``; a run of a few tests replaces what it ran and leaves the rest. A row nobody
builds counts by ``docs/not-built.md``, the page that says so. Reads files, runs nothing.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROWS = ROOT / "tests" / "requirements.md"
NOT_BUILT = ROOT / "docs" / "not-built.md"
REPORT = ROOT / ".test-report.json"

_ROW = re.compile(r"^\| ([A-Z]\d+) \|(.*)\|\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one test said the last time it ran. ``when`` is seconds since the epoch."""

    rows: tuple[str, ...]
    passed: bool
    failed: bool
    when: float


def rows(text: str) -> dict[str, str]:
    """Row id to the rest of its line, for every row of a Markdown table in ``text``."""
    return {row: rest.strip() for row, rest in _ROW.findall(text)}


def not_built(required: Mapping[str, str], page: str) -> set[str]:
    """Rows the page lists that are marked as not built in their last column, and no others."""
    marked = {
        row for row, rest in required.items() if rest.split("|")[-1].strip().startswith("not built")
    }
    return marked & rows(page).keys()


def merge(
    before: Mapping[str, Outcome],
    ran: Mapping[str, Outcome],
    collected: Mapping[str, Iterable[str]],
    whole: Iterable[str],
) -> dict[str, Outcome]:
    """The report after a run.

    ``collected`` holds the rows of every test found, run or not, and ``whole`` the files in which
    every test was found. An outcome of an earlier run stays unless the test ran again, has gone
    from such a file, or no longer names a row; it never gains one.
    """
    files = set(whole)
    after = dict(ran)
    for test, old in before.items():
        if test in ran or (test not in collected and test.partition("::")[0] in files):
            continue
        still = set(collected.get(test, old.rows))
        kept = tuple(row for row in old.rows if row in still)
        after[test] = Outcome(rows=kept, passed=old.passed, failed=old.failed, when=old.when)
    return {test: outcome for test, outcome in sorted(after.items()) if outcome.rows}


def named(report: Mapping[str, Outcome]) -> set[str]:
    """Rows named by a test that passed and failed nowhere; cases of one function are one test."""
    good: set[tuple[str, str]] = set()
    bad: set[tuple[str, str]] = set()
    for test, outcome in report.items():
        function = test.partition("[")[0]
        pairs = {(function, row) for row in outcome.rows}
        good |= pairs if outcome.passed else set()
        bad |= pairs if outcome.failed else set()
    return {row for _, row in good - bad}


def load(path: Path = REPORT) -> dict[str, Outcome] | None:
    """The last report without the tests whose file has gone; None where there is none to read."""
    try:
        tests = json.loads(path.read_bytes())["tests"]
        report = {
            test: Outcome(**{**said, "rows": tuple(said["rows"])}) for test, said in tests.items()
        }
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return {
        test: said
        for test, said in report.items()
        if (path.parent / test.partition("::")[0]).exists()
    }


def record(
    ran: Mapping[str, Outcome],
    collected: Mapping[str, Iterable[str]],
    whole: Iterable[str],
    path: Path = REPORT,
) -> None:
    """Merges one run into the report, whole or not at all, also when two runs end together."""
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        tests = merge(load(path) or {}, ran, collected, whole)
        fresh = path.with_suffix(".new")
        fresh.write_text(
            json.dumps({"tests": {test: asdict(said) for test, said in tests.items()}})
        )
        os.replace(fresh, path)


def newest_change(root: Path = ROOT) -> float:
    """When the youngest source file of the checkout was written, in seconds since the epoch."""
    sources = [
        file for folder in ("esra", "eval", "tests") for file in (root / folder).rglob("*.py")
    ]
    return max((file.stat().st_mtime for file in sources), default=0.0)


def _note(report: Mapping[str, Outcome] | None, changed: float) -> str:
    if report is None:
        return "there is no test report yet: run ./workbench test"
    old = sum(outcome.when < changed for outcome in report.values())
    if old:
        return f"stale: {old} of {len(report)} outcomes are older than the newest source file"
    return ""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="./workbench requirements", description="Which requirement rows a passing test names."
    )
    made.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return made


def main(argv: list[str] | None = None) -> int:
    """``./workbench requirements [--json]``; 1 where no test report exists."""
    options = parser().parse_args(argv)
    required = rows(ROWS.read_text("utf-8"))
    report = load()
    shown = named(report or {}) | not_built(required, NOT_BUILT.read_text("utf-8"))
    unnamed = [row for row in required if row not in shown]
    note = _note(report, newest_change())
    if note:
        print(f"requirements: {note}", file=sys.stderr)
    if options.json:
        print(
            json.dumps(
                {"total": len(required), "named": len(required) - len(unnamed), "unnamed": unnamed}
            )
        )
    elif report is not None:  # before the first report every row would stand in the list
        count = len(required) - len(unnamed)
        print(f"{count} of {len(required)} rows: a passing test, or left out on purpose")
        lines = [f"  {row}  {required[row].split('|')[0].strip()}" for row in unnamed]
        print("\n".join(["without either:", *lines] if lines else []))
    return 1 if report is None else 0
