"""The only file that names concrete adapters: puts a house together around a catalog."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from esra import embedded, scoring
from esra.config.apply import Applied, apply_tuned
from esra.config.catalog import Loaded, load_catalog
from esra.config.environment import forget_server_settings
from esra.config.keys import verify_keys
from esra.config.strict import ConfigError
from esra.domain.capability import Capability, Catalog, PlanForm, RerankForm, SelectForm
from esra.domain.invocation import Retention
from esra.domain.source import Relation
from esra.domain.trust import Trust
from esra.governance import places, secrets
from esra.governance.audit import FileAudit, PostgresAudit
from esra.governance.audit import settings as audited
from esra.governance.cache import MemorySelections, SharedSelections
from esra.governance.chosen import TrustUnusable, governance_of
from esra.governance.clock import SystemClock
from esra.governance.gates import BoundedGates
from esra.governance.store import Store
from esra.llm.embedder import (
    CachedEmbedder,
    Embedder,
    EmbeddingCache,
    ModelMissing,
    ModelUnusable,
)
from esra.llm.local import LocalReranker, LocalSelector
from esra.llm.openai import Endpoint, LanguageModel
from esra.llm.planner import LocalPlanner
from esra.llm.prompts import load_prompts
from esra.llm.statistics import StatisticsSelector
from esra.ports import Audit, AuditUnavailable, Governance, House, SelectionCache, TraceSink
from esra.providers.postgres import Inspector, PostgresProvider, PowerfulRole
from esra.providers.postgres.errors import Trouble
from esra.providers.resilience import PerSource
from esra.providers.statistics import StatisticsFiles, gather
from esra.sources.evidence import Statistics, evidence_of

READER = "esra_reader"

# Adapters of the model stages: "selectors", "planners", "rerankers", each by the form's name.
Models = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a command may ask for beyond the catalog.

    ``tuned`` False leaves every tuned revision aside, ``remember`` False every cached selection;
    ``change`` edits the catalog last. ``words`` gathers the sources' words though no capability
    weighs by them, so that a trace holds evidence.
    """

    tuned: bool = True
    remember: bool = True
    words: bool = False
    audit: Audit | None = None
    traces: TraceSink | None = None
    retention: Retention | None = None  # None: the catalog's own
    change: Callable[[Catalog], Catalog] = lambda catalog: catalog
    say: Callable[[str], None] = embedded.silent


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A house, who governs it by what trust, and the tuned files that were refused (a line each).

    A trust without issuers: there are no tokens, and every caller is local. ``reread`` gives the
    catalog under the tuned files as they are by then; the house goes on with its own.
    """

    house: House
    governance: Governance
    refused: tuple[str, ...]
    reread: Callable[[], Awaitable[Applied]]
    trust: Trust = field(default_factory=Trust)


class CannotOpen(RuntimeError):
    """Something a house needs is not on this machine; the message says what to do."""


@asynccontextmanager
async def open_house(
    catalog: Path, base: Path, wishes: Wishes | None = None
) -> AsyncIterator[Opened]:
    """A house around the catalog file, its engines open until the block ends."""
    wishes = wishes or Wishes()
    loaded = load_catalog(catalog)
    async with AsyncExitStack() as stack:
        known: dict[str, Statistics] = {}  # filled once the engines are open
        try:
            models = _models(wishes.change(loaded.catalog), base, known)
            _add_language_model(models, loaded, catalog.parent, stack)
            identities = {c.id: models_of(c, models) for c in loaded.catalog.capabilities}
        except (ModelMissing, ModelUnusable) as error:
            raise CannotOpen(str(error)) from error
        for line in loaded.clamped:
            wishes.say(f"{line}; the nearest bound is used")
        tuned = partial(_tuned, loaded.catalog, base, identities, verify_keys(), wishes)
        applied = tuned()
        providers = await _providers(loaded, catalog.parent, base, stack, wishes)
        clock, changed = SystemClock(), applied.catalog
        resilience = PerSource(
            clock, reachable={name: provider.reachable for name, provider in providers.items()}
        )
        stack.push_async_callback(resilience.close)
        words = partial(_words, loaded.catalog.version, providers, base, wishes, known)
        await words(changed)

        async def reread() -> Applied:
            fresh = await asyncio.to_thread(tuned)
            await words(fresh.catalog)
            return fresh

        house = House(
            catalog=changed,
            providers=providers,
            evidence=partial(evidence_of, known),
            audit=wishes.audit or _audit(base, clock, stack),
            clock=clock,
            gates=BoundedGates(instance=loaded.parallel, providers=dict(loaded.bounds)),
            resilience=resilience,
            selections=_selections(base, clock, stack) if wishes.remember else None,
            traces=wishes.traces,
            retention=wishes.retention or loaded.retention,
            prompt_key=_prompt_key(loaded, catalog.parent),
            selectors=models["selectors"],
            planners=models["planners"],
            rerankers=models["rerankers"],
        )
        governance = _governance(loaded, changed, catalog.parent, clock)
        yield Opened(
            house=house,
            governance=governance,
            refused=applied.refused,
            reread=reread,
            trust=loaded.trust,
        )


async def identities_of(loaded: Loaded, folder: Path, base: Path) -> dict[str, dict[str, str]]:
    """For each capability the identity of each stage's model, with no engine opened.

    Raises ``CannotOpen`` where a model is not on this machine.
    """
    async with AsyncExitStack() as stack:
        try:
            models = _models(loaded.catalog, base, {})
            _add_language_model(models, loaded, folder, stack)
            return {c.id: models_of(c, models) for c in loaded.catalog.capabilities}
        except (ModelMissing, ModelUnusable) as error:
            raise CannotOpen(str(error)) from error


@contextmanager
def open_audit(base: Path) -> Iterator[Audit]:
    """The audit, shown to work, for what is done outside a house."""
    with ExitStack() as stack:
        yield _audit(base, SystemClock(), stack)


def _tuned(
    catalog: Catalog,
    base: Path,
    identities: Mapping[str, Mapping[str, str]],
    keys: tuple[Ed25519PublicKey, ...],
    wishes: Wishes,
) -> Applied:
    """The catalog under its tuned files, if they are wished for, and as the wishes change it."""
    applied = Applied(catalog=catalog, refused=())
    if wishes.tuned:
        applied = apply_tuned(catalog, places.tuned_folder(base), identities, keys)
    return replace(applied, catalog=wishes.change(applied.catalog))


def _governance(loaded: Loaded, catalog: Catalog, folder: Path, clock: SystemClock) -> Governance:
    try:
        return governance_of(catalog, loaded.trust, folder, clock)
    except TrustUnusable as error:
        raise ConfigError(f"[governance]: {error}") from error


def _prompt_key(loaded: Loaded, folder: Path) -> bytes:
    return secrets.resolve_key(loaded.prompt_key, folder) if loaded.prompt_key else b""


def models_of(capability: Capability, models: Models) -> dict[str, str]:
    """The identity of each stage's model under the capability's forms; "" where none is asked."""
    forms = capability.forms
    asked = {
        "select": models["selectors"].get(forms.select.value),
        "plan": models["planners"].get(forms.plan.value),
        "rerank": models["rerankers"].get(forms.rerank.value),
    }
    return {stage: model.identity if model else "" for stage, model in asked.items()}


def _models(catalog: Catalog, base: Path, known: dict[str, Statistics]) -> Models:
    """The selectors, planners and rerankers by form; a model is looked up only if one is asked."""
    models: Models = {
        "selectors": {SelectForm.STATISTICS.value: StatisticsSelector(known)},
        "planners": {PlanForm.LOCAL.value: LocalPlanner()},
        "rerankers": {},
    }
    forms = [capability.forms for capability in catalog.capabilities]
    if any(f.select is SelectForm.LOCAL or f.rerank is RerankForm.LOCAL for f in forms):
        embedder = CachedEmbedder(Embedder.find(), EmbeddingCache(places.embeddings_file(base)))
        models["selectors"][SelectForm.LOCAL.value] = LocalSelector(embedder)
        models["rerankers"][RerankForm.LOCAL.value] = LocalReranker(embedder)
    return models


async def _words(
    version: str,
    providers: dict[str, PostgresProvider],
    base: Path,
    wishes: Wishes,
    known: dict[str, Statistics],
    catalog: Catalog,
) -> None:
    """Puts into ``known`` the words of every source that some capability weighs or chooses by."""
    ids = {
        binding.source
        for capability in catalog.capabilities
        if wishes.words or _weighs(capability)
        for binding in capability.bindings
    }
    wanted = [s for s in catalog.sources if s.id in ids and s.id not in known]
    files = StatisticsFiles(places.words_folder(base), version=version)
    gathered = await gather(wanted, providers, files, SystemClock().now())
    for id, code in gathered.refused.items():
        wishes.say(f"source {id}: its words could not be read ({code}); it counts as the best one")
    known.update(gathered.statistics)


def _weighs(capability: Capability) -> bool:
    by_words = capability.forms.select is SelectForm.STATISTICS
    return by_words or capability.scoring.evidence_floor < 1


def _add_language_model(
    models: Models, loaded: Loaded, folder: Path, stack: AsyncExitStack
) -> None:
    """The catalog's language model behind the form ``model`` of every stage, if it has one."""
    block = loaded.model
    if block is None:
        return
    key = None if block.key is None else partial(secrets.resolve, block.key, folder)
    try:
        prompts = load_prompts(None if block.prompts is None else folder / block.prompts)
        settings = block.model_dump(exclude={"key", "prompts", "price"})
        price = None if block.price is None else (block.price[0], block.price[1])
        model = LanguageModel(Endpoint(key=key, price=price, **settings), prompts)
    except ValueError as error:
        raise ConfigError(f"[model]: {error}") from error
    stack.push_async_callback(model.close)
    models["selectors"][SelectForm.MODEL.value] = model.selector
    models["planners"][PlanForm.MODEL.value] = model.planner
    models["rerankers"][RerankForm.MODEL.value] = model.reranker


async def _providers(
    loaded: Loaded, folder: Path, base: Path, stack: AsyncExitStack, wishes: Wishes
) -> dict[str, PostgresProvider]:
    providers = _engines(loaded, folder, base, stack, wishes)
    started = (
        _start(provider, _relations(loaded.catalog, name)) for name, provider in providers.items()
    )
    for trouble in await asyncio.gather(*started, return_exceptions=True):
        if trouble is not None:
            raise trouble
    return providers


@asynccontextmanager
async def open_engines(
    loaded: Loaded, folder: Path, base: Path, wishes: Wishes | None = None
) -> AsyncIterator[dict[str, Inspector]]:
    """The catalog's engines with nothing asked of them yet, for who says what is wrong there."""
    async with AsyncExitStack() as stack:
        engines = _engines(loaded, folder, base, stack, wishes or Wishes())
        yield {name: provider.inspector for name, provider in engines.items()}


@asynccontextmanager
async def open_engine(address: Callable[[], str]) -> AsyncIterator[Inspector]:
    """One engine that no catalog names, by the URL that ``address`` gives."""
    forget_server_settings()
    provider = PostgresProvider(address, most=1)
    try:
        yield provider.inspector
    finally:
        await provider.close()


def _engines(
    loaded: Loaded, folder: Path, base: Path, stack: AsyncExitStack, wishes: Wishes
) -> dict[str, PostgresProvider]:
    providers: dict[str, PostgresProvider] = {}
    bounds, listed = dict(loaded.bounds), dict(loaded.hosts)
    forget_server_settings()
    for name, reference in loaded.providers:
        hosts = listed[name]
        if reference == "embedded":
            # In a folder of our own making, which nobody could list.
            address, hosts = partial(str, _embedded_reader(base, stack, wishes)), None
        else:
            address = partial(secrets.resolve, reference, folder)
        providers[name] = PostgresProvider(address, most=bounds[name], hosts=hosts)
        stack.push_async_callback(providers[name].close)
    return providers


def _relations(catalog: Catalog, provider: str) -> list[Relation]:
    own = (source for source in catalog.sources if source.provider == provider)
    return [mapping.relation for source in own for mapping in source.mappings]


async def _start(provider: PostgresProvider, relations: list[Relation]) -> None:
    """Raises ``ConfigError`` for a role that may do more than read.

    A server that cannot be asked is each query's own failure.
    """
    try:
        await provider.refuse_powerful_role(relations)
    except PowerfulRole as error:
        raise ConfigError(str(error)) from error
    except Trouble:
        provider.inspector.expect(relations)
    else:
        await provider.inspector.learn(relations)


def _audit(base: Path, clock: SystemClock, stack: AsyncExitStack | ExitStack) -> Audit:
    """In tables where ``ESRA_AUDIT_URL`` is set, else in files; shown to work before a call."""
    own = audited.settings(base)
    key = partial(audited.key, own)
    sink: FileAudit | PostgresAudit = FileAudit(own.log, own.head, key, clock)
    if own.in_tables:
        sink = PostgresAudit(partial(audited.address, own), key, clock)
    stack.callback(sink.close)
    try:
        sink.ready()
    except AuditUnavailable as error:
        raise ConfigError(f"the audit takes no records: {error}") from error
    return sink


def _selections(base: Path, clock: SystemClock, stack: AsyncExitStack) -> SelectionCache:
    """Shared over the instances through ``ESRA_STORE_URL``, else this process's own.

    ``ESRA_CACHE_KEY`` refers to the key that all instances share (``env:NAME``, ``file:PATH``).
    """
    if not os.environ.get("ESRA_STORE_URL"):
        return MemorySelections(clock)
    store = Store(partial(secrets.resolve, "env:ESRA_STORE_URL", base), clock)
    stack.push_async_callback(store.close)
    key = os.environ.get("ESRA_CACHE_KEY")
    return SharedSelections(store, secrets.resolve(key, base).encode() if key else b"")


def _embedded_reader(base: Path, stack: AsyncExitStack, wishes: Wishes) -> str:
    database = stack.enter_context(embedded.open_database(base, say=wishes.say))
    if not database.embedded:
        raise ConfigError(
            "the catalog reads the embedded database but ESRA_DATABASE_URL names another; "
            "unset it, or load the data there with `./workbench tune`"
        )
    forget_server_settings()
    return database.as_user(READER)


def with_share(share: float) -> Callable[[Catalog], Catalog]:
    """A change that gives every capability this semantic share."""

    semantic, lexical = scoring.weights_of(share)

    def change(catalog: Catalog) -> Catalog:
        return replace(
            catalog,
            capabilities=tuple(
                replace(
                    c, scoring=replace(c.scoring, semantic_weight=semantic, lexical_weight=lexical)
                )
                for c in catalog.capabilities
            ),
        )

    return change
