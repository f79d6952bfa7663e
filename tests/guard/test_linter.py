"""The same walls as import-linter sees them, which follows imports through other modules."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.guard.house import ROOT

LINT = """
import sys
from importlinter.cli import lint_imports
sys.exit(lint_imports(no_cache=True, no_logo=True))
"""


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """Exit code 0 if every contract of ``root``'s pyproject.toml is kept."""
    return subprocess.run(
        [sys.executable, "-P", "-c", LINT], cwd=root, capture_output=True, text=True
    )


# File -> what is planted in it -> the contract that forbids it.
PLANTED = [
    ("esra/domain/plan.py", "from esra import scoring", "Floors"),
    ("esra/stages/select.py", "from esra.stages import respond", "Stages never"),
    ("esra/stages/select.py", "import pandas", "The runtime"),
    ("esra/stages/select.py", "from esra import _stamp", "Only the validator"),
    ("esra/llm/local.py", "from esra import _check", "Only the provider base"),
    ("esra/ledger.py", "from esra import _key", "Only the stamp"),
    ("esra/cli/retrieve.py", "from esra.providers import postgres", "Only the wiring"),
    ("esra/scoring.py", "import psycopg", "Pure rooms"),
]


def broken(done: subprocess.CompletedProcess[str]) -> set[str]:
    """The contracts a run calls broken."""
    return {line.split(" BROKEN")[0] for line in done.stdout.splitlines() if " BROKEN" in line}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("esra", "eval"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_every_contract_is_kept():
    """An indirect import through a harmless module is still an import."""
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout


def test_every_contract_can_be_broken(copy: Path):
    """A contract that names a module wrongly is kept for ever."""
    for file, line, _ in PLANTED:
        with (copy / file).open("a") as source:
            source.write(f"\n{line}\n")
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    assert broken(lint(copy)) == {contract["name"] for contract in contracts}
    assert all(
        any(contract["name"].startswith(name) for _, _, name in PLANTED) for contract in contracts
    )


def test_a_room_without_a_floor_is_found(copy: Path):
    """A new folder must choose its floor before anything can lean on it."""
    (copy / "esra" / "attic.py").write_text("x = 1\n")
    assert broken(lint(copy)) == {
        "Floors: a room imports only what lies below it, and no neighbour"
    }
