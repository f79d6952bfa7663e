"""The command line of ``./workbench import``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from eval.command import count
from eval.exchange import command
from eval.exchange.names import READ, Name
from eval.exchange.summary import Summary
from eval.formats.columns import score_of

EPILOG = """\
FILE is a file of judgements, a BEIR folder, or irds:ID for a data set of ir-datasets. Its format is
guessed where the content leaves no doubt. Formats and what each carries: docs/formats.md.

The folder can be tuned on: ./workbench tune --name NAME --data FOLDER

0 ok, 1 something is missing or ambiguous (with --strict), 2 usage, 3 files that cannot be used,
4 ir-datasets is not installed, 130 interrupted.
"""


def parser() -> argparse.ArgumentParser:
    made = command.parser("import", "Make a labelled folder of another tool's judgements.", EPILOG)
    made.add_argument("file", metavar="FILE", help="what is to be read (see below)")
    made.add_argument(
        "--to", required=True, type=Path, metavar="FOLDER", help="the labelled folder to make"
    )
    made.add_argument(
        "--add", action="store_true", help="keep the labels that FOLDER has, and add these"
    )
    made.add_argument("--format", choices=READ, help="what FILE is (default: guessed)")
    made.add_argument("--id-map", metavar="CSV|TEMPLATE", help="judged id to record key")
    made.add_argument("--corpus", type=Path, help="documents, a file or a folder that holds them")
    made.add_argument("--queries", type=Path, help="queries with their ids: .jsonl, .csv or .tsv")
    made.add_argument(
        "--rule",
        choices=["optimistic", "pessimistic", "mean", "majority"],
        help="how several raters become one grade (default mean)",
    )
    made.add_argument(
        "--cuts", type=_cuts, metavar="A,B,..", help="values from which the grade is 1, 2, .."
    )
    made.add_argument("--no-carry", action="store_true", help="judge no copy by its original")
    made.add_argument("--depth", type=count, help="of clicks: deepest place")
    made.add_argument("--id-key", type=Path, help="key for ids of queries that have none")
    made.add_argument(
        "--from-spreadsheet", action="store_true", help="the file was exported --for-spreadsheet"
    )
    command.matching_options(made)
    return made


def _cuts(text: str) -> tuple[float, ...]:
    cuts = [score_of(cut) for cut in text.split(",")]
    told = [cut for cut in cuts if cut is not None]
    if len(told) < len(cuts) or told != sorted(set(told)):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of rising numbers, as in 0.5,1,2")
    return tuple(told)


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    return command.finish("import", arguments, lambda: _work(arguments))


def _work(arguments: argparse.Namespace) -> Summary:
    from eval.exchange.formats import How
    from eval.exchange.guess import guess
    from eval.exchange.idmap import id_map
    from eval.exchange.importing import import_labels
    from eval.exchange.incoming import Wish
    from eval.exchange.keyed import key_file, read_key
    from eval.exchange.runs import import_run
    from eval.formats.gather import OnConflict
    from eval.labels.settle import Rule, Settling

    name = Name(arguments.format) if arguments.format else guess(arguments.file)
    chosen = None
    if arguments.rule or arguments.cuts:
        chosen = Settling(rule=Rule(arguments.rule or "mean"), cuts=arguments.cuts or ())
    wish = Wish(
        given=arguments.file,
        name=name,
        target=arguments.to,
        how=How(
            on_conflict=OnConflict(arguments.on_conflict),
            spreadsheet=arguments.from_spreadsheet,
            deepest=arguments.depth,
        ),
        key=lambda: read_key(arguments.id_key or key_file()),
        mapped=id_map(arguments.id_map) if arguments.id_map else None,
        queries=arguments.queries,
        corpus=arguments.corpus,
        settling=chosen,
        carrying=not arguments.no_carry,
        force=arguments.force,
        adding=arguments.add,
    )
    return import_run(wish) if name is Name.TREC_RUN else import_labels(wish)
