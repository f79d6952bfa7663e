"""The command line of ``./workbench export``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from eval.command import USAGE, failed
from eval.exchange import command
from eval.exchange.names import SPREADSHEETS, WRITTEN, Name
from eval.exchange.summary import Summary

EPILOG = """\
What a format cannot carry is named, with its count. Formats: docs/formats.md.

0 ok, 1 something is missing or ambiguous (with --strict), 2 usage, 3 files that cannot be used,
130 interrupted.
"""


def parser() -> argparse.ArgumentParser:
    made = command.parser("export", "Write the labels of a folder for another tool.", EPILOG)
    made.add_argument("folder", type=Path, metavar="FOLDER", help="a labelled folder")
    made.add_argument("--format", required=True, choices=WRITTEN, help="what the other tool reads")
    made.add_argument(
        "-o", "--output", required=True, type=Path, metavar="FILE", help="where it is written"
    )
    made.add_argument("--run", metavar="TAG", help="which run of the folder (trec-run)")
    made.add_argument(
        "--id-map",
        metavar="CSV|TEMPLATE",
        help="as of the import: records go out under the ids they are judged by",
    )
    made.add_argument("--title", default="", help="the list's name (rre, opensearch)")
    made.add_argument(
        "--for-spreadsheet",
        action="store_true",
        help="no cell can be a formula; import such a file with --from-spreadsheet",
    )
    command.matching_options(made)
    return made


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    if arguments.for_spreadsheet and arguments.format not in SPREADSHEETS:
        said = f"--for-spreadsheet goes with {', '.join(SPREADSHEETS)}"
        return failed("export", arguments, said, USAGE)
    return command.finish("export", arguments, lambda: _work(arguments))


def _work(arguments: argparse.Namespace) -> Summary:
    from eval.exchange.exporting import Wish, export_labels
    from eval.exchange.formats import How
    from eval.exchange.idmap import id_map
    from eval.exchange.runs import RunWish, export_run
    from eval.formats.gather import OnConflict

    name = Name(arguments.format)
    mapped = id_map(arguments.id_map) if arguments.id_map else None
    if name is Name.TREC_RUN:
        return export_run(
            RunWish(
                folder=arguments.folder,
                target=arguments.output,
                tag=arguments.run,
                mapped=mapped,
                force=arguments.force,
            )
        )
    how = How(
        on_conflict=OnConflict(arguments.on_conflict),
        spreadsheet=arguments.for_spreadsheet,
        title=arguments.title or arguments.folder.resolve().name,
    )
    return export_labels(
        Wish(
            folder=arguments.folder,
            name=name,
            target=arguments.output,
            how=how,
            mapped=mapped,
            force=arguments.force,
        )
    )
