"""``./workbench judge-next``: the pairs that would settle a comparison soonest."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from eval.command import CONFIG, USAGE, Done, count, ended, failed, parser_of
from eval.evidence.scores import normal_form
from eval.formats.findings import FormatError
from eval.judge.outlook import Outlook, next_pairs, outlook
from eval.judge.pool import NothingToCompare, Pool, pool
from eval.judge.sheet import Pair, SheetError, merged, write
from eval.judge.shown import UNASKED, of_folders
from eval.runfolder import RunFolderError

if TYPE_CHECKING:
    from eval.tune.verdict import Case

_SHUT = ", development part: the sealed one was not opened for this candidate"
SOURCE = ""  # a plain run names no source
EPILOG = """\
RUN                  a run of tune, by folder or as `runs list` names it (a capability: its
                     latest): today's numbers against its candidate
--runs A B --qrels Q two TREC runs

Fill in the column "rating" of the file, then name it with --judged and ask again. Judgements drawn
this way are no random sample: they settle this comparison and stand in no other mean.
Exit codes: 0 ok, 2 usage, 3 data.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """Two orders of the same queries, and what is judged already: [query][(source, document)].

    looked_at: the queries that figures may be shown of, None for all. The others are sealed, and
    judging them opens nothing.
    """

    first: Mapping[str, Sequence[tuple[str, str]]]
    second: Mapping[str, Sequence[tuple[str, str]]]
    judgements: Mapping[str, Mapping[tuple[str, str], int]]
    looked_at: frozenset[str] | None = None


def parser() -> argparse.ArgumentParser:
    made = parser_of(
        "judge-next", "Order unjudged pairs by how much each could change the verdict.", EPILOG
    )
    made.add_argument("run", nargs="?", metavar="RUN", help="a run's folder or id, or a capability")
    made.add_argument("--candidate", type=Path, help="another tuned file than the run's own")
    made.add_argument(
        "--runs", nargs=2, type=Path, metavar=("A", "B"), help="two TREC runs instead"
    )
    made.add_argument("--qrels", type=Path, help="judgements of the runs")
    made.add_argument("--budget", type=count, default=40, help="pairs (default 40)")
    made.add_argument(
        "--judged",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="such a file with its ratings filled in; may be repeated",
    )
    made.add_argument(
        "--data",
        nargs="+",
        type=Path,
        default=[],
        metavar="DIR",
        help="the labelled folders: question, need, title and text go beside each pair",
    )
    made.add_argument("--k", type=count, default=10, help="depth of nDCG@k (default 10)")
    made.add_argument("--depth", type=count, help="how far down the lists (default: whole)")
    made.add_argument("--top", type=count, help="top of the grading scale (default: seen)")
    made.add_argument("-o", "--output", type=Path, help="where the pairs are written, as CSV")
    made.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return made


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    if bool(arguments.run) == bool(arguments.runs):
        return failed("judge-next", arguments, "name a run folder, or --runs A B --qrels Q", USAGE)
    if bool(arguments.runs) != bool(arguments.qrels):
        return failed("judge-next", arguments, "--runs and --qrels go together", USAGE)
    try:
        arms = _of_runs(arguments) if arguments.runs else _of_folder(arguments)
        document = ask(arms, arguments)
    except (FormatError, SheetError, NothingToCompare, RunFolderError, ValueError) as error:
        return failed("judge-next", arguments, str(error), CONFIG)
    except OSError as error:
        return failed("judge-next", arguments, f"{error.filename}: {error.strerror}", CONFIG)
    return ended("judge-next", arguments, Done(document=document, text=_text(document)))


def ask(arms: Arms, arguments: argparse.Namespace) -> dict[str, object]:
    """The outlook as a document; the next pairs are written where a file is named."""
    rated = merged(arguments.judged)
    found = pool(arms.first, arms.second, k=arguments.k, depth=arguments.depth)
    strange = _strange(found, rated, arguments.judged)
    grades, top = _grades(found, arms, rated, arguments.top)
    seen = outlook(found, grades, top=top)
    shown, figures = _shown(found, seen, arms, rated, arguments, top)
    chosen = [found.pair(place) for place in next_pairs(seen, arguments.budget)]
    pairs = [(query, source, key) for query, (source, key) in chosen]
    told = of_folders(arguments.data, pairs)
    if arguments.output is not None:
        write(arguments.output, pairs, shown=told)
    return {
        **_plain(figures, shown),
        "part": "all" if arms.looked_at is None else "development",
        "top_grade": top,
        "next": [dict(zip(("query", "source", "document"), pair, strict=True)) for pair in pairs],
        "ratings": len(rated),
        "ratings_of_no_pair": strange,
        "pairs_without_question": told.unasked(pairs),
        "guidelines": told.guidelines,
        "file": None if arguments.output is None else str(arguments.output),
    }


def _strange(found: Pool, rated: Mapping[Pair, int], files: Sequence[Path]) -> int:
    """How many ratings are of no pair of this comparison. ``SheetError`` where all are: the file is
    another run's, and would be passed over."""
    pairs = {(query, *key) for query, key in map(found.pair, range(len(found.documents)))}
    strange = len(rated.keys() - pairs)
    if rated and strange == len(rated):
        raise SheetError(
            f"{', '.join(map(str, files))}: none of {strange} ratings is of a pair of this "
            "comparison: name the run that they were written for"
        )
    return strange


def _shown(
    found: Pool,
    seen: Outlook,
    arms: Arms,
    rated: Mapping[Pair, int],
    arguments: argparse.Namespace,
    top: int,
) -> tuple[Pool, Outlook]:
    """The part of the pool that figures may be shown of, and its outlook."""
    if arms.looked_at is None:
        return found, seen
    first = {query: arms.first[query] for query in arms.first if query in arms.looked_at}
    own = pool(first, arms.second, k=arguments.k, depth=arguments.depth)
    return own, outlook(own, _grades(own, arms, rated, arguments.top)[0], top=top)


def _plain(seen: Outlook, found: Pool) -> dict[str, object]:
    return {
        "queries": len(found.queries),
        "pairs": len(found.documents),
        "judged": seen.judged,
        "verdict": str(seen.verdict),
        "sure": seen.sure,
        "settled": seen.settled,
        "can_flip": seen.can_flip,
        "difference": seen.difference,
        "lowest": seen.lowest,
        "highest": seen.highest,
        "measure": f"nDCG@{found.k}",
        "drawn": "targeted",
    }


def _grades(
    found: Pool, arms: Arms, rated: Mapping[Pair, int], top: int | None
) -> tuple[np.ndarray, int]:
    grades = np.full(len(found.documents), np.nan)
    for place in range(len(grades)):
        query, record = found.pair(place)
        source, key = record
        grade = rated.get((query, source, key), arms.judgements.get(query, {}).get(record))
        if grade is not None:
            grades[place] = grade
    highest = int(np.nanmax(grades, initial=1))
    if top is not None and highest > top:
        raise ValueError(f"--top {top}: a document is judged {highest}")
    return grades, top or max(1, highest)


def _of_runs(arguments: argparse.Namespace) -> Arms:
    from eval.formats.trec import read_qrels, read_run

    first, second = (read_run(path).rankings() for path in arguments.runs)
    labels = read_qrels(arguments.qrels).judgements
    return Arms(
        first=_named(first),
        second=_named(second),
        judgements={q: {(SOURCE, d): g for d, g in marks.items()} for q, marks in labels.items()},
    )


def _named(run: Mapping[str, Sequence[str]]) -> dict[str, list[tuple[str, str]]]:
    return {
        query: [(SOURCE, document) for document in documents] for query, documents in run.items()
    }


def _of_folder(arguments: argparse.Namespace) -> Arms:
    from esra.governance import places
    from eval import bulk, runfolder
    from eval.judge.candidate import arms_of_file
    from eval.runs.folders import folder_of
    from eval.table import pair

    folder = folder_of(places.home(), arguments.run)
    case = runfolder.read(folder)
    if not case.recordings:
        raise RunFolderError(f"{folder}: holds no recorded query of this version")
    path = arguments.candidate or _candidate(folder)
    laid = bulk.lay_out(case.recordings)
    own, sources = case.recordings[0].numbers, frozenset(laid.sources)
    tried = arms_of_file(path, case.capability, own, sources)
    orders = [bulk.order(laid, numbers, cut=True) for numbers in (tried.today, tried.numbers)]
    first, second = (
        {
            query: [pair(laid.ids[at]) for at in ordered.ranking(place)]
            for place, query in enumerate(laid.queries)
        }
        for ordered in orders
    )
    measured = [q for q in laid.queries if any(g > 0 for g in case.judgements.get(q, {}).values())]
    # Opened on a part of these queries, or on another recording of them, is not opened here.
    opened = tried.opened_on == (case.recording, len(measured))
    return Arms(
        first=first,
        second=second,
        judgements=case.judgements,
        looked_at=None if opened else _development(case, laid.queries, measured),
    )


def _development(
    case: "Case", queries: Sequence[str], measured: Sequence[str]
) -> frozenset[str] | None:
    """The queries outside the sealed part; None where nothing is sealed."""
    from eval.evidence.split import LEAST_GROUPS, sealed

    groups = [case.groups[query] for query in measured]
    if len({normal_form(group) for group in groups}) < LEAST_GROUPS:
        return None
    shut = {query for query, hit in zip(measured, sealed(groups), strict=True) if hit}
    return frozenset(queries) - shut


def _candidate(folder: Path) -> Path:
    for name in ("candidate.json", "explored.json"):
        if (folder / name).exists():
            return folder / name
    raise RunFolderError(
        f"{folder}: holds no candidate; name one with --candidate, such as the "
        "tuned file of a run that was promoted"
    )


def _text(document: Mapping[str, object]) -> str:
    flip = "can still flip" if document["can_flip"] else "cannot flip any more"
    lines = [
        f"{document['verdict']} ({document['measure']}, {document['queries']} queries, "
        f"{document['judged']} of {document['pairs']} pairs judged)"
        + (_SHUT if document["part"] == "development" else ""),
        f"  difference {document['difference']:+.4f}, and whatever grades the open pairs get "
        f"{document['lowest']:+.4f} to {document['highest']:+.4f}",
        f"  it holds on full labels with probability {document['sure']:.3f}: it {flip}",
    ]
    if document["ratings_of_no_pair"]:
        lines.append(
            f"  {document['ratings_of_no_pair']} of {document['ratings']} ratings are of no pair "
            "of this comparison and count for nothing"
        )
    if document["pairs_without_question"]:
        lines.append(f"  {document['pairs_without_question']} pairs {UNASKED}")
    if document["guidelines"]:
        lines += ["", "how to judge:", *str(document["guidelines"]).splitlines(), ""]
    if document["file"]:
        lines.append(f"  {len(document['next'])} pairs to judge: {document['file']}")
    else:
        lines += [
            f"  {one['query']}\t{one['source']}\t{one['document']}" for one in document["next"]
        ]
    return "\n".join(lines)
