"""What ``record`` does, from the labels to the report."""

import argparse
import asyncio
from dataclasses import replace
from pathlib import Path

from esra.config.catalog import load_catalog
from esra.config.strict import ConfigError
from esra.domain.invocation import Retention
from esra.domain.outcome import Refused
from esra.embedded import EmbeddedError
from esra.governance import places
from esra.governance.secrets import SecretUnresolved
from esra.wiring import CannotOpen, Wishes, open_house
from eval import record, runfolder
from eval.catalog import SlugError
from eval.command import CONFIG, SOURCE, USAGE, Done
from eval.formats.findings import FormatError
from eval.load import LoadError
from eval.measures import measure
from eval.misses import Known, known
from eval.progress import Progress
from eval.recording import about, claims, session
from eval.recording.answers import Answers, AnswersUnusable
from eval.recording.as_of import NOT, TOLD
from eval.recording.bill import Most
from eval.recording.changed import Changes
from eval.recording.expect import Rate, price_of
from eval.recording.ground import Ground, ground
from eval.recording.labelled import Set
from eval.recording.looked import looked
from eval.recording.noise import Noise, noise
from eval.recording.planned import Planned, planned
from eval.recording.said import done, dry
from eval.tune.folders import CannotRecord
from eval.tune.verdict import Case, share_of

CODES: dict[type[Exception], int] = {
    SlugError: USAGE,
    FormatError: CONFIG,
    ConfigError: CONFIG,
    LoadError: SOURCE,
    EmbeddedError: SOURCE,
    CannotOpen: SOURCE,
    SecretUnresolved: SOURCE,
    CannotRecord: SOURCE,
    AnswersUnusable: CONFIG,
    Refused: SOURCE,
    OSError: CONFIG,
}
KEEPING = frozenset({Retention.FULL, Retention.KEYED_HASH})  # RULINGS 18


def run(arguments: argparse.Namespace) -> Done:
    """Everything one call of ``record`` does. Raises one of ``CODES``."""
    base, progress = places.home(), Progress(arguments.quiet)
    changes = Changes(
        select=arguments.select,
        plan=arguments.plan,
        rerank=arguments.rerank,
        shortlist=arguments.shortlist,
    )
    changes.check()
    with ground(arguments, base, progress) as over:
        return asyncio.run(_record(arguments, over, changes, base, progress))


async def _record(
    arguments: argparse.Namespace, over: Ground, changes: Changes, base: Path, progress: Progress
) -> Done:
    given = arguments.retention
    wishes = Wishes(
        tuned=False,
        remember=False,
        words=True,
        retention=None if given is None else Retention(given),
        change=lambda known: changes.made(known, over.capability.id),
        say=progress.say,
    )
    wanted = _wanted(arguments, over)
    async with open_house(over.catalog, base, wishes) as opened:
        plan = planned(arguments, over, opened.house, changes, base)
        expected = await session.expect(wanted, plan.house, plan.folder)
        progress.say(expected.line())
        if arguments.dry_run:
            return dry(plan.folder, expected)
        labels = over.labels.masked(plan.house.retention, plan.secret)
        told = _about(arguments, over, labels, changes, plan)
        about.write(plan.folder, told)  # first: it tells that the folder is a recording's
        _write_labels(labels, plan, arguments.k)
        answers = _answers(plan, base, progress)
        try:
            went = await session.run(wanted, plan.house, plan.folder, expected, answers, progress)
            found = await _looked(wanted, labels, plan, answers, progress)
        finally:
            if answers is not None:
                answers.close()
    known.write(plan.folder, found)
    return _told(arguments, over, plan.folder, told, went, found)


async def _looked(
    wanted: session.Wanted,
    labels: Set,
    plan: Planned,
    answers: Answers | None,
    progress: Progress,
) -> Known:
    with progress.bar("looking for what is missing") as bar:
        return await looked(
            plan.house,
            wanted.exposure,
            wanted.questions,
            plan.folder,
            labels.judgements,
            answers,
            as_of=wanted.as_of,
            caller=wanted.caller,
            parallel=wanted.rate.parallel,
            progress=bar,
        )


def _told(
    arguments: argparse.Namespace,
    over: Ground,
    folder: Path,
    told: about.About,
    went: session.Session,
    found: Known,
) -> Done:
    """Adds to the folder what only the end tells. CannotRecord where no question was answered."""
    questions = len(over.labels.questions)
    if went.filled:
        count = f"in {len(went.filled)} of {questions} questions they filled an answer"
        told = replace(told, as_of=f"{told.as_of}; {count}")
        about.write(folder, told)
    floor = _noise(folder, over, arguments)
    if floor is not None:
        about.write(folder, replace(told, noise=floor.as_json()))
    _refuse_nothing(went, questions)
    return done(folder, told, went, questions, floor, found)


def _wanted(arguments: argparse.Namespace, over: Ground) -> session.Wanted:
    if not over.labels.queries:
        raise ConfigError("no query carries a label: there is nothing to record")
    return session.Wanted(
        questions=over.labels.questions,
        exposure=over.exposure,
        repeats=arguments.repeat,
        rate=Rate(parallel=arguments.parallel, delay=arguments.delay),
        most=Most(calls=arguments.max_calls, tokens=arguments.max_tokens, cost=arguments.max_cost),
        as_of=arguments.as_of,
        price=price_of(over.catalog),
        caller=claims.caller_of(claims.stated(arguments.claims)),
    )


def _about(
    arguments: argparse.Namespace,
    over: Ground,
    labels: Set,
    changes: Changes,
    plan: Planned,
) -> about.About:
    sources = {source.id: source for source in load_catalog(over.catalog).catalog.sources}
    ids = [binding.source for binding in plan.capability.bindings]
    forms = plan.capability.forms
    own = claims.kept(claims.stated(arguments.claims), plan.house.retention, plan.secret)
    dated = any(query.now is not None for query in labels.questions)
    return about.About(
        arm=arguments.arm or " ".join([over.exposure, *changes.told(), *claims.words(own)]),
        as_of=TOLD if arguments.as_of else NOT if dated else "",
        forms={"select": forms.select, "plan": forms.plan, "rerank": forms.rerank},
        shortlist=plan.capability.scoring.shortlist,
        sources={
            id: about.Held(family=sources[id].family, documents=labels.sizes.get(id)) for id in ids
        },
        queries=labels.labels,
        claims=own,
        key=plan.key,
    )


def _write_labels(labels: Set, plan: Planned, k: int) -> None:
    numbers = plan.capability.scoring
    asked = {query.id for query in labels.queries}
    case = Case(
        capability=plan.capability.id,
        recordings=(),
        judgements={q: grades for q, grades in labels.judgements.items() if q in asked},
        groups={query.id: query.group for query in labels.queries},
        strata={query.id: query.sources[0] for query in labels.queries if query.sources},
        today=share_of(numbers.semantic_weight, numbers.lexical_weight),
        models=plan.models,
        data=labels.data,
        recording=plan.folder.name,
        k=k,
    )
    runfolder.write(plan.folder, case)


def _answers(plan: Planned, base: Path, progress: Progress) -> Answers | None:
    forms, retention = plan.capability.forms, plan.house.retention
    if "model" not in (forms.select, forms.plan, forms.rerank):
        return None
    if retention not in KEEPING:
        progress.say(
            f"retention {retention.value}: no answer of a model is kept, so that a question "
            "that is cut off is paid for again"
        )
        return None
    return Answers(base / "cache" / "answers.sqlite", plan.secret)


def _noise(folder: Path, over: Ground, arguments: argparse.Namespace) -> Noise | None:
    """Over what every repeat holds whole; None with one recording, or with nothing to measure."""
    if arguments.repeat < 2:
        return None
    one = measure(f"nDCG@{arguments.k}")
    repeats = []
    for path in session.trace_files(folder, arguments.repeat):
        own = {}
        for query, trace in record.lines(path):
            if record.failures(trace):
                continue  # how often a model fails is no noise of its answers
            grades = over.labels.judgements.get(query, {})
            if any(grade > 0 for grade in grades.values()):
                own[query] = one([(row[0], row[2]) for row in trace["ranking"]], grades)
        repeats.append(own)
    try:
        return noise(one.name, repeats)
    except ValueError:
        return None


def _refuse_nothing(went: session.Session, questions: int) -> None:
    if len(went.degraded) == questions:
        codes = sorted({code for own in went.degraded.values() for code in own})
        raise CannotRecord(
            f"every query was answered degraded ({', '.join(codes)}): see that the sources and the "
            "model answer, then give the same command again"
        )
