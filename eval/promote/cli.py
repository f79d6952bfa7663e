"""The command line of ``./workbench promote``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from eval.command import USAGE, catalog, code_of, ended, failed, of_system, parser_of, shown
from eval.whole import write_whole

FORMS = ("opensearch-pipeline", "elastic-linear", "json")

EPILOG = """\
DECISION is a run's folder or id or a beginning of it, a capability for its latest run, or a tuned
or candidate file; without one it is the latest decision there is. `tune` promotes by itself; this
does it again after a rollback, or in another folder of esra's, and writes the weights for other
engines.

Several DECISIONs of different capabilities are one promotion with several claims: only those that
stand beside the others (Holm) are written.

What its evidence does not carry is not promoted, and no option changes that.

0 done, 1 the decision was for no change, 2 usage, 3 a file, catalog or ledger that does not fit,
4 a model away.
"""


def parser() -> argparse.ArgumentParser:
    made = parser_of(
        "promote",
        "Let a decision order: write it as a tuned revision, or for another engine.",
        EPILOG,
    )
    made.add_argument(
        "decisions",
        nargs="*",
        metavar="DECISION",
        help="a decision's folder, id or file (default: the latest)",
    )
    made.add_argument(
        "--as", dest="form", choices=FORMS, help="write fusion weights instead of a revision"
    )
    made.add_argument("-o", "--output", type=Path, metavar="FILE", help="with --as, not stdout")
    made.add_argument("--catalog", type=catalog, metavar="FILE|NAME", help="the capability's")
    made.add_argument("--json", action="store_true", help="one JSON document on stdout")
    made.add_argument("--quiet", action="store_true", help="no notes on stderr")
    return made


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    if arguments.output and not arguments.form:
        return failed(
            "promote", arguments, "--output goes with --as: a revision has its own place", USAGE
        )
    if arguments.form and len(arguments.decisions) > 1:
        return failed("promote", arguments, "--as writes the weights of one decision", USAGE)
    from eval.promote import work

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        done = work.run(arguments)
        if arguments.output:
            write_whole(arguments.output, f"{done.text}\n".encode())
    except OSError as error:
        return _refused(arguments, of_system(error), code_of(error, work.CODES))
    except tuple(work.CODES) as error:
        return _refused(arguments, str(error), code_of(error, work.CODES))
    if not arguments.quiet:
        for note in done.notes:
            print(f"promote: {note}", file=sys.stderr)
    if arguments.output and not arguments.json:
        return done.code
    return ended("promote", arguments, done)


def _refused(arguments: argparse.Namespace, why: str, code: int) -> int:
    """A refusal is an answer to what was asked, and has that answer's form."""
    if arguments.json:
        shown("promote", json.dumps({"promoted": False, "why": why}))
    print(f"promote: {why}", file=sys.stderr)
    return code
