"""What is wrong with a catalog beyond its shape: names that lead nowhere, parts that cannot be.

Each fault has its place in the file, for a person to mend.
"""

import re
from collections.abc import Iterator

from esra.config.access import access_faults
from esra.config.blocks import CapabilityBlock, CatalogFile, MappingBlock
from esra.config.lines import Path
from esra.config.record_filter import faults
from esra.config.shape import meant
from esra.config.strict import Fault
from esra.config.trust import trust_faults

SLUG = re.compile(r"\A[a-z0-9_]{1,26}\Z")


def is_slug(text: str) -> bool:
    """Whether a tool can be called so: ``esra_{slug}``, beside ``esra_{slug}_fetch``."""
    return bool(SLUG.match(text)) and not text.endswith("_fetch")


def catalog_faults(file: CatalogFile) -> list[Fault]:
    """Every fault of a catalog, in no order that matters."""
    bound = _bound(file)
    return [
        *_unique(file),
        *_dangling(file),
        *_dangling_exposures(file, bound),
        *_bad_slugs(file),
        *_bad_weights(file),
        *_no_model(file),
        *_shown_though_hidden(file),
        *_bad_record_filters(file),
        *access_faults(file.exposures, bound),
        *trust_faults(file.governance),
    ]


def _unique(file: CatalogFile) -> Iterator[Fault]:
    lists = {
        ("sources", "id"): [block.id for block in file.sources],
        ("capabilities", "id"): [block.id for block in file.capabilities],
        ("exposures", "slug"): [block.slug for block in file.exposures],
    }
    for (kind, key), ids in lists.items():
        for number, id in enumerate(ids):
            if id in ids[:number]:
                yield Fault(path=(kind, number, key), text=f"{id!r} stands twice")


def _dangling(file: CatalogFile) -> Iterator[Fault]:
    for number, source in enumerate(file.sources):
        if source.provider not in file.providers:
            close = meant(source.provider, file.providers)
            text = f"there is no provider {source.provider!r}{close}"
            yield Fault(path=("sources", number, "provider"), text=text)
    sources = {block.id for block in file.sources}
    for number, capability in enumerate(file.capabilities):
        for path, id in _named_sources(capability):
            if id not in sources:
                text = f"there is no source {id!r}{meant(id, sources)}"
                yield Fault(path=("capabilities", number, *path), text=text)


def _named_sources(block: CapabilityBlock) -> Iterator[tuple[Path, str]]:
    for number, binding in enumerate(block.bindings):
        yield ("bindings", number, "source"), binding.source
    for id in block.scoring.sources:
        yield ("scoring", "sources", id), id


def _dangling_exposures(file: CatalogFile, bound: dict[str, set[str]]) -> Iterator[Fault]:
    for number, block in enumerate(file.exposures):
        here: Path = ("exposures", number)
        offered = bound.get(block.capability)
        if offered is None:
            close = meant(block.capability, bound)
            text = f"there is no capability {block.capability!r}{close}"
            yield Fault(path=(*here, "capability"), text=text)
            continue
        for place, id in enumerate(block.sources or ()):
            if id not in offered:
                text = f"source {id!r} is not bound by the capability{meant(id, offered)}"
                yield Fault(path=(*here, "sources", place), text=text)


def _bound(file: CatalogFile) -> dict[str, set[str]]:
    """The sources each capability binds."""
    return {block.id: {b.source for b in block.bindings} for block in file.capabilities}


def _bad_slugs(file: CatalogFile) -> Iterator[Fault]:
    for number, block in enumerate(file.exposures):
        if not is_slug(block.slug):
            text = "a slug is 1 to 26 of a-z, 0-9 and _ and does not end in _fetch"
            yield Fault(path=("exposures", number, "slug"), text=text)


def _bad_weights(file: CatalogFile) -> Iterator[Fault]:
    for number, block in enumerate(file.capabilities):
        if block.scoring.semantic_weight == 0 and block.scoring.lexical_weight == 0:
            text = "the two rerank weights are both 0"
            yield Fault(path=("capabilities", number, "scoring"), text=text)


def _shown_though_hidden(file: CatalogFile) -> Iterator[Fault]:
    """Titles and fragments are shown and sent to rerankers, so they may come of no hidden field."""
    for path, mapping in _mappings(file):
        for number, field in enumerate(mapping.fields):
            hidden = field.restricted or field.masking != "none"
            if hidden and field.column in (mapping.title, mapping.text):
                text = (
                    f"{field.column!r} is the title or text of every result, "
                    f"and field {field.name!r} restricts or masks it"
                )
                yield Fault(path=(*path, "fields", number), text=text)


def _bad_record_filters(file: CatalogFile) -> Iterator[Fault]:
    for path, mapping in _mappings(file):
        for text in faults(mapping.record_filter):
            yield Fault(path=(*path, "record_filter"), text=text)


def _mappings(file: CatalogFile) -> Iterator[tuple[Path, MappingBlock]]:
    for number, source in enumerate(file.sources):
        for own, mapping in enumerate(source.mappings):
            yield ("sources", number, "mappings", own), mapping


def _no_model(file: CatalogFile) -> Iterator[Fault]:
    if file.model is not None:
        return
    for number, block in enumerate(file.capabilities):
        for stage in ("select", "plan", "rerank"):
            if getattr(block, stage) == "model":
                text = "asks a model, and there is no [model] block"
                yield Fault(path=("capabilities", number, stage), text=text)
