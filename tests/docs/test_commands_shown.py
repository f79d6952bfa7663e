"""What a page tells people to type is what the command takes, whichever page it is."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import shlex
from pathlib import Path

import pytest

from esra.cli import parser as runtime
from eval.__main__ import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "ARCHITECTURE.md", *(f"docs/{page.name}" for page in ROOT.glob("docs/*.md")))
LAUNCHERS = {"test", "lab"}  # their arguments are pytest's and JupyterLab's
BLOCK = re.compile(r"^```\n(.*?)^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`((?:\./workbench|esra) [^`]+)`")
# A form with choices in it, such as `verify [NAME]`, and a word that stands for several.
FORM = re.compile(r"[\[\]]|\.\.\.|…")
# A command that is only named lacks words, and `--format NAME` stands for any name.
UNFINISHED = re.compile(r"arguments are required|expected one argument|'[A-Z]+'")


def shown(text: str) -> list[str]:
    """The commands of a page; three blanks part one from what is said of it."""
    lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
    typed = [line for line in lines if line.startswith(("./workbench ", "esra "))]
    cut = [re.split(r" {3,}|  #", line)[0] for line in [*typed, *INLINE.findall(text)]]
    return [line for line in dict.fromkeys(cut) if not FORM.search(line)]


def refusal(line: str) -> str:
    """What is wrong with a command; "" where it would be taken."""
    _, *words = (["./workbench"] if line.startswith("esra ") else []) + shlex.split(line)
    if words[0] in LAUNCHERS or words[0].startswith("--"):
        return ""
    if words[0] not in {"esra", *COMMANDS}:
        return f"no command {words[0]}"
    own = runtime() if words[0] == "esra" else importlib.import_module(COMMANDS[words[0]]).parser()
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            own.parse_args(words[1:])
    except SystemExit as left:
        why = said.getvalue().splitlines()[-1] if left.code else ""
        return "" if UNFINISHED.search(why) else why
    return ""


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_is_taken(page):
    """A reader would paste a line and be told that there is no such option."""
    found = {line: refusal(line) for line in shown((ROOT / page).read_text("utf-8"))}
    assert {line: why for line, why in found.items() if why} == {}


def test_a_planted_command_is_found():
    """The check would pass by what it is for."""
    page = (
        "`./workbench tune --shares 3` and `esra doctor`\n\n```\n./workbench gat x   says so\n```\n"
    )
    found = [refusal(line) for line in shown(page)]
    assert found[0] == "no command gat"
    assert "--shares" in found[1]
    assert found[2] == ""
