"""A notebook's kernel is this environment, whatever the user has in their own folders."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.doorstep.checkout import ROOT, load

ASK = """
import json
from jupyter_client import KernelManager
from eval import measures
print(json.dumps([KernelManager(kernel_name="python3").format_kernel_cmd()[0], measures.__file__]))
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose owner has a kernel called python3 and, in the current folder, an eval.py."""
    kernel = tmp_path / ".local" / "share" / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    spec = {"argv": ["/bin/false"], "display_name": "mine", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec))
    (tmp_path / "eval.py").write_text("raise SystemExit('the wrong eval')")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def ask(home: Path, **changes: str) -> list[str]:
    """[the kernel's program, the workbench's file] in what ./workbench hands to its programs."""
    environment = {**load(ROOT / "workbench").environment(), **changes}
    command = [sys.executable, "-P", "-c", ASK]
    return json.loads(subprocess.check_output(command, cwd=home, env=environment))


def test_kernel_and_workbench_are_those_of_the_environment(home: Path):
    """Another kernel called python3 would run the notebook without a package it needs."""
    assert ask(home) == [sys.executable, str(ROOT / "eval" / "measures" / "__init__.py")]


def test_without_the_setting_the_users_kernel_would_be_taken(home: Path):
    """Were this not so, the test above would show nothing."""
    assert ask(home, JUPYTER_PREFER_ENV_PATH="0")[0] == "/bin/false"


def test_the_cells_of_a_notebook_run_in_order_in_one_kernel(home: Path, monkeypatch):
    """Spread over workers, a cell would not know what the cell before it said."""
    (home / "notebooks").mkdir()
    for name in ("a", "b"):
        cells = [nbformat.v4.new_code_cell(line) for line in ("x = 1", "x += 1", "assert x == 2")]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), home / "notebooks" / f"{name}.ipynb")
    monkeypatch.chdir(home)
    script = load(ROOT / "workbench")
    script.ROOT = str(home)
    words = script.pytest_words()
    command = [sys.executable, "-P", "-m", *words, "-n", "2", "-q", "notebooks"]
    done = subprocess.run(
        command, cwd=home, env=script.environment(), capture_output=True, text=True
    )
    assert "6 passed" in done.stdout, done.stdout
