"""What ``record`` does, from the labels to the report."""

import argparse
import asyncio
import hashlib
from dataclasses import replace
from pathlib import Path

from esra.config.catalog import load_catalog
from esra.config.strict import ConfigError
from esra.domain.capability import Capability
from esra.domain.invocation import Retention
from esra.domain.outcome import Refused
from esra.embedded import EmbeddedError
from esra.governance import places
from esra.governance.secrets import SecretUnresolved
from esra.ports import House
from esra.wiring import CannotOpen, Wishes, models_of, open_house
from eval import record, runfolder
from eval.catalog import SlugError
from eval.command import CONFIG, SOURCE, USAGE, Done
from eval.formats.findings import FormatError
from eval.load import LoadError
from eval.measures import measure
from eval.misses import known
from eval.progress import Progress
from eval.recording import about, claims, session
from eval.recording.answers import Answers, AnswersUnusable, secret_of
from eval.recording.as_of import NOT, TOLD, WIDEST
from eval.recording.bill import Most
from eval.recording.changed import Changes, refuse_missing_models
from eval.recording.expect import Price, Rate
from eval.recording.ground import Ground, ground
from eval.recording.labelled import Set
from eval.recording.looked import looked
from eval.recording.noise import Noise, noise
from eval.recording.said import done, dry
from eval.tune.folders import CannotRecord, recording_key
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
        house = opened.house
        capability = house.catalog.capability(over.capability.id)
        assert capability is not None
        refuse_missing_models(house, capability)
        models = models_of(
            capability,
            {
                "selectors": dict(house.selectors),
                "planners": dict(house.planners),
                "rerankers": dict(house.rerankers),
            },
        )
        secret = house.prompt_key or secret_of(base / "keys" / "answers.key")
        key = _key(over, house, models, arguments, changes, secret)
        folder = base / "runs" / over.exposure / key[:16]
        try:
            if arguments.out is not None and arguments.out.absolute() != folder.absolute():
                folder = arguments.out
                about.refuse_strange(folder)
            about.refuse_another(folder, key)
        except ValueError as error:
            raise ConfigError(str(error)) from error
        expected = await session.expect(wanted, house, folder)
        progress.say(expected.line())
        if arguments.dry_run:
            return dry(folder, expected)
        labels = over.labels.masked(house.retention, secret)
        own = claims.kept(claims.stated(arguments.claims), house.retention, secret)
        told = replace(_about(arguments, over, labels, capability, changes, own), key=key)
        about.write(folder, told)  # first: it is what tells that the folder is a recording's
        _write_labels(folder, labels, capability, models, arguments.k)
        answers = _answers(house, capability, base, secret, progress)
        try:
            went = await session.run(wanted, house, folder, expected, answers, progress)
            with progress.bar("looking for what is missing") as bar:
                found = await looked(
                    house,
                    wanted.exposure,
                    wanted.questions,
                    folder,
                    labels.judgements,
                    answers,
                    as_of=wanted.as_of,
                    caller=wanted.caller,
                    parallel=wanted.rate.parallel,
                    progress=bar,
                )
        finally:
            if answers is not None:
                answers.close()
    known.write(folder, found)
    if went.filled:
        count = f"in {len(went.filled)} of {len(wanted.questions)} questions they filled an answer"
        told = replace(told, as_of=f"{told.as_of}; {count}")
        about.write(folder, told)
    floor = _noise(folder, over, arguments)
    if floor is not None:
        about.write(folder, replace(told, noise=floor.as_json()))
    _refuse_nothing(went, len(wanted.questions))
    return done(folder, told, went, len(wanted.questions), floor, found)


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
        price=_price(over.catalog),
        caller=claims.caller_of(claims.stated(arguments.claims)),
    )


def _price(catalog: Path) -> Price:
    block = load_catalog(catalog).model
    return None if block is None or block.price is None else (block.price[0], block.price[1])


def _key(
    over: Ground,
    house: House,
    models: dict[str, str],
    arguments: argparse.Namespace,
    changes: Changes,
    secret: bytes,
) -> str:
    """Of what the recording depends on; with nothing changed it names the folder that tune uses."""
    key = recording_key(house.catalog.version, over.labels.data, models)
    own = [
        *changes.told(),
        *((f"as_of={WIDEST}",) if arguments.as_of else ()),
        *((f"retention={arguments.retention}",) if arguments.retention else ()),
        *claims.identity(claims.stated(arguments.claims), house.retention, secret),
    ]
    if own:
        key = hashlib.sha256("\n".join([key, *own]).encode()).hexdigest()
    return key


def _about(
    arguments: argparse.Namespace,
    over: Ground,
    labels: Set,
    capability: Capability,
    changes: Changes,
    own: claims.Kept,
) -> about.About:
    sources = {source.id: source for source in load_catalog(over.catalog).catalog.sources}
    ids = [binding.source for binding in capability.bindings]
    forms = capability.forms
    dated = any(query.now is not None for query in labels.questions)
    return about.About(
        arm=arguments.arm or " ".join([over.exposure, *changes.told(), *claims.words(own)]),
        as_of=TOLD if arguments.as_of else NOT if dated else "",
        forms={"select": forms.select, "plan": forms.plan, "rerank": forms.rerank},
        shortlist=capability.scoring.shortlist,
        sources={
            id: about.Held(family=sources[id].family, documents=labels.sizes.get(id)) for id in ids
        },
        queries=labels.labels,
        claims=own,
    )


def _write_labels(
    folder: Path, labels: Set, capability: Capability, models: dict[str, str], k: int
) -> None:
    numbers = capability.scoring
    asked = {query.id for query in labels.queries}
    case = Case(
        capability=capability.id,
        recordings=(),
        judgements={q: grades for q, grades in labels.judgements.items() if q in asked},
        groups={query.id: query.group for query in labels.queries},
        strata={query.id: query.sources[0] for query in labels.queries if query.sources},
        today=share_of(numbers.semantic_weight, numbers.lexical_weight),
        models=models,
        data=labels.data,
        recording=folder.name,
        k=k,
    )
    runfolder.write(folder, case)


def _answers(
    house: House, capability: Capability, base: Path, secret: bytes, progress: Progress
) -> Answers | None:
    forms = capability.forms
    if "model" not in (forms.select, forms.plan, forms.rerank):
        return None
    if house.retention not in KEEPING:
        progress.say(
            f"retention {house.retention.value}: no answer of a model is kept, so that a question "
            "that is cut off is paid for again"
        )
        return None
    return Answers(base / "cache" / "answers.sqlite", secret)


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
        raise CannotRecord(f"every query was answered degraded ({', '.join(codes)})")
