"""The command line of ``./workbench measure``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from eval.command import (
    CONFIG,
    DEGRADED,
    OK,
    USAGE,
    Done,
    amount,
    count,
    ended,
    failed,
    of_system,
    parser_of,
)

DEFAULT = "nDCG@{k} RR@{k} P@{k} R@{k} AP@{k} Judged@{k}"

EPILOG = """\
RUN ...                 recordings of `record` or `tune`, by folder or as `runs list` names them
                        (a capability: its latest); several are compared
--run R --qrels Q       a TREC run and its judgements, under trec_eval's tie rule

Measures have their names in ir-measures: nDCG@10, nDCG(dcg='exp-log2')@10, RR, AP, P(rel=2)@5,
R@50, Rprec, Success@5, ERR@10, RBP, Bpref, Judged@10. docs/measures.md says what each figure is.

0 ok, 2 usage, 3 what was named cannot be measured, or an arm never ran, 5 partial: some labelled
query was not answered.
"""


def parser() -> argparse.ArgumentParser:
    made = parser_of(
        "measure",
        "Measure recordings: how good, how sure, at what cost, what lost the rest.",
        EPILOG,
    )
    add = made.add_argument
    add("folders", nargs="*", metavar="RUN", help="a run's folder or id, or a capability")
    add(
        "--run",
        dest="runs",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="a TREC run; again: a further one, to be compared",
    )
    add("--qrels", type=Path, metavar="FILE", help="its judgements")
    add("--measures", metavar="NAMES", help="by name, blanks between them")
    add("--k", type=count, help="depth of what has no name (default: the recording's)")
    add("--scale", type=count, default=4, help="top of the grading scale, for ERR and RBP (4)")
    add("--stale-days", type=amount, default=365.0, metavar="D", help="older is stale (365)")
    add("--window", type=count, default=2000, metavar="T", help="tokens of a context window (2000)")
    add("--drop-self", action="store_true", help="take out results with their query's own id")
    add("--explain", metavar="QUERY", help="every factor of this query's candidates")
    add("--json", action="store_true", help="one JSON document on stdout")
    add("--html", type=Path, metavar="FILE", help="the report as a page, too")
    return made


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    wrong = _misuse(arguments)
    if wrong:
        return failed("measure", arguments, wrong, USAGE)
    from eval.measure.plain import plain
    from eval.measure.printed import as_html, as_text
    from eval.measures import UnknownMeasure
    from eval.whole import write_whole

    try:
        report = _report(arguments)
        if arguments.html is not None:
            write_whole(arguments.html, as_html(report).encode())
    except UnknownMeasure as error:
        return failed("measure", arguments, str(error), USAGE)
    except ValueError as error:
        return failed("measure", arguments, str(error), CONFIG)
    except OSError as error:
        return failed("measure", arguments, of_system(error), CONFIG)
    code = DEGRADED if report.partial else OK
    return ended(
        "measure", arguments, Done(document=plain(report), text=as_text(report), code=code)
    )


def _report(arguments: argparse.Namespace):
    from esra.governance import places
    from eval.measure.arm import of_folder, of_runs
    from eval.measure.report import Asked, gather
    from eval.measures import measure
    from eval.runs.folders import folder_of

    arms = [of_folder(folder_of(places.home(), name)) for name in arguments.folders]
    arms += of_runs(arguments.runs, arguments.qrels)
    k = arguments.k or arms[0].k
    names = (arguments.measures or DEFAULT.format(k=k)).split()
    asked = Asked(
        measures=[measure(name, scale=arguments.scale) for name in dict.fromkeys(names)],
        k=k,
        scale=arguments.scale,
        days=arguments.stale_days,
        tokens=arguments.window,
        drop_self=arguments.drop_self,
        explain=arguments.explain,
    )
    return gather(arms, asked)


def _misuse(arguments: argparse.Namespace) -> str:
    if bool(arguments.runs) != bool(arguments.qrels):
        return "--run and --qrels go together: --run FILE --qrels FILE"
    if not arguments.folders and not arguments.runs:
        return "name at least one RUN, or --run FILE --qrels FILE"
    if arguments.html is not None and arguments.html.is_dir():
        return f"--html {arguments.html} is a folder: name a file"
    return ""
