"""What is wrong with a catalog beyond its shape: names that lead nowhere, parts that cannot be.

Each fault is one line for a person to mend.
"""

import re

from esra.config.access import access_faults
from esra.config.blocks import CatalogFile
from esra.config.record_filter import faults
from esra.config.trust import trust_faults

SLUG = re.compile(r"\A[a-z0-9_]{1,26}\Z")


def catalog_faults(file: CatalogFile) -> list[str]:
    """Every fault of a catalog, in no order that matters."""
    return [
        *_unique(file),
        *_dangling(file),
        *_bad_slugs(file),
        *_bad_weights(file),
        *_no_model(file),
        *_shown_though_hidden(file),
        *_bad_record_filters(file),
        *access_faults(file.exposures, _bound(file)),
        *trust_faults(file.governance),
    ]


def _unique(file: CatalogFile) -> list[str]:
    lists = {
        "sources": [block.id for block in file.sources],
        "capabilities": [block.id for block in file.capabilities],
        "exposures": [block.slug for block in file.exposures],
    }
    return [
        f"{kind}: {id!r} stands twice"
        for kind, ids in lists.items()
        for id in sorted({id for id in ids if ids.count(id) > 1})
    ]


def _dangling(file: CatalogFile) -> list[str]:
    sources = {block.id for block in file.sources}
    capabilities = _bound(file)
    found = [
        f"sources.{block.id}: there is no provider {block.provider!r}"
        for block in file.sources
        if block.provider not in file.providers
    ]
    for block in file.capabilities:
        named = {b.source for b in block.bindings} | set(block.scoring.sources)
        found += [
            f"capabilities.{block.id}: there is no source {id!r}" for id in sorted(named - sources)
        ]
    for exposure in file.exposures:
        bound = capabilities.get(exposure.capability)
        if bound is None:
            found.append(f"exposures.{exposure.slug}: no capability {exposure.capability!r}")
        else:
            stray = sorted(set(exposure.sources or ()) - bound)
            found += [f"exposures.{exposure.slug}: {id!r} is not bound" for id in stray]
    return found


def _bound(file: CatalogFile) -> dict[str, set[str]]:
    """The sources each capability binds."""
    return {block.id: {b.source for b in block.bindings} for block in file.capabilities}


def _bad_slugs(file: CatalogFile) -> list[str]:
    return [
        f"exposures.{block.slug}: a slug is 1 to 26 of a-z, 0-9 and _ and does not end in _fetch"
        for block in file.exposures
        if not SLUG.match(block.slug) or block.slug.endswith("_fetch")
    ]


def _bad_weights(file: CatalogFile) -> list[str]:
    return [
        f"capabilities.{block.id}.scoring: the two rerank weights are both 0"
        for block in file.capabilities
        if block.scoring.semantic_weight == 0 and block.scoring.lexical_weight == 0
    ]


def _shown_though_hidden(file: CatalogFile) -> list[str]:
    """Titles and fragments are shown and sent to rerankers, so they may come of no hidden field."""
    return [
        f"sources.{source.id}.{mapping.id}: {field.column!r} is the title or text of every result, "
        f"and field {field.name!r} restricts or masks it"
        for source in file.sources
        for mapping in source.mappings
        for field in mapping.fields
        if (field.restricted or field.masking != "none")
        and field.column in (mapping.title, mapping.text)
    ]


def _bad_record_filters(file: CatalogFile) -> list[str]:
    return [
        f"sources.{source.id}.{mapping.id}.record_filter: {fault}"
        for source in file.sources
        for mapping in source.mappings
        for fault in faults(mapping.record_filter)
    ]


def _no_model(file: CatalogFile) -> list[str]:
    if file.model is not None:
        return []
    return [
        f"capabilities.{block.id}.{stage}: asks a model, and there is no [model] block"
        for block in file.capabilities
        for stage in ("select", "plan", "rerank")
        if getattr(block, stage) == "model"
    ]
