"""Tuning from labelled folders: load, write the catalog, record, decide."""

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from esra import embedded
from esra.config.apply import newest
from esra.config.catalog import load_catalog
from esra.config.environment import forget_server_settings
from esra.config.keys import verify_keys
from esra.config.strict import ConfigError
from esra.config.tuned import TunedFile
from esra.domain.capability import Capability, PlanForm
from esra.governance import places
from esra.trace import PIPELINE
from esra.wiring import Opened, Wishes, models_of, open_house
from eval import catalog as writing
from eval import publish, record
from eval.dataset import Federation
from eval.evidence import Ledger
from eval.evidence.family import family_of
from eval.misses import known
from eval.progress import Progress
from eval.recording.answers import secret_of
from eval.recording.looked import looked
from eval.tune.bill import bill, planned
from eval.tune.first_catalog import write_catalog
from eval.tune.kept import Made, keep
from eval.tune.live import Place, again, in_force
from eval.tune.loading import load_into, notes_of, refuse_loss
from eval.tune.order import Order, asked, doubts_of, left_out, question_of, tags_of
from eval.tune.verdict import Case, Verdict, settle, share_of, weigh


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """The verdict, and where everything is. ``example`` is a labelled query to try."""

    verdict: Verdict
    slug: str
    catalog: Path
    folder: Path
    example: str
    degraded: int


class CannotRecord(RuntimeError):
    """Every invocation failed; the message says which source or model, and the code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A recorded case, and where everything is. ``example`` is a labelled query to try."""

    case: Case
    slug: str
    catalog: Path
    folder: Path
    example: str
    degraded: int


def tune(order: Order, base: Path, progress: Progress) -> Tuned:
    """One capability from labelled folders to its verdict."""
    return tune_all([order], base, progress)[0]


def tune_all(orders: Sequence[Order], base: Path, progress: Progress) -> list[Tuned]:
    """Several capabilities as one promotion: all are tested before any of them is written."""
    prepared = [prepare(order, base, progress) for order in orders]
    ledger = ledger_of(base)
    family = family_of((one.slug, one.case.recording) for one in prepared if not one.case.explore)
    weighed = [
        weigh(
            one.case,
            ledger,
            *_places(one, base),
            progress.say,
            again(place_of(one, order, base), one.case.recordings, progress.say),
            "" if one.case.explore else family,
        )
        for one, order in zip(prepared, orders, strict=True)
    ]
    return [
        Tuned(
            verdict=settle(verdict, ledger, *_places(one, base)),
            slug=one.slug,
            catalog=one.catalog,
            folder=one.folder,
            example=one.example,
            degraded=one.degraded,
        )
        for one, verdict in zip(prepared, weighed, strict=True)
    ]


def _places(one: Prepared, base: Path) -> tuple[Path, Path]:
    """(where its revisions lie, where its candidate goes)."""
    return places.tuned_folder(base) / one.slug, one.folder / "candidate.json"


def ledger_of(base: Path) -> Ledger:
    """The one ledger of openings under a home."""
    return Ledger(base / "runs" / "openings.jsonl")


def prepare(order: Order, base: Path, progress: Progress) -> Prepared:
    """Loads, writes the catalog and records: everything before a decision."""
    slug = writing.slug_of(order.name)
    federation = order.federation
    with ready(order, base, progress) as (catalog, capability):
        made = asyncio.run(_record(order, slug, federation, catalog, capability, base, progress))
    case, degraded = _case(order, slug, federation, capability, made, base)
    keep(case, order, catalog, capability, made)
    return Prepared(
        case=case,
        slug=slug,
        catalog=catalog,
        folder=made.folder,
        example=asked(order)[0].text,
        degraded=degraded,
    )


def place_of(ready: Prepared, order: Order, base: Path) -> Place:
    """Where and with which questions a prepared case can be asked again."""
    return Place(
        catalog=ready.catalog,
        slug=ready.slug,
        folder=ready.folder,
        base=base,
        questions={query.id: question_of(query) for query in asked(order)},
    )


@contextmanager
def ready(order: Order, base: Path, progress: Progress) -> Iterator[tuple[Path, Capability]]:
    """The folders' catalog and capability, loaded; the database is open until the block ends."""
    slug = writing.slug_of(order.name)
    federation = order.federation
    for note in notes_of(federation):
        progress.say(f"  {note}")
    refuse_loss(places.catalog_file(base, slug), slug, order.name, federation)
    documents = sum(len(source.documents) for source in federation.sources)
    progress.say(
        f"{slug}: {len(federation.sources)} sources, {documents} documents, "
        f"{len(federation.queries)} queries"
    )
    with ExitStack() as stack:
        database = stack.enter_context(embedded.open_database(base, say=progress.say))
        if database.embedded:
            forget_server_settings()
        loaded, reference = load_into(federation, slug, database, base, progress)
        catalog = write_catalog(order, slug, federation, loaded, reference, base, progress)
        yield catalog, capability_of(catalog, slug, federation)


def capability_of(catalog: Path, slug: str, federation: Federation) -> Capability:
    """The capability as the catalog has it; ``ConfigError`` where it does not fit the folders."""
    known = load_catalog(catalog).catalog
    capability = known.capability(slug)
    if capability is None:
        raise ConfigError(f"{catalog}: holds no capability {slug!r}; put it back or move the file")
    bound = {binding.source for binding in capability.bindings}
    missing = sorted({source.name for source in federation.sources} - bound)
    if missing:
        raise ConfigError(
            f"{catalog}: edited, and without source {missing[0]!r}; "
            "add it, use another --name, or move the file away"
        )
    return capability


async def _record(
    order: Order,
    slug: str,
    federation: Federation,
    catalog: Path,
    capability: Capability,
    base: Path,
    progress: Progress,
) -> Made:
    """The recording: its traces in its run folder, and what the engines say of what is missing."""
    wishes = Wishes(tuned=False, remember=False, words=True, say=progress.say)
    async with open_house(catalog, base, wishes) as opened:
        models = _models(opened, capability)
        key = recording_key(opened.house.catalog.version, federation.fingerprint, models)
        folder = base / "runs" / slug / key[:16]
        questions = [question_of(query) for query in asked(order)]
        progress.say(planned(slug, questions, folder))
        if cost := await bill(catalog, slug, capability.forms, opened.house, questions, folder):
            progress.say(cost)
        with progress.bar("recording") as bar:
            await record.record(
                questions, slug, opened.house, folder / "traces.jsonl", progress=bar
            )
        # A model's plans are known again by kept answers alone, and those are in the hands of
        # `record`: what it found out of such a recording is not written over with less.
        if capability.forms.plan is not PlanForm.MODEL:
            with progress.bar("looking for what is missing") as bar:
                found = await looked(
                    opened.house, slug, questions, folder, federation.judgements, progress=bar
                )
            known.write(folder, found)
        secret = opened.house.prompt_key or secret_of(base / "keys" / "answers.key")
        retention = opened.house.retention
    return Made(folder=folder, key=key, models=models, retention=retention, secret=secret)


def _models(opened: Opened, capability: Capability) -> dict[str, str]:
    house = opened.house
    return models_of(
        capability,
        {
            "selectors": dict(house.selectors),
            "planners": dict(house.planners),
            "rerankers": dict(house.rerankers),
        },
    )


def recording_key(catalog: str, data: str, models: dict[str, str]) -> str:
    """What a recording depends on: catalog, data, models, pipeline."""
    parts = [catalog, data, str(PIPELINE), *(f"{k}={models[k]}" for k in sorted(models))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _taken_back(current: TunedFile | None) -> tuple[str, ...]:
    """Said where a person went back to other numbers."""
    if current is None or not publish.restores(current):
        return ()
    return (
        f"revision {current.revision} went back to earlier numbers: a claim that it took back is "
        f"not put in force again but by `./workbench promote {current.capability}`",
    )


def _case(
    order: Order,
    slug: str,
    federation: Federation,
    capability: Capability,
    made: Made,
    base: Path,
) -> tuple[Case, int]:
    """(the case, how many of its traces are degraded by a failure)."""
    queries, folder, models = asked(order), made.folder, made.models
    traces = folder / "traces.jsonl"
    wanted = frozenset(query.id for query in queries)
    failed = {q: record.failures(t) for q, t in record.lines(traces) if q in wanted}
    broken = {query: codes for query, codes in failed.items() if codes}
    if broken and len(broken) == len(wanted):
        codes = sorted({code for codes in broken.values() for code in codes})
        raise CannotRecord(f"every query was answered degraded ({', '.join(codes)})")
    sources = frozenset(binding.source for binding in capability.bindings)
    current = newest(places.tuned_folder(base) / slug, slug, sources, models, verify_keys())
    key = (federation.fingerprint, folder.name)
    numbers = in_force(capability, current.file, key, order.parameters)
    codes = sorted({code for codes in broken.values() for code in codes})
    lost = (
        f"{len(broken)} of {len(wanted)} queries were answered degraded ({', '.join(codes)}); "
        "nothing is opened on them, run it again:"
    )
    doubts = doubts_of(queries)
    case = Case(
        capability=slug,
        recordings=record.read(traces, wanted),
        # Of these alone: a folder may hold traces of more, from a longer tuning before.
        judgements={query.id: federation.judgements[query.id] for query in queries},
        groups={query.id: query.group for query in queries},
        strata={query.id: query.sources[0] for query in queries if query.sources},
        today=share_of(numbers.semantic_weight, numbers.lexical_weight),
        models=models,
        data=federation.fingerprint,
        recording=folder.name,
        explore=order.explore or bool(broken),
        advice=lost if broken else order.advice,
        notes=(*doubts, *notes_of(federation), *current.refused, *_taken_back(current.file)),
        doubts=doubts,
        degraded=len(broken),
        k=order.k,
        numbers=numbers,
        own=capability.scoring,
        asked=order.parameters,
        tags=tags_of(queries),
        texts={query.id: query.text for query in queries},
        unasked=left_out(order),
        mixed=order.as_asked or all("traffic" in query.extra for query in queries),
    )
    return case, len(broken)
