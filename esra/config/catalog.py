"""Reads a catalog: sources, capabilities and exposures, in TOML a person writes and edits."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from esra.config.access import exposure
from esra.config.blocks import (
    CapabilityBlock,
    FieldBlock,
    LimitsBlock,
    MappingBlock,
    ModelBlock,
    SourceBlock,
)
from esra.config.bounds import CAPABILITY, SOURCE, Bounds
from esra.config.faults import catalog_faults
from esra.config.record_filter import record_filter
from esra.config.resilience import breaker, retries
from esra.config.trust import trust_of
from esra.config.written import Written, read_catalog
from esra.domain import capability as cap
from esra.domain import source as src
from esra.domain.codes import NoticeCode
from esra.domain.invocation import Retention
from esra.domain.trust import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A catalog, the references to its engines, and what was clamped on the way.

    ``bounds`` and ``parallel`` are commands at a time, of each provider and of this instance;
    ``hosts`` is what each provider's URL may lead to (None: the hosts it names).
    ``prompt_key`` refers to the key under which prompts are hashed.
    """

    catalog: cap.Catalog
    providers: tuple[tuple[str, str], ...]
    hosts: tuple[tuple[str, tuple[str, ...] | None], ...]
    bounds: tuple[tuple[str, int], ...]
    parallel: int
    model: ModelBlock | None
    trust: Trust
    retention: Retention
    prompt_key: str | None
    clamped: tuple[str, ...]


def load_catalog(path: Path) -> Loaded:
    """The catalog in a TOML file; ``ConfigError`` says what is wrong with it, and where."""
    return checked(read_catalog(path))


def checked(written: Written) -> Loaded:
    file = written.file
    problems = catalog_faults(file)
    if problems:
        raise written.refused(problems)
    lists: dict[str, list[str]] = {block.id: [] for block in file.capabilities}
    catalog = cap.Catalog(
        sources=tuple(_source(block) for block in file.sources),
        capabilities=tuple(_capability(block, lists[block.id]) for block in file.capabilities),
        exposures=tuple(exposure(block) for block in file.exposures),
        version=written.version,
        revisions=tuple(
            (id, cap.Revision(notices=(NoticeCode.SETTING_CLAMPED,)))
            for id, lines in lists.items()
            if lines
        ),
    )
    providers = tuple((name, block.url) for name, block in file.providers.items())
    return Loaded(
        catalog=catalog,
        providers=providers,
        hosts=tuple(
            (name, None if block.hosts is None else tuple(block.hosts))
            for name, block in file.providers.items()
        ),
        bounds=tuple((name, block.parallel) for name, block in file.providers.items()),
        parallel=file.parallel,
        model=file.model,
        trust=trust_of(file.governance, written.path.parent),
        retention=Retention(file.governance.retention),
        prompt_key=file.governance.prompt_key,
        clamped=tuple(line for lines in lists.values() for line in lines),
    )


def _limits(block: LimitsBlock) -> src.Limits:
    return src.Limits(**block.model_dump())


def _source(block: SourceBlock) -> src.Source:
    return src.Source(
        id=block.id,
        name=block.name,
        provider=block.provider,
        family=src.Family(block.family),
        mappings=tuple(_mapping(mapping) for mapping in block.mappings),
        description=block.description,
        usage=block.usage,
        exclusions=block.exclusions,
        tags=tuple(block.tags),
        languages=tuple(block.languages),
        examples=tuple(block.examples),
        freshness=block.freshness,
        vocabulary=src.Vocabulary(
            synonyms=tuple((word, tuple(own)) for word, own in block.vocabulary.synonyms.items()),
            acronyms=tuple((word, tuple(own)) for word, own in block.vocabulary.acronyms.items()),
        ),
        enabled=block.enabled,
        snapshot=block.snapshot,
        tenants=None if block.tenants is None else frozenset(block.tenants),
        modes=frozenset(block.modes),
        limits=_limits(block.limits),
        retries=retries(block.retries),
        breaker=breaker(block.breaker),
    )


def _mapping(block: MappingBlock) -> src.Mapping:
    physical = block.model_dump(include={"table", "key", "title", "text", "vector", "timestamp"})
    relation = src.Relation(
        schema=block.schema_, language=block.language, rank=src.Rank(block.rank), **physical
    )
    return src.Mapping(
        id=block.id,
        name=block.name,
        description=block.description,
        relation=relation,
        fields=tuple(_field(field) for field in block.fields),
        record_filter=record_filter(block.record_filter),
    )


def _field(block: FieldBlock) -> src.Field:
    return src.Field(
        name=block.name,
        column=block.column,
        type=src.FieldType(block.type),
        searchable=block.searchable,
        filterable=block.filterable,
        operators=frozenset(src.Operator(operator) for operator in block.operators),
        returnable=block.returnable,
        restricted=block.restricted,
        masking=src.Masking(block.masking),
    )


def _capability(block: CapabilityBlock, clamped: list[str]) -> cap.Capability:
    return cap.Capability(
        id=block.id,
        name=block.name,
        description=block.description,
        bindings=tuple(
            cap.Binding(source=b.source, presence=cap.Presence(b.presence)) for b in block.bindings
        ),
        forms=cap.Forms(
            select=cap.SelectForm(block.select),
            plan=cap.PlanForm(block.plan),
            rerank=cap.RerankForm(block.rerank),
        ),
        scoring=_scoring(block, clamped),
        modes=frozenset(block.modes),
        limits=_limits(block.limits),
        data=block.data,
    )


def _scoring(block: CapabilityBlock, clamped: list[str]) -> cap.Scoring:
    where = f"capabilities.{block.id}.scoring"
    numbers = block.scoring.model_dump(exclude={"sources"})
    sources = []
    for id, own in block.scoring.sources.items():
        held = _clamped(own.model_dump(), SOURCE, f"{where}.sources.{id}", clamped)
        sources.append((id, cap.SourceScoring(**held)))
    return cap.Scoring(sources=tuple(sources), **_clamped(numbers, CAPABILITY, where, clamped))


def _clamped(
    values: dict[str, Any], bounds: Mapping[str, Bounds], where: str, clamped: list[str]
) -> dict[str, Any]:
    held = dict(values)
    for name, bound in bounds.items():
        value = held[name]
        if value is not None and not bound.hold(value):
            held[name] = type(value)(bound.clamp(value))
            clamped.append(f"{where}.{name}: {value} is outside {bound.low}..{bound.high}")
    return held
