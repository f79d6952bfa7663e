"""Puts a house together around a catalog, its engines open until the block ends."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from esra.config.apply import Applied, apply_tuned
from esra.config.catalog import Loaded, load_catalog
from esra.config.keys import verify_keys
from esra.config.strict import ConfigError
from esra.domain.capability import Capability, Catalog, SelectForm
from esra.domain.trust import Trust
from esra.governance import places, secrets
from esra.governance.chosen import TrustUnusable, governance_of
from esra.governance.clock import SystemClock
from esra.governance.gates import BoundedGates
from esra.ports import Governance, House
from esra.providers.postgres import PostgresProvider
from esra.providers.resilience import PerSource
from esra.providers.statistics import StatisticsFiles, gather
from esra.sources.evidence import Statistics, evidence_of
from esra.wiring.engines import started_engines
from esra.wiring.keeping import audit_of, selections_of
from esra.wiring.models import models_for, models_of
from esra.wiring.wishes import Wishes


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


@asynccontextmanager
async def open_house(
    catalog: Path, base: Path, wishes: Wishes | None = None
) -> AsyncIterator[Opened]:
    """A house around the catalog file, its engines open until the block ends."""
    wishes = wishes or Wishes()
    loaded = load_catalog(catalog)
    async with AsyncExitStack() as stack:
        known: dict[str, Statistics] = {}  # filled once the engines are open
        asked = wishes.change(loaded.catalog)
        models = models_for(loaded, asked, catalog.parent, base, known, stack)
        identities = {c.id: models_of(c, models) for c in loaded.catalog.capabilities}
        for line in loaded.clamped:
            wishes.say(f"{line}; the nearest bound is used")
        tuned = partial(_tuned, loaded.catalog, base, identities, verify_keys(), wishes)
        applied = tuned()
        providers = await started_engines(loaded, catalog.parent, base, stack, wishes)
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
            audit=wishes.audit or audit_of(base, clock, stack),
            clock=clock,
            gates=BoundedGates(instance=loaded.parallel, providers=dict(loaded.bounds)),
            resilience=resilience,
            selections=selections_of(base, clock, stack) if wishes.remember else None,
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
