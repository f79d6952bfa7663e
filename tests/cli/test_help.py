"""Whoever asks a command for help is told what every word and option of it means."""

import argparse
import importlib
from collections.abc import Iterator

import pytest

from esra.cli import parser as runtime
from eval.__main__ import COMMANDS


def unexplained(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The arguments without a text, those of all subcommands among them."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for own in dict.fromkeys(action.choices.values()):
                yield from unexplained(own)
        elif not (action.help or "").strip() or action.help == argparse.SUPPRESS:
            yield f"{parser.prog}: {', '.join(action.option_strings) or action.dest}"


def test_every_option_of_the_runtime_is_explained():
    """An operator would try an option out to learn what it does."""
    assert list(unexplained(runtime())) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_the_workbench_is_explained(name):
    """A number of the search would be changed by somebody who guessed what it is."""
    parser = importlib.import_module(COMMANDS[name]).parser()
    assert parser.prog == f"./workbench {name}"
    assert list(unexplained(parser)) == []
    assert parser.format_help()  # a lone % in a text ends the command


def test_a_planted_option_is_found():
    """The walk would pass by what it is for."""
    made = argparse.ArgumentParser(prog="made")
    made.add_argument("--told", help="said")
    made.add_argument("--empty", help=" ")
    own = made.add_subparsers().add_parser("own", help="said", aliases=["same"])
    own.add_argument("file")
    own.add_argument("-o", "--out")
    own.add_argument("--hidden", help=argparse.SUPPRESS)
    found = list(unexplained(made))
    assert found == ["made: --empty", "made own: file", "made own: -o, --out", "made own: --hidden"]
