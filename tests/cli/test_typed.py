"""A message names a command the way its reader can type it."""

import re
import sys
from pathlib import Path

import pytest

from esra import typed as naming
from esra.typed import typed

ROOT = Path(__file__).parents[2]
# A command of esra's in backticks or after "next:", as messages name them; `./workbench esra` too.
NAMED = re.compile(r"(?:`|next: |then: )esra (?:init|retrieve|serve|mcp|doctor|audit|config|draft)")


@pytest.mark.parametrize(
    ("program", "checkout", "said"),
    [
        ("/checkout/esra/__main__.py", True, "./workbench esra doctor"),
        ("/checkout/eval/__main__.py", True, "./workbench esra doctor"),
        ("/checkout/.venv/bin/esra", True, "esra doctor"),
        ("/usr/bin/esra", False, "esra doctor"),
        ("C:\\Scripts\\esra.exe".replace("\\", "/"), False, "esra doctor"),
        ("/site-packages/esra/__main__.py", False, "esra doctor"),
    ],
)
def test_a_command_is_named_as_it_was_started(program, checkout, said, tmp_path, monkeypatch):
    """The user of a checkout would type what a message says, and read "command not found"."""
    workbench = tmp_path / "workbench"
    if checkout:
        workbench.touch()
    monkeypatch.setattr(naming, "_WORKBENCH", workbench)
    monkeypatch.setattr(sys, "argv", [program])
    assert typed("doctor") == said


def spoken(source: str) -> list[str]:
    """The lines of a module that name a command outright; docstrings and comments may."""
    code = re.sub(r'"""[\s\S]*?"""|#.*', "", source)
    return NAMED.findall(code)


def test_no_message_names_a_command_outright():
    """One message would lead where the others do not."""
    wrong = {
        str(file.relative_to(ROOT)): found
        for file in sorted((ROOT / "esra").rglob("*.py"))
        if (found := spoken(file.read_text("utf-8")))
    }
    assert wrong == {}


def test_a_planted_message_is_found():
    """The check would hold nothing."""
    assert spoken('say("run `esra doctor`")') == ["`esra doctor"]
    assert spoken('say(f"next: esra retrieve {slug}")') == ["next: esra retrieve"]
    assert spoken('"""``esra doctor``: a page"""  # `esra doctor`') == []
