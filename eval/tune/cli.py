"""The command line of ``./workbench tune``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from eval.command import USAGE, carried_out, count, failed, parser_of

EPILOG = """\
without arguments    the documentation of the installed scientific packages, made into labelled
                     queries at first use
--name N --data D .. your own labelled folders, each one source: corpus.jsonl, queries.jsonl,
                     qrels.tsv; --name and --data again are a further capability, and all of
                     them one promotion: only claims that stand together (Holm) are written
--runs L S --qrels Q two TREC runs and their judgements: no database, no model

A refusal to promote is a result: exit code 0. 1 a notebook did not complete, or none of the
named numbers can be learned from these labels, 2 usage,
3 configuration or data, 4 database or model, 5 degraded recordings (with --fail-on-degraded),
130 interrupted.
"""


def parser() -> argparse.ArgumentParser:
    made = parser_of(
        "tune", "Tune how much meaning weighs against words, and say how sure that is.", EPILOG
    )
    made.add_argument(
        "--name", action="append", help="the capability's name; its tool is esra_NAME"
    )
    made.add_argument(
        "--data", action="append", nargs="+", type=Path, metavar="DIR", help="labelled folders"
    )
    made.add_argument(
        "--runs", nargs=2, type=Path, metavar=("LEXICAL", "SEMANTIC"), help="two TREC runs instead"
    )
    made.add_argument("--qrels", type=Path, help="judgements of the runs")
    made.add_argument("--queries", type=count, metavar="N", help="at most N queries")
    made.add_argument(
        "--select",
        choices=["all", "local", "statistics"],
        default="all",
        help="who chooses the sources of a question (default all)",
    )
    made.add_argument(
        "--rerank",
        choices=["local", "none"],
        default="local",
        help="who orders by meaning (default local)",
    )
    made.add_argument(
        "--parameter",
        action="append",
        metavar="NAME",
        help="tune this number instead of the semantic share: bonus, priority:SOURCE, "
        "half-life:SOURCE, ceiling:SOURCE, shortlist, ..., or all; several are climbed together",
    )
    made.add_argument(
        "--as-asked",
        action="store_true",
        help="the queries are mixed over the sources as callers mix them; without this, or a "
        "number `traffic` with every query, no priority is tuned",
    )
    made.add_argument("--k", type=count, default=10, help="depth of nDCG@k (default 10)")
    made.add_argument("--explore", action="store_true", help="open nothing, promote nothing")
    made.add_argument(
        "--no-notebooks", action="store_true", help="no notebooks and no first picture"
    )
    made.add_argument(
        "--fail-on-degraded", action="store_true", help="exit 5 when recordings are degraded"
    )
    made.add_argument("--json", action="store_true", help="one JSON document on stdout")
    made.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return made


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    wrong = _misuse(arguments)
    if wrong:
        return failed("tune", arguments, wrong, USAGE)
    from eval.tune import work

    return carried_out("tune", arguments, work.run, work.CODES)


def _misuse(arguments: argparse.Namespace) -> str:
    if arguments.runs and arguments.data:
        return "--runs and --data do not go together"
    if bool(arguments.runs) != bool(arguments.qrels):
        return "--runs and --qrels go together: --runs LEXICAL SEMANTIC --qrels FILE"
    names, folders = len(arguments.name or ()), len(arguments.data or ())
    if folders > names:
        return "--data needs --name: what the capability is to be called"
    if arguments.parameter and not arguments.data:
        return "--parameter needs --name and --data: the numbers of that capability are tuned"
    if names > (1 if arguments.runs else folders):
        return "--name needs --data DIR [DIR ...], each its own"
    if arguments.parameter and names > 1:
        return "--parameter tunes the numbers of one capability: give one --name"
    return ""
