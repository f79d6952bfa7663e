"""`python -m eval.notebooks run | check | refresh`: notebooks from the command line.

Exit codes: 0 done, 1 a finding or a cell that failed, 2 a wrong parameter or no notebook.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from eval.notebooks.check import check
from eval.notebooks.parameters import from_text
from eval.notebooks.pictures import SHIPPED
from eval.notebooks.refresh import refresh
from eval.notebooks.runner import parameters_of, run
from eval.notebooks.trouble import BadParameter, NotebookError, NotebookFailed


def main(words: list[str] | None = None) -> int:
    given = _parser().parse_args(words)
    try:
        return given.do(given)
    except (NotebookError, NotebookFailed) as trouble:
        print(trouble, file=sys.stderr)
        return 1 if isinstance(trouble, NotebookFailed) else 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m eval.notebooks", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")
    one = _command(commands, "run", "run one notebook with parameters", _run)
    one.add_argument("notebook", type=Path)
    one.add_argument("out", type=Path, help="where the produced notebook goes")
    one.add_argument("-p", action="append", default=[], metavar="NAME=VALUE", dest="parameters")
    for name, what, do in (
        ("check", "say what is wrong with shipped notebooks", _check),
        ("refresh", "run shipped notebooks and store their outputs", _refresh),
    ):
        many = _command(commands, name, what, do)
        many.add_argument("notebooks", type=Path, nargs="*", help="all shipped ones, unless named")
    return parser


def _command(commands, name: str, what: str, do: Callable) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=what)
    parser.set_defaults(do=do)
    return parser


def _run(given: argparse.Namespace) -> int:
    pairs = [text.partition("=") for text in given.parameters]
    if any(not equals for _, equals, _ in pairs):
        raise BadParameter("-p takes NAME=VALUE")
    values = from_text(parameters_of(given.notebook), {name: value for name, _, value in pairs})
    done = run(given.notebook, given.out, values)
    print(f"{done.notebook}: {done.cells} cells completed", file=sys.stderr)
    return 0


def _check(given: argparse.Namespace) -> int:
    problems = [
        f"{notebook.name}: {problem}" for notebook in _named(given) for problem in check(notebook)
    ]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def _refresh(given: argparse.Namespace) -> int:
    for notebook in _named(given):
        refresh(notebook)
    return 0


def _named(given: argparse.Namespace) -> list[Path]:
    return given.notebooks or sorted(SHIPPED.glob("*.ipynb"))


if __name__ == "__main__":
    raise SystemExit(main())
