"""The command line of ``./workbench pool``: what several runs put on top, to be judged."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from eval.command import CONFIG, Done, count, ended, failed, of_system, parser_of

EPILOG = """\
RUN is a recorded run (its id, a beginning of it, a capability for its latest, a folder) or a file
that is a TREC run. The pool is the union of their first documents; a measure compares runs fairly
only over documents each of them had a chance to bring. Pairs that a run's labels, --data or --qrels
know are left out. Rows are in no ranking's order.

Fill in the column "rating", then:
  ./workbench import FILE --format ratings --from-spreadsheet --to FOLDER --add   (--format ratings)
  ./workbench judge-next RUN --judged FILE                                        (--format judging)

0 ok, 2 usage, 3 runs or files that cannot be used, 130 interrupted.
"""


def parser() -> argparse.ArgumentParser:
    made = parser_of("pool", "Put what several runs found on top into one file to judge.", EPILOG)
    made.add_argument("runs", nargs="+", metavar="RUN", help="one or more, in this order")
    made.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the file to judge in (else figures only)"
    )
    made.add_argument("--depth", type=count, default=20, help="documents of each (default 20)")
    made.add_argument(
        "--data",
        nargs="+",
        type=Path,
        default=[],
        metavar="DIR",
        help="the labelled folders: what is judged there is left out, and question, need, title "
        "and text go beside each pair",
    )
    made.add_argument("--qrels", type=Path, help="TREC judgements of pairs to leave out")
    made.add_argument("--source", help="only its documents")
    made.add_argument(
        "--format",
        choices=["ratings", "judging"],
        default="ratings",
        help="for import (the default), or for judge-next",
    )
    made.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return made


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    from eval.formats.findings import FormatError
    from eval.judge.sheet import SheetError
    from eval.runfolder import RunFolderError
    from eval.runs.folders import NoSuchRun

    try:
        document = _work(arguments)
    except (FormatError, SheetError, RunFolderError, NoSuchRun, ValueError) as error:
        return failed("pool", arguments, str(error), CONFIG)
    except OSError as error:
        return failed("pool", arguments, of_system(error), CONFIG)
    return ended("pool", arguments, Done(document=document, text=_text(document)))


def _work(arguments: argparse.Namespace) -> dict[str, object]:
    from esra.governance import places
    from eval.dataset import load_federation
    from eval.judge.shown import of_folders
    from eval.labels import pooling

    if arguments.output is not None and arguments.output.exists():
        said = "is there already and may hold ratings; name another file"
        raise pooling.CannotPool(f"{arguments.output}: {said}")
    runs = pooling.read_runs(arguments.runs, places.home())
    federation = load_federation(arguments.data) if arguments.data else None
    found = pooling.pooled(runs, arguments.depth, federation, arguments.qrels)
    left = sum(map(len, found.unjudged.values()))
    shown = of_folders(arguments.data, pooling.shown_pairs(found.unjudged))
    if arguments.output is not None and left:
        ratings = arguments.format == "ratings"
        write = pooling.write_ratings if ratings else pooling.write_judging
        write(arguments.output, found.unjudged, arguments.source, shown)
    pairs = sum(map(len, found.documents.values()))
    return {
        "depth": arguments.depth,
        "runs": [
            {"run": name, "found": adds.found, "new": adds.new, "alone": adds.alone}
            for name, adds in found.adds.items()
        ],
        "queries": len(found.documents),
        "pairs": pairs,
        "judged": pairs - left,
        "unjudged": left,
        "guidelines": shown.guidelines,
        "file": str(arguments.output) if arguments.output is not None and left else None,
    }


def _text(document: dict[str, object]) -> str:
    runs: list[dict[str, object]] = document["runs"]  # type: ignore[assignment]
    wide = max(len(str(run["run"])) for run in runs)
    lines = [f"{'run':<{wide}}   found     new   alone   (pairs in the first {document['depth']})"]
    lines += [
        f"{run['run']:<{wide}}  {run['found']:6,}  {run['new']:6,}  {run['alone']:6,}"
        for run in runs
    ]
    lines.append(
        f"{document['pairs']:,} pairs of {document['queries']:,} queries, "
        f"{document['judged']:,} judged already, {document['unjudged']:,} to judge"
    )
    if document["guidelines"]:
        lines.append(str(document["guidelines"]).rstrip())
    lines += [f"wrote {document['file']}"] if document["file"] else []
    return "\n".join(lines)
