"""The command line of ``./workbench record``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from eval.command import USAGE, amount, carried_out, catalog, count, failed, parser_of
from eval.recording.claims import claim, stated

EPILOG = """\
--name N --data D ..            labelled folders, each one source, loaded into the database
--catalog C --data D ..         the same folders' labels over sources that a catalog has already;
                                a folder's name is its source's id
--catalog C --questions F       a queries.jsonl over a catalog; --qrels judges its documents

Before the first question stands what the recording is expected to cost. A recording that was cut
off goes on where it stopped; answers of a language model are kept (under the retention classes
full and keyed_hash), so that none is paid for twice.

0 recorded whole, 2 usage, 3 configuration or data, 4 database or model, 5 partial: a limit was
reached, or a source or model failed on some questions; the same command goes on. 130 interrupted.
"""


def parser() -> argparse.ArgumentParser:
    made = parser_of(
        "record",
        "Ask labelled questions through the real pipeline and keep what it decided.",
        EPILOG,
    )
    add = made.add_argument
    add("--name", help="the capability's name; its tool is esra_NAME")
    add("--data", nargs="+", type=Path, metavar="DIR", help="labelled folders")
    add("--catalog", type=catalog, metavar="FILE|NAME", help="over its sources, as they are")
    add("--exposure", metavar="SLUG", help="which of the catalog's exposures is asked")
    add("--questions", type=Path, metavar="FILE", help="queries.jsonl")
    add("--qrels", type=Path, metavar="FILE", help="judgements of the questions")
    add("--queries", type=count, metavar="N", help="at most N queries")
    add("--arm", help="what the recording is called in reports")
    add("--select", choices=["all", "local", "statistics", "model"], help="who chooses sources")
    add("--plan", choices=["template", "local", "model"], help="who chooses the words to search")
    add("--rerank", choices=["none", "local", "model"], help="who orders by meaning")
    add(
        "--shortlist",
        type=count,
        metavar="N",
        help="candidates a reranker sees",
    )
    add(
        "--claim",
        dest="claims",
        action="append",
        default=[],
        type=claim,
        metavar="NAME=VALUE",
        help="of the caller, as a record filter names it; again: a further value or claim",
    )
    add("--as-of", action="store_true", help="take out what is dated after a query's own date")
    add("--retention", choices=["full", "keyed_hash", "redacted", "none"], help="of prompts")
    add("--repeat", type=count, default=1, metavar="N", help="recordings; 2 or more: noise floor")
    add("--parallel", type=count, default=2, metavar="N", help="questions at a time (default 2)")
    add("--delay", type=amount, default=0.0, metavar="S", help="seconds between two beginnings")
    add("--max-calls", type=count, metavar="N", help="calls of a model; then stop, to be resumed")
    add("--max-tokens", type=count, metavar="N", help="tokens in and out")
    add("--max-cost", type=amount, metavar="X", help="in the unit of the catalog's price")
    add("--k", type=count, default=10, help="depth of nDCG@k (default 10)")
    add("--out", type=Path, metavar="DIR", help="the run folder (default: by what it depends on)")
    add("--dry-run", action="store_true", help="load, say what it will cost, and stop")
    add("--json", action="store_true", help="one JSON document on stdout")
    add("--quiet", action="store_true", help="no progress on stderr")
    return made


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    wrong = _misuse(arguments)
    if wrong:
        return failed("record", arguments, wrong, USAGE)
    from eval.recording import work

    return carried_out("record", arguments, work.run, work.CODES)


def _misuse(arguments: argparse.Namespace) -> str:
    if bool(arguments.data) == bool(arguments.questions):
        return "one of --data DIR [DIR ...] and --questions FILE says what to ask"
    if arguments.questions and not arguments.catalog:
        return "--questions needs --catalog FILE: what is to be searched"
    if arguments.qrels and not arguments.questions:
        return "--qrels goes with --questions; folders bring their own"
    if bool(arguments.name) == bool(arguments.catalog):
        return "one of --name N (folders are loaded) and --catalog FILE (sources are there already)"
    if arguments.exposure and not arguments.catalog:
        return "--exposure goes with --catalog"
    try:
        stated(arguments.claims)
    except ValueError as error:
        return str(error)
    return ""
