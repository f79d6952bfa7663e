"""What every test may ask for, and the memory of which requirement rows the tests show.

Fixtures: ``shared``, ``database``. A test names rows with ``@pytest.mark.req("E131")``; the outcome
of every run is merged into the report that ``./workbench requirements`` reads.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from eval import requirements

ROOT = Path(__file__).resolve().parents[1]
ROWS = requirements.rows(requirements.ROWS.read_text("utf-8"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared labelled data: ``ESRA_SHARED``, else beside the checkout."""
    folder = Path(os.environ.get("ESRA_SHARED") or ROOT.parent / "shared")
    if not (folder / "data").is_dir():
        pytest.skip(f"no shared data in {folder}; ESRA_SHARED names the folder that holds data/")
    return folder


@pytest.fixture(scope="session")
def database() -> Iterator[object]:
    """A throw-away PostgreSQL of this worker's own: tests of two workers share no table."""
    from esra.embedded import throwaway

    with throwaway() as server:
        yield server


def named_rows(item: pytest.Item) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row for mark in item.iter_markers("req") for row in mark.args))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A mark that names no row would count for nothing and nobody would notice."""
    strange = [row for row in named_rows(item) if row not in ROWS]
    if strange:
        pytest.fail(
            f"tests/requirements.md has no row {', '.join(map(repr, strange))}", pytrace=False
        )


class RowReport:
    """Gathers what one run collected and what its tests said; the controller of xdist writes it."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.collected: dict[str, tuple[str, ...]] = {}
        self.files: set[str] = set()
        self.broken = False
        self.said: dict[str, list[tuple[str, tuple[str, ...]]]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Before -k and its like deselect: a test left out of a run still exists."""
        partly = {arg.partition("::")[0] for arg in self.config.args if "::" in arg}
        for item in items:
            file, rows = item.nodeid.partition("::")[0], named_rows(item)
            item.user_properties.append(("req", rows))
            self.collected[item.nodeid] = rows
            if not any(file.endswith(Path(part).name) for part in partly):
                self.files.add(file)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        rows = tuple(dict(report.user_properties).get("req", ()))
        self.said.setdefault(report.nodeid, []).append((report.outcome, rows))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that no longer imports shows nothing: what its tests said before is void."""
        if report.failed:
            self.files.add(report.nodeid.partition("::")[0])
            self.broken = True

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        found = getattr(node, "workeroutput", {}).get("rows", {"collected": {}, "files": ()})
        self.collected.update(found["collected"])
        self.files.update(found["files"])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["rows"] = {
                "collected": self.collected,
                "files": sorted(self.files),
            }
        elif self.said or self.broken:
            requirements.record(self.outcomes(), self.collected, self.files)

    def outcomes(self) -> dict[str, requirements.Outcome]:
        """A test passed if its set-up, call and tear-down all did."""
        now = time.time()
        return {
            test: requirements.Outcome(
                rows=phases[0][1],
                passed=all(outcome == "passed" for outcome, _ in phases),
                failed=any(outcome == "failed" for outcome, _ in phases),
                when=now,
            )
            for test, phases in self.said.items()
        }


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(RowReport(config), "esra-rows")
