"""The command line of ``./workbench gate``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from eval.command import USAGE, carried_out, catalog, failed, parser_of

EPILOG = """\
RUN is a run's id (`./workbench runs list`), a capability for its latest run, or a run's folder.

  ./workbench gate --save main help_desk          keep the latest run's figures under a name
  ./workbench gate --baseline main help_desk      has it got worse since?

0 the gate is open, 1 shut, 2 usage, 3 runs that cannot be compared, 4 a source away (--catalog),
130 interrupted. No sealed part is opened, whatever is asked.
"""


def parser() -> argparse.ArgumentParser:
    made = parser_of("gate", "Hold a run against a named baseline, for a build.", EPILOG)
    made.add_argument("run", nargs="?", metavar="RUN", help="what is held (see below)")
    made.add_argument("--baseline", metavar="NAME", help="compare with this one")
    made.add_argument("--save", metavar="NAME", help="keep RUN as this baseline, and do no more")
    made.add_argument("--baselines", type=Path, metavar="DIR", help="where the baselines are")
    made.add_argument("--config", type=Path, metavar="FILE", help="order RUN by this tuned file")
    made.add_argument(
        "--floor", type=_floor, action="append", default=[], metavar="nDCG@10=.5",
        help="the least mean of a measure; may be repeated",
    )  # fmt: skip
    made.add_argument(
        "--max-drop", type=_share, default=0.01, metavar="X", help="loss that is borne (.01)"
    )
    made.add_argument("--segments", action="store_true", help="no segment may lose more either")
    made.add_argument("--strict", action="store_true", help="a loss that may be there is one")
    made.add_argument("--canaries", type=Path, metavar="FILE", help="what nobody may be shown")
    made.add_argument("--catalog", type=catalog, metavar="FILE|NAME", help="ask a live house too")
    made.add_argument(
        "--questions", type=Path, metavar="FILE",
        help="a queries.jsonl to ask it with, where the recording keeps no text",
    )  # fmt: skip
    made.add_argument("--junit", type=Path, metavar="FILE", help="the checks as JUnit XML, too")
    made.add_argument("--markdown", type=Path, metavar="FILE", help="the report as Markdown, too")
    made.add_argument("--json", action="store_true", help="one JSON document on stdout")
    made.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return made


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    wrong = _misuse(arguments)
    if wrong:
        return failed("gate", arguments, wrong, USAGE)
    from eval.gate import work

    return carried_out("gate", arguments, work.run, work.CODES)


def _misuse(arguments: argparse.Namespace) -> str:
    if arguments.save and arguments.baseline:
        return "--save keeps a baseline, --baseline holds against one: one at a time"
    if arguments.save and not arguments.run:
        return "--save needs RUN: which figures are to be kept"
    asked = (arguments.save, arguments.baseline, arguments.floor, arguments.canaries)
    if not any((*asked, arguments.catalog)):
        return "nothing to hold: give --baseline NAME, --floor, --canaries or --catalog"
    if not arguments.baseline and not arguments.run:
        return "name a RUN, or a --baseline whose capability's latest run is meant"
    for path in filter(None, (arguments.junit, arguments.markdown)):
        if not path.parent.is_dir():
            return f"{path}: its folder is not there"
    if arguments.questions and not arguments.catalog:
        return "--questions go with --catalog: a recording is not asked again"
    if (arguments.segments or arguments.strict) and not arguments.baseline:
        return "--segments and --strict need --baseline NAME to compare with"
    return ""


def _floor(text: str) -> tuple[str, float]:
    name, equals, least = text.rpartition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not MEASURE=NUMBER, as in nDCG@10=.5")
    return name, _share(least)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 1")
    return value
