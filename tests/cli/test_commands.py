"""The table of subcommands: each has its words, and none costs anything until it runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from esra.cli import main, parser
from esra.cli.commands import COMMANDS
from esra.typed import typed

# What a subcommand may need once it runs, and `--help` must not wait for.
HEAVY = ("psycopg", "pydantic", "numpy", "cryptography", "starlette", "mcp", "httpx")


def test_no_two_commands_share_a_name():
    """The second would hide the first."""
    names = [command.name for command in COMMANDS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_says_what_it_does(command, capsys):
    """Somebody who asks for help would read an empty page."""
    assert command.help
    with pytest.raises(SystemExit) as left:
        main([command.name, "--help"])
    assert left.value.code == 0
    assert command.description.split(".")[0][:20] in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("words", [[], ["nonsense"], ["retrieve"], ["draft"], ["doctor", "x"]])
def test_what_is_no_command_is_a_matter_of_usage(words, capsys):
    """A script would take a misspelt command for an answer."""
    with pytest.raises(SystemExit) as left:
        parser().parse_args(words)
    assert left.value.code == 2
    assert f"usage: {typed()}" in capsys.readouterr().err


def test_help_waits_for_nothing():
    """A person types --help and wonders whether it hangs."""
    asked = (
        "import sys, json; from esra.cli import parser; parser().format_help();"
        f" print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    took = []
    for _ in range(3):
        before = _seconds_of_children()
        done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
        took.append(_seconds_of_children() - before)
    assert json.loads(done.stdout) == []
    assert min(took) < 0.5


def _seconds_of_children() -> float:
    """On a processor: what else is running on a busy machine makes nobody's --help slower."""
    used = os.times()
    return used.children_user + used.children_system
