"""The command line of ``./workbench runs``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from eval.command import CONFIG, OK, ended, failed, parser_of

EPILOG = """\
RUN is a run's id, a beginning of it or of what follows its slash, a capability for its latest run,
or a run's folder. Nothing here opens a sealed part, and nothing is written but the files you name.

0 ok, 2 usage, 3 runs or files that cannot be used, 130 interrupted.
"""


def parser() -> argparse.ArgumentParser:
    made = parser_of("runs", "Look at recorded runs.", EPILOG)
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (says, add) in COMMANDS.items():
        one = commands.add_parser(name, help=says, description=f"{says[:1].upper()}{says[1:]}.")
        one.add_argument("--json", action="store_true", help="one JSON document on stdout")
        add(one)
    return made


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    from eval.runs import work

    try:
        done = work.run(arguments)
    except work.EXPECTED as error:
        return failed("runs", arguments, str(error), CONFIG)
    return OK if done is None else ended("runs", arguments, done)


def _list(one: argparse.ArgumentParser) -> None:
    one.add_argument("capability", nargs="?", help="only its runs")


def _run(one: argparse.ArgumentParser) -> None:
    one.add_argument("run", metavar="RUN", help="a run's id or folder, or a capability")


def _compare(one: argparse.ArgumentParser) -> None:
    one.add_argument("runs", nargs="+", metavar="RUN", help="two or more; each against the first")
    one.add_argument("--max-seconds", type=_positive, metavar="S", help="of one query, on average")
    one.add_argument("--max-cost", type=_positive, metavar="C", help="of one query, on average")
    one.add_argument("--picture", type=Path, metavar="PNG", help="quality against seconds")
    one.add_argument("--by-cost", action="store_true", help="the picture against cost instead")
    one.add_argument("--csv", type=Path, metavar="FILE", help="the first two, query by query")


def _explain(one: argparse.ArgumentParser) -> None:
    _run(one)
    one.add_argument("query", metavar="QUERY", help="its id, whatever that looks like")
    one.add_argument("--even-sealed", action="store_true", help="though it is kept for promotions")


def _ablate(one: argparse.ArgumentParser) -> None:
    _run(one)
    one.add_argument("--selection", metavar="RUN", help="the same queries without selection")
    one.add_argument("--planner", metavar="RUN", help="the same queries without the planner")


def _shadow(one: argparse.ArgumentParser) -> None:
    one.add_argument("traces", metavar="TRACES", help="a file of traces, or a run")
    one.add_argument("--config", required=True, type=Path, metavar="FILE", help="a tuned file")
    one.add_argument("--orders", type=Path, metavar="FILE", help="both orders of each call, JSONL")


def _switch_off(one: argparse.ArgumentParser) -> None:
    one.add_argument("runs", nargs="+", metavar="RUN", help="three recordings with the model")
    one.add_argument("--without", metavar="RUN", help="a recording without it (else a replay)")
    one.add_argument("--judging", type=Path, metavar="FILE", help="where deciding pairs are put")


def _margin(one: argparse.ArgumentParser) -> None:
    one.add_argument("capability", help="whose margin it is")
    one.add_argument(
        "value", nargs="?", type=_positive, metavar="LOSS", help="what may be lost of nDCG@10"
    )


def _mcp(one: argparse.ArgumentParser) -> None:
    one.epilog = "Serves list_runs, compare_runs and explain_result over stdio, reading only."


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return value


COMMANDS = {
    "list": ("which runs there are, the latest first", _list),
    "show": ("what a run was made of and what came of it", _run),
    "compare": ("runs beside each other, with their price", _compare),
    "explain": ("why the results of a query stand where they stand", _explain),
    "ablate": ("what each step is worth", _ablate),
    "shadow": ("what another revision would have shown on the same calls", _shadow),
    "switch-off": ("may the model be switched off: yes, no, or cannot tell", _switch_off),
    "margin": ("the loss that switching off may cost, set before recording", _margin),
    "mcp": ("read-only MCP tools over stdio", _mcp),
}
