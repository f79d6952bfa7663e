"""Asks every engine of a catalog at once, and gathers what is wrong with its sources."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from esra.doctor.engine import engine_findings, unavailable
from esra.doctor.finding import Fault, Finding, healthy, warning
from esra.doctor.mapping import mapping_findings
from esra.domain.capability import Catalog
from esra.domain.described import Server
from esra.domain.outcome import Failed
from esra.domain.source import Relation
from esra.typed import typed


class Patient(Protocol):
    """An engine that tells of itself."""

    async def describe(
        self, relations: Sequence[Relation], seconds: float = ...
    ) -> Server | Failed: ...


async def examine(
    catalog: Catalog,
    references: Sequence[tuple[str, str]],
    engines: Mapping[str, Patient],
    clock: Callable[[], float],
) -> tuple[Finding, ...]:
    """Findings in the catalog's order. ``references`` are (provider, where its address is).

    ``clock`` gives seconds since the epoch. A provider or mapping without a fault has one finding
    that says so.
    """
    found = await asyncio.gather(
        *(_one(catalog, name, at, engines[name], clock) for name, at in references)
    )
    findings = tuple(finding for own in found for finding in own)
    return findings if catalog.sources else (*findings, _nothing())


async def _one(
    catalog: Catalog, name: str, reference: str, engine: Patient, clock: Callable[[], float]
) -> list[Finding]:
    own = [source for source in catalog.sources if source.provider == name]
    relations = [mapping.relation for source in own for mapping in source.mappings]
    before = clock()
    told = await engine.describe(relations)
    if isinstance(told, Failed):
        return [unavailable(name, reference, told.code)]
    # The server looked at its clock at some time in between.
    now = min(max(told.now, before), clock())
    return list(_of(catalog, name, told, now))


def _of(catalog: Catalog, name: str, server: Server, now: float) -> Iterator[Finding]:
    yield from list(engine_findings(name, server, now)) or [healthy(f"provider {name}")]
    for source in catalog.sources:
        for mapping in source.mappings if source.provider == name else ():
            about = f"source {source.id} / {mapping.id}"
            yield from list(mapping_findings(about, mapping, server)) or [healthy(about)]


def _nothing() -> Finding:
    return warning(
        Fault.NOTHING_TO_SEARCH,
        "catalog",
        "it has no sources",
        f"take the # from a source that `{typed('draft')}` wrote, or write one",
    )
