"""The command line of ``./workbench pool``: what several runs put on top, to be judged."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from eval.command import CONFIG, Done, count, ended, failed, of_system, parser_of
from eval.labels.home import Home, listed
from eval.labels.pool import Pool

EPILOG = """\
RUN is a recorded run (its id, a beginning of it, a capability for its latest, a folder) or a file
that is a TREC run. The pool is the union of their first documents; a measure compares runs fairly
only over documents each of them had a chance to bring. Pairs that a run's labels, --data or --qrels
know are left out. Rows are in no ranking's order.

With --source and --data of all folders that were recorded, the file has the query ids of the
source's own folder. A query that another folder asks keeps its id in the run: --add makes it a
query of this folder too, and both folders together know it as one.

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
    made.add_argument("--source", help="only its documents, under the query ids of its folder")
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
    found = pooling.pooled(runs, arguments.depth, federation, arguments.qrels, arguments.source)
    pairs = tuple(pooling.shown_pairs(found.unjudged))
    shown = of_folders(arguments.data, pairs)
    written = arguments.output is not None and bool(found.unjudged)
    home = Home()
    if written and arguments.format == "ratings":
        if federation is None:
            pooling.refuse_qualified(runs, found.unjudged)
        home = pooling.home_of(found.unjudged, federation)
        pooling.write_ratings(arguments.output, found.unjudged, home, shown)
    elif written:
        pooling.write_judging(arguments.output, found.unjudged, shown)
    return {
        "depth": arguments.depth,
        "source": arguments.source,
        "runs": [
            {"run": name, "found": adds.found, "new": adds.new, "alone": adds.alone}
            for name, adds in found.adds.items()
        ],
        **_counts(found, home),
        "pairs_without_question": 0 if home.ids else shown.unasked(pairs),
        "guidelines": shown.guidelines,
        "file": str(arguments.output) if written else None,
    }


def _counts(found: Pool[tuple[str, str]], home: Home) -> dict[str, object]:
    pairs = sum(map(len, found.documents.values()))
    left = sum(map(len, found.unjudged.values()))
    return {
        "queries": len(found.documents),
        "pairs": pairs,
        "judged": pairs - left,
        "unjudged": left,
        "of_other_folders": _part(found, home.guests),
        "left_out": _part(found, home.unknown),
    }


def _part(found: Pool[tuple[str, str]], queries: Sequence[str]) -> dict[str, object]:
    pairs = sum(len(found.unjudged[query]) for query in queries)
    return {"queries": len(queries), "pairs": pairs, "named": listed(queries)}


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
    lines += _homeless(document)
    if document["guidelines"]:
        lines.append(str(document["guidelines"]).rstrip())
    lines += [f"wrote {document['file']}"] if document["file"] else []
    return "\n".join(lines)


def _homeless(document: dict[str, object]) -> list[str]:
    """What is said of queries that the folder does not ask, and of those that none does."""
    from eval.judge.shown import UNASKED

    told = (
        ("of_other_folders", "other folders ask: import --add makes them queries of this one too"),
        ("left_out", "no folder of --data asks, left out of the file: name all that were recorded"),
    )
    lines = []
    for name, said in told:
        part: dict[str, object] = document[name]  # type: ignore[assignment]
        if part["queries"]:
            of = f"{part['pairs']:,} of them are of {part['queries']:,} queries ({part['named']})"
            lines.append(f"{of} that {said}")
    if document["pairs_without_question"]:
        lines.append(f"{document['pairs_without_question']:,} of them {UNASKED}")
    return lines
