"""What ``tune`` does, from the first picture to the report."""

import argparse
import hashlib
import json
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

from esra.config.strict import ConfigError
from esra.domain.outcome import Refused
from esra.embedded import EmbeddedError
from esra.governance import places
from esra.governance.secrets import SecretUnresolved
from esra.wiring import CannotOpen
from eval import plot, pydocs, report
from eval.catalog import SlugError, slug_of
from eval.command import CONFIG, DEGRADED, FINDING, OK, SOURCE, USAGE, Done
from eval.dataset import load_federation
from eval.evidence import BrokenLedger, Ledger, UnfitScores
from eval.formats.findings import FormatError
from eval.load import LoadError
from eval.notebooks import NotebookError, NotebookFailed, after, first_picture
from eval.progress import Progress
from eval.pydocs import PydocsError
from eval.replay import ForeignTrace
from eval.runs.keep import keep
from eval.search.tunables import UnknownTunable, tunable
from eval.tune.folders import (
    CannotRecord,
    Order,
    Tuned,
    ledger_of,
    place_of,
    prepare,
    tune_all,
)
from eval.tune.live import CannotAnswer, again
from eval.tune.numbers import ALL, NothingToLearn, turn
from eval.tune.runs import UnrelatedRuns, case_of_runs
from eval.tune.tables import KeysMeet
from eval.tune.verdict import NothingToScore, Verdict, reach
from eval.whole import write_whole

CODES: dict[type[Exception], int] = {
    SlugError: USAGE,
    UnknownTunable: USAGE,
    FormatError: CONFIG,
    NothingToScore: CONFIG,
    KeysMeet: CONFIG,
    NothingToLearn: FINDING,
    UnfitScores: CONFIG,
    ConfigError: CONFIG,
    BrokenLedger: CONFIG,
    ForeignTrace: CONFIG,
    UnrelatedRuns: CONFIG,
    PydocsError: SOURCE,
    LoadError: SOURCE,
    EmbeddedError: SOURCE,
    CannotOpen: SOURCE,
    SecretUnresolved: SOURCE,
    CannotRecord: SOURCE,
    CannotAnswer: SOURCE,
    Refused: SOURCE,
}
# A disk that is full, a folder that is a file: the message of the system names it.
CODES[OSError] = CONFIG

RELATED_ADVICE = (
    "labels of this track are incomplete by construction (what nobody linked is not wrong), "
    "so it gives advice and never promotes:"
)


PARTS = {"development": "development part", "all": "none of them sealed"}


def run(arguments: argparse.Namespace) -> Done:
    """Everything one call of ``tune`` does. Raises one of ``CODES``."""
    base, progress = places.home(), Progress(arguments.quiet)
    if arguments.runs:
        return _runs(arguments, base, progress)
    if arguments.parameter:
        return _numbers(arguments, base, progress)
    orders = _own(arguments) if arguments.data else []
    if not arguments.no_notebooks:
        first_picture(base / "runs" / "first", progress.say)
    orders = orders or _pydocs(arguments, base, progress)
    tuned, failed = [], False
    for one in tune_all(orders, base, progress):
        _keep(one.verdict, one.folder)
        failed |= not arguments.no_notebooks and not _notebooks(one, progress, tour=not tuned)
        tuned.append(one)
    degraded = sum(one.degraded for one in tuned)
    return Done(
        document={"capabilities": [one.verdict.as_json() for one in tuned]},
        text="\n\n".join(f"{report.text(one.verdict)}\n{_try(one)}" for one in tuned),
        code=FINDING if failed else _code(arguments, degraded),
    )


def _code(arguments: argparse.Namespace, degraded: int) -> int:
    """The exit code where so many recordings are degraded."""
    return DEGRADED if degraded and arguments.fail_on_degraded else OK


def _numbers(arguments: argparse.Namespace, base: Path, progress: Progress) -> Done:
    (order,) = _own(arguments)
    sources = [source.name for source in order.federation.sources]
    for name in arguments.parameter:
        if name != ALL:
            tunable(name, sources)  # refused before anything slow begins
    ready = prepare(order, base, progress)
    turned = turn(
        ready.case,
        arguments.parameter,
        ledger_of(base),
        places.tuned_folder(base) / ready.slug,
        ready.folder / "candidate.json",
        progress.say,
        again(place_of(ready, order, base), ready.case.recordings, progress.say),
        processes=-1,
    )
    text = json.dumps(turned.as_json(), indent=2, allow_nan=False)
    name = _file_name(turned.way.name)
    write_whole(ready.folder / f"{name}.json", f"{text}\n".encode())
    write_whole(ready.folder / f"{name}.txt", f"{turned.as_text()}\n".encode())
    return Done(
        document={"capabilities": [turned.as_json()]},
        text=turned.as_text(),
        code=_code(arguments, ready.degraded),
    )


def _file_name(way: str) -> str:
    """Of every way another one, whatever letters its sources have."""
    told = re.sub(r"[^a-z0-9]+", "-", way.lower()).strip("-")
    if len(told) <= 60 and way.isascii():
        return f"numbers-{told}"
    return f"numbers-{told[:60]}-{hashlib.sha256(way.encode()).hexdigest()[:8]}"


def _notebooks(one: Tuned, progress: Progress, *, tour: bool) -> bool:
    """Whether the notebooks ran; a failure takes nothing from the figures that are there."""
    try:
        after(one.folder, progress.say, tour=tour)
    except (NotebookFailed, NotebookError) as trouble:
        progress.warn(str(trouble))
        return False
    return True


def _own(arguments: argparse.Namespace) -> list[Order]:
    """The orders for folders of one's own: read, and refused, before anything slow begins."""
    slugs = [slug_of(name) for name in arguments.name]
    twice = next((slug for slug in slugs if slugs.count(slug) > 1), None)
    if twice is not None:
        raise SlugError(f"two --name are the tool esra_{twice}; give each capability its own")
    return [
        Order(
            name=name,
            federation=load_federation(folders),
            queries=arguments.queries,
            explore=arguments.explore,
            parameters=tuple(sorted(set(arguments.parameter or ()))),
            as_asked=arguments.as_asked,
            **_forms(arguments),
        )
        for name, folders in zip(arguments.name, arguments.data, strict=True)
    ]


def _pydocs(arguments: argparse.Namespace, base: Path, progress: Progress) -> list[Order]:
    built = pydocs.build(base / "datasets" / "pydocs", queries=arguments.queries, say=progress.say)
    progress.say(f"what these labels are and are not: {built.card}")
    return [
        Order(
            name=f"pydocs {track}",
            federation=load_federation(folders),
            explore=arguments.explore or track != "known-item",
            advice="" if track == "known-item" else RELATED_ADVICE,
            **_forms(arguments),
        )
        for track, folders in built.tracks.items()
    ]


def _forms(arguments: argparse.Namespace) -> dict[str, object]:
    return {"select": arguments.select, "rerank": arguments.rerank, "k": arguments.k}


def _runs(arguments: argparse.Namespace, base: Path, progress: Progress) -> Done:
    (name,) = arguments.name or ["runs"]
    slug = slug_of(name)
    lexical, semantic = arguments.runs
    case = case_of_runs(
        slug, lexical, semantic, arguments.qrels, k=arguments.k, explore=arguments.explore
    )
    for note in case.notes:
        progress.say(f"  {note}")
    folder = base / "runs" / slug / case.recording[:16]
    verdict = reach(
        case,
        Ledger(base / "runs" / "openings.jsonl"),
        folder / "promoted",
        folder / "candidate.json",
        progress.say,
    )
    _keep(verdict, folder)
    return Done(
        document={"capabilities": [verdict.as_json()]},
        text=f"{report.text(verdict)}\n  {folder / 'curve.png'}",
    )


def _keep(verdict: Verdict, folder: Path) -> None:
    """Report, figures, curve, per-query table and log into the run's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "report.txt", f"{report.text(verdict)}\n".encode())
    result = json.dumps(verdict.as_json(), indent=2, allow_nan=False)
    write_whole(folder / "result.json", f"{result}\n".encode())
    choice, table = verdict.decision.choice, verdict.table
    axes = plot.curve(
        table.shares,
        choice.curve,
        margin=choice.margin,
        plateau=(float(choice.plateau[0]), float(choice.plateau[1])),
        today=verdict.case.share,
        setting=float(verdict.decision.setting),
        measure=table.measure,
        title=f"{verdict.case.capability}: {int(verdict.looked_at.sum())} queries, "
        f"{PARTS[verdict.decision.part]}",
    )
    plot.save(axes, folder / "curve.png")
    keep(verdict, folder, datetime.now(UTC))


def _try(one: Tuned) -> str:
    words = " ".join(one.example.split())
    question = f"{'-- ' if words.startswith('-') else ''}{shlex.quote(words)}"
    return (
        f"  catalog   {one.catalog}\n  run       {one.folder}\n"
        f"  try it:   ./workbench esra retrieve {one.slug} {question}"
    )
