"""The count of shown requirement rows: never higher than what passing tests say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from eval import requirements
from eval.requirements import Outcome

ROOT = Path(__file__).resolve().parents[1]


def said(*rows: str, passed: bool = True, failed: bool = False, when: float = 1.0) -> Outcome:
    return Outcome(rows=rows, passed=passed, failed=failed, when=when)


def test_every_row_of_both_seeds_and_both_lists_is_there():
    """If a row were lost in parsing, nobody would miss it and it would never be built."""
    found = requirements.rows(requirements.ROWS.read_text("utf-8"))
    letters = {"E": (183, 3), "D": (91, 3), "U": (17, 2), "W": (85, 2)}
    expected = [
        f"{letter}{n:0{width}}"
        for letter, (last, width) in letters.items()
        for n in range(1, last + 1)
    ]
    assert list(found) == expected


def test_only_rows_marked_not_built_count_by_the_page():
    """A page that could excuse any row would make the count worthless."""
    required = {
        "W06": "LTR | not built now: nobody asked",
        "E131": "normalise | hand-computed",
        "W67": "A/B | shadow; interleaving not built",
    }
    page = "| W06 | x | y |\n| E131 | x | y |\n| W67 | x | y |\n"
    assert requirements.not_built(required, page) == {"W06"}


def test_the_page_lists_exactly_the_rows_marked_not_built():
    """A reader of the page would look in vain for a feature, or think a built one is missing."""
    required = requirements.rows(requirements.ROWS.read_text("utf-8"))
    page = requirements.NOT_BUILT.read_text("utf-8")
    marked = {row for row, rest in required.items() if re.search(r"\| not built", rest)}
    assert requirements.rows(page).keys() == marked == requirements.not_built(required, page)


def test_a_row_counts_only_by_a_test_that_failed_nowhere():
    """One failing case of a parametrised test means the row is not shown."""
    report = {
        "a.py::good": said("E001"),
        "a.py::cases[1]": said("E002"),
        "a.py::cases[2]": said("E002", passed=False, failed=True),
        "a.py::skipped": said("E003", passed=False),
        "a.py::bad": said("E001", "E004", passed=False, failed=True),
    }
    assert requirements.named(report) == {"E001"}


def test_a_run_of_few_tests_leaves_the_others_outcomes():
    """A run of one test must not make the rest look unshown."""
    before = {"a.py::x": said("E001"), "b.py::y": said("E002")}
    after = requirements.merge(
        before,
        {"a.py::x": said("E001", passed=False, failed=True, when=2.0)},
        {"a.py::x": ["E001"]},
        ["a.py"],
    )
    assert after == {
        "a.py::x": said("E001", passed=False, failed=True, when=2.0),
        "b.py::y": said("E002"),
    }


def test_a_test_that_is_gone_shows_nothing_any_more():
    """Deleting a test must take its rows with it, also when only another test of the file ran."""
    before = {"a.py::gone": said("E001"), "a.py::left_out": said("E002", "E003")}
    collected = {"a.py::left_out": ["E003", "E004"], "a.py::new": ["E005"]}
    after = requirements.merge(before, {"a.py::new": said("E005")}, collected, ["a.py"])
    assert after == {"a.py::left_out": said("E003"), "a.py::new": said("E005")}


def test_one_test_asked_for_by_name_does_not_remove_its_neighbours():
    """pytest finds only what it was asked for; what it did not look for has not gone."""
    before = {"a.py::neighbour": said("E001")}
    after = requirements.merge(before, {"a.py::asked": said("E002")}, {"a.py::asked": ["E002"]}, [])
    assert requirements.named(after) == {"E001", "E002"}


CASES = {
    "tests/test_a.py": """
        import pytest
        pytestmark = pytest.mark.req("E001")
        @pytest.mark.req("E002")
        def test_good(): assert 1 + 1 == 2
        @pytest.mark.req("E003")
        def test_bad(): assert 1 + 1 == 3
        @pytest.mark.req("E004")
        @pytest.mark.parametrize("n", [1, 2])
        def test_cases(n): assert n == 1
    """,
    "tests/test_b.py": """
        import pytest
        @pytest.mark.req("E999")
        def test_unknown(): assert True is not False
        @pytest.mark.req("E005")
        def test_skipped(): pytest.skip("not here")
        @pytest.fixture
        def leaky():
            yield
            raise RuntimeError("tear-down")
        @pytest.mark.req("E006")
        def test_tears_down_badly(leaky): assert leaky is None
    """,
}


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small checkout with this conftest and the tests of CASES."""
    kept = (
        "tests/conftest.py",
        "tests/requirements.md",
        "eval/__init__.py",
        "eval/requirements.py",
        "docs/not-built.md",
        "pyproject.toml",
    )
    for name in kept:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name, text in CASES.items():
        (tmp_path / name).write_text("\n".join(line[8:] for line in text.splitlines()))
    return tmp_path


def run(house: Path, *words: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    # Only the plugins that matter here: loading the others takes longer than these tests.
    kept.update(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTEST_PLUGINS="xdist.plugin,pytest_timeout")
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=house,
        env=kept,
        capture_output=True,
        text=True,
        timeout=120,
    )


def shown(house: Path) -> set[str]:
    report = requirements.load(house / ".test-report.json")
    assert report is not None
    return requirements.named(report)


def test_what_a_parallel_run_says_is_what_is_counted(house: Path):
    """The workers' findings must reach the one report, and nothing but clean passes count."""
    first = run(house, "pytest", "-q", "-n", "2", "-p", "no:cacheprovider")
    assert first.returncode == 1
    assert "has no row 'E999'" in first.stdout
    assert shown(house) == {"E001", "E002"}


def test_a_filtered_run_neither_shrinks_nor_inflates_the_count(house: Path):
    """-k, one name, a deleted test and a file that no longer imports change only their own."""
    run(house, "pytest", "-q", "-p", "no:cacheprovider")
    first = (house / "tests/test_a.py").read_text()
    run(house, "pytest", "-q", "-p", "no:cacheprovider", "tests/test_a.py", "-k", "bad")
    assert shown(house) == {"E001", "E002"}
    (house / "tests/test_a.py").write_text(first.replace("test_good", "test_other"))
    run(house, "pytest", "-q", "-p", "no:cacheprovider", "tests/test_a.py::test_bad")
    assert shown(house) == {"E001", "E002"}
    run(house, "pytest", "-q", "-p", "no:cacheprovider", "-k", "bad")
    assert shown(house) == set()
    run(house, "pytest", "-q", "-p", "no:cacheprovider", "-k", "other")
    assert shown(house) == {"E001", "E002"}
    (house / "tests/test_a.py").write_text("import nothing_of_that_name\n")
    run(house, "pytest", "-q", "-p", "no:cacheprovider")
    assert shown(house) == set()


def test_before_the_first_report_no_row_is_called_open(monkeypatch, capsys):
    """Hundreds of lines would say of what was never tested that no test holds it."""
    monkeypatch.setattr(requirements, "load", lambda: None)
    assert requirements.main([]) == 1
    assert capsys.readouterr().out == ""


def test_the_command_prints_one_document_and_says_what_is_stale(house: Path):
    """A script that reads the count must not meet a note, nor a person an old count unawares."""
    words = (
        "-c",
        "import sys; from eval import requirements; sys.exit(requirements.main(['--json']))",
    )
    command = [sys.executable, *words]
    absent = subprocess.run(command, cwd=house, capture_output=True, text=True)
    assert absent.returncode == 1
    assert "no test report" in absent.stderr
    run(house, "pytest", "-q", "-p", "no:cacheprovider")
    (house / "tests/test_a.py").touch()
    stale = subprocess.run(command, cwd=house, capture_output=True, text=True)
    counted = json.loads(stale.stdout)
    assert stale.returncode == 0
    assert "stale" in stale.stderr
    assert set(counted) == {"total", "named", "unnamed"}
    # Two rows shown by test_good, six by the page.
    assert counted["total"] == counted["named"] + len(counted["unnamed"])
    assert counted["named"] == 2 + len(requirements.rows(requirements.NOT_BUILT.read_text("utf-8")))
