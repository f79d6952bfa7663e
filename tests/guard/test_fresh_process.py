"""What a new process has loaded after importing the runtime: a proof that no text can give."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

WORKBENCH = {
    "eval",
    "pandas",
    "matplotlib",
    "sklearn",
    "scipy",
    "papermill",
    "nbval",
    "nbformat",
    "nbclient",
    "IPython",
    "ipykernel",
    "jupyterlab",
    "jupyter_client",
    "jupyter_core",
    "ipywidgets",
    "ir_measures",
    "pytest",
    "hypothesis",
}
VENDORS = {
    "openai",
    "notion_client",
    "nango",
    "opensearchpy",
    "elasticsearch",
    "googleapiclient",
    "boto3",
    "slack_sdk",
}
VENDOR_WORDS = ("broker", "nango", "notion")

# CPU seconds of the import alone: numpy, psycopg and pydantic are about half of it.
BUDGET = 1.0


def loaded(*statements: str) -> tuple[set[str], float]:
    """All modules of a fresh process after the statements, and the CPU seconds these took."""
    code = "\n".join(
        [
            "import json, sys, time",
            "started = time.process_time()",
            *statements,
            "print(json.dumps([sorted(sys.modules), time.process_time() - started]))",
        ]
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    names, seconds = json.loads(done.stdout)
    return set(names), seconds


def strangers(names: set[str]) -> set[str]:
    """Modules that belong to the workbench, to a vendor or to the import lane."""
    tops = {name.split(".")[0] for name in names} & (WORKBENCH | VENDORS)
    lanes = {
        name
        for name in names
        if name.startswith("esra.ingest") or any(word in name for word in VENDOR_WORDS)
    }
    return tops | lanes


@pytest.mark.parametrize("module", ["esra", "esra.pipeline", "esra.cli", "esra.wiring"])
def test_a_fresh_process_meets_neither_workbench_nor_vendor(module: str):
    """A server that loads pandas or a vendor's client has a wider door than anybody reviewed."""
    names, _ = loaded(f"import {module}")
    assert strangers(names) == set()


def test_a_planted_stranger_is_found():
    """Also one that no import statement shows."""
    names, _ = loaded(
        "import esra.pipeline", "import importlib", "importlib.import_module('py' + 'test')"
    )
    assert "pytest" in strangers(names)
    assert strangers({"esra.ingest.files", "acme.notion_content"}) == {
        "esra.ingest.files",
        "acme.notion_content",
    }


@pytest.mark.parametrize("module", ["esra.pipeline", "esra.cli"])
def test_the_runtime_imports_fast(module: str):
    """A command a person types must answer before they wonder whether it hangs."""
    assert min(loaded(f"import {module}")[1] for _ in range(2)) < BUDGET
