"""What ``gate`` does: the run, the baseline, the checks, and the files a build reads."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from esra.config.catalog import load_catalog
from esra.config.strict import ConfigError
from esra.domain.outcome import Refused
from esra.embedded import EmbeddedError
from esra.governance import places
from esra.governance.admission import is_text
from esra.governance.secrets import SecretUnresolved
from esra.wiring import CannotOpen, Wishes, open_house
from eval import measures, record, runfolder
from eval.command import CONFIG, FINDING, OK, SOURCE, Done
from eval.dataset.errors import DatasetError
from eval.dataset.reading import read_queries
from eval.formats.findings import Findings
from eval.formats.writing import write_text
from eval.gate import baseline, quality
from eval.gate.canaries import Canaries, CanaryError, read_canaries
from eval.gate.check import Check, Status, failed
from eval.gate.governance import recorded_checks
from eval.gate.junit import junit
from eval.gate.markdown import markdown
from eval.gate.probe import Away, left_open, probe
from eval.progress import Progress
from eval.recording.noise import Noise, noise
from eval.replay import ForeignTrace
from eval.runfolder import RunFolderError
from eval.runs.arm import RECORDED, Arm, read_arm, repeat_arms
from eval.runs.folders import NoSuchRun, RunFolder, named_run
from eval.runs.ordering import of_file
from eval.runs.pairs import CannotCompare, pair

PROBED = 20  # questions that a live house is asked

CODES: dict[type[Exception], int] = {
    NoSuchRun: CONFIG,
    RunFolderError: CONFIG,
    baseline.BaselineError: CONFIG,
    CannotCompare: CONFIG,
    CanaryError: CONFIG,
    DatasetError: CONFIG,
    ConfigError: CONFIG,
    ForeignTrace: CONFIG,
    measures.NeverRan: CONFIG,
    measures.UnknownMeasure: CONFIG,
    EmbeddedError: SOURCE,
    CannotOpen: SOURCE,
    SecretUnresolved: SOURCE,
    Refused: SOURCE,
    Away: SOURCE,
}
CODES[OSError] = CONFIG


def run(arguments: argparse.Namespace) -> Done:
    """Everything one call of ``gate`` does. Raises one of ``CODES``; opens no ledger."""
    base = places.home()
    folder = arguments.baselines or baseline.baselines_folder(base)
    found = named_run(base, arguments.run or _only_capability(folder, arguments.baseline))
    floors = {measures.measure(name).name: least for name, least in arguments.floor}
    arm = _arm(found, arguments.config, tuple(floors))
    if arguments.save:
        return _saved(folder, arguments.save, arm)
    canaries = read_canaries(arguments.canaries) if arguments.canaries else Canaries()
    checks = quality.floors(arm, floors)
    if arguments.baseline:
        checks += _against(folder, arm, found, arguments)
    traces = list(record.lines(found.path / runfolder.TRACES))
    checks += recorded_checks(traces, canaries, _bound(arguments.catalog, arm.capability))
    if arguments.catalog:
        prompts = _prompts(traces, arguments.questions)
        try:
            checks += _live(arguments, base, arm.capability, prompts, canaries)
        except Away as error:
            if all(one.status is not Status.FAILED for one in checks):
                raise
            checks.append(left_open(error))
    return _told(arguments, arm, checks)


def _only_capability(folder: Path, name: str) -> str:
    known = baseline.capabilities(folder, name)
    if len(known) != 1:
        there = f"there are {', '.join(known)}" if known else "there is none"
        raise baseline.BaselineError(f"baseline {name!r}: of which capability? {there}; name a RUN")
    return known[0]


def _arm(found: RunFolder, config: Path | None, floors: Sequence[str]) -> Arm:
    if not found.traced:
        raise RunFolderError(
            f"run {found.id}: holds no traces and labels to replay; "
            "a gate needs a run of `tune` over labelled folders"
        )
    capability = runfolder.read(found.path).capability
    arm = read_arm(found, of_file(config, capability) if config else RECORDED, floors)
    if arm.unasked:
        first = ", ".join(map(repr, arm.unasked[:5]))
        raise CannotCompare(
            f"run {arm.run}: {len(arm.unasked)} queries were never recorded ({first}); finish it"
        )
    if arm.degraded:
        raise CannotCompare(
            f"run {arm.run}: a source or a model failed in {len(arm.degraded)} queries; "
            "run `tune` again, only those are asked anew"
        )
    return arm


def _saved(folder: Path, name: str, arm: Arm) -> Done:
    path = baseline.save(folder, name, arm, datetime.now(UTC).date())
    # The queries that chose the numbers are among them, as in a curve.
    where = ", in sample" if arm.tuned_on else ""
    said = (
        f"{name}: {arm.run}, {len(arm.queries)} queries, "
        f"{arm.measure} {arm.mean(arm.measure):.4f}{where}"
    )
    return Done(
        document={
            "saved": str(path),
            "run": arm.run,
            arm.measure: arm.mean(arm.measure),
            "in_sample": bool(arm.tuned_on),
        },
        text=f"{said}\n{path}",
    )


def _against(folder: Path, arm: Arm, run: RunFolder, arguments: argparse.Namespace) -> list[Check]:
    before = baseline.load(folder, arguments.baseline, arm.capability)
    found = pair(before, arm, margin=arguments.max_drop)
    most, strict = arguments.max_drop, arguments.strict
    checks = [quality.drop(found, most, strict=strict, noise=_noise(run))]
    return checks + (quality.segments(found, most) if arguments.segments else [])


def _noise(run: RunFolder) -> Noise | None:
    """How far the run's repeats lie apart by chance; None where it was recorded once."""
    arms = repeat_arms(run)
    if len(arms) < 2:
        return None
    measure = arms[0].measure
    return noise(
        measure, [{q: own.values[measure] for q, own in arm.queries.items()} for arm in arms]
    )


def _prompts(
    traces: Sequence[tuple[str, Mapping[str, object]]], questions: Path | None
) -> list[str]:
    """What a live house is asked, from all over the set."""
    if questions is not None:
        findings = Findings(DatasetError)
        found = [query.text for query, _ in read_queries(questions, findings).values()]
        findings.check()
    else:
        prompts = [str(trace["prompt"] or "") for _, trace in traces]
        found = [prompt for prompt in prompts if prompt and is_text(prompt)]
    if not found:
        raise CannotCompare(
            f"{questions}: holds no question"
            if questions is not None
            else "the recording keeps no text of a question to ask a live house with (the "
            "retention of its catalog says so); name the labelled ones with --questions FILE"
        )
    most = min(PROBED, len(found))
    return [found[at * len(found) // most] for at in range(most)]


def _bound(catalog: Path | None, capability: str) -> frozenset[str] | None:
    """The sources a capability may use, where a catalog says so."""
    own = load_catalog(catalog).catalog.capability(capability) if catalog else None
    return None if own is None else frozenset(binding.source for binding in own.bindings)


def _live(
    arguments: argparse.Namespace,
    base: Path,
    exposure: str,
    prompts: Sequence[str],
    canaries: Canaries,
) -> list[Check]:
    async def ask() -> list[Check]:
        progress = Progress(arguments.quiet)
        wishes = Wishes(remember=False, say=progress.say)
        async with open_house(arguments.catalog, base, wishes) as opened:
            return await probe(opened.house, exposure, prompts, canaries)

    return asyncio.run(ask())


def _told(arguments: argparse.Namespace, arm: Arm, checks: list[Check]) -> Done:
    # Recorded numbers are the catalog's: what was promoted orders here only where it is named.
    name = f"{arm.run} {arm.numbers}"
    if arguments.baseline:
        name += f", against {arguments.baseline}"
    if arguments.junit:
        write_text(arguments.junit, junit(checks, name))
    if arguments.markdown:
        write_text(arguments.markdown, markdown(checks, name))
    shut = failed(checks)
    return Done(
        document={
            "run": arm.run,
            "baseline": arguments.baseline,
            "numbers": arm.numbers,
            "open": not shut,
            "queries": len(arm.queries),
            "unmeasured": len(arm.unmeasured),
            "checks": [check.as_json() for check in checks],
        },
        text="\n".join([*_lines(checks), f"gate {'shut' if shut else 'open'}: {name}"]),
        code=FINDING if shut else OK,
    )


def _lines(checks: Sequence[Check]) -> list[str]:
    told = []
    for check in checks:
        told.append(f"{check.status:<8} {check.suite} / {check.name}: {_flat(check.said)}")
        if check.status is not Status.SKIPPED:
            told += [f"           {_flat(detail)}" for detail in check.details]
    return told


def _flat(text: str) -> str:
    """On one line of a terminal, whatever an id holds."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
