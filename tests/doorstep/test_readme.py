"""What the README tells people to type is what the commands take."""

from __future__ import annotations

import re
import shlex

import pytest

from esra.cli import parser as runtime_parser
from eval.__main__ import COMMANDS
from eval.tune.cli import parser
from tests.doorstep.checkout import ROOT

README = (ROOT / "README.md").read_text("utf-8")
HELP = re.search(r'HELP = """(.*?)"""', (ROOT / "workbench").read_text("utf-8"), re.DOTALL)
NAMED = set(re.findall(r"^  ([a-z-]+)   ", HELP.group(1), re.MULTILINE)) if HELP else set()

BLOCKS = re.findall(r"^```\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
LINES = [shlex.split(line) for block in BLOCKS for line in block.splitlines()]
INLINE = [shlex.split(code) for code in re.findall(r"`(\./workbench [^`]+)`", README)]


def test_help_lists_the_commands_there_are():
    """A command that no help names is found by nobody; one that only help names does not run."""
    assert {*COMMANDS, "test", "lab", "esra"} == NAMED


@pytest.mark.parametrize("words", [*LINES, *INLINE], ids=" ".join)
def test_a_line_of_the_readme_is_one_the_command_takes(words: list[str]):
    """The first thing a newcomer does is to paste it."""
    assert words[0] == "./workbench"
    assert words[1] in {*NAMED, "--help"}
    if words[1] == "tune":
        assert parser().parse_args(words[2:])
    if words[1] == "esra" and words[2:] != ["--help"]:
        assert runtime_parser().parse_args(words[2:])


def test_the_readme_shows_the_two_commands_and_ones_own_labels():
    """Without these three lines nobody gets started."""
    shown = {" ".join(words[:3]) for words in LINES}
    assert {"./workbench tune", "./workbench test", "./workbench tune --name"} <= shown
