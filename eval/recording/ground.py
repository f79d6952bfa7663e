"""What is recorded over: a catalog that can be opened, an exposure of it, and the labels."""

import argparse
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from esra.config.catalog import load_catalog
from esra.config.strict import ConfigError
from esra.domain.capability import Capability
from eval.catalog import slug_of
from eval.dataset import Federation, Query, load_federation
from eval.progress import Progress
from eval.recording.labelled import Set, of_files, of_folders
from eval.tune.folders import Order, ready


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """``catalog`` is the file, ``exposure`` the slug that is asked."""

    catalog: Path
    exposure: str
    capability: Capability
    labels: Set


@contextmanager
def ground(arguments: argparse.Namespace, base: Path, progress: Progress) -> Iterator[Ground]:
    """As the command line says; folders without a catalog are loaded first, and stay readable
    until the block ends. Raises the readers' own errors.
    """
    federation = load_federation(arguments.data) if arguments.data else None
    if arguments.catalog is not None or federation is None:
        yield _known(arguments, federation)
        return
    made = Order(name=arguments.name, federation=federation)
    with ready(made, base, progress) as (catalog, capability):
        labels = of_folders(federation).first(arguments.queries, _order)
        slug = slug_of(arguments.name)
        yield Ground(catalog=catalog, exposure=slug, capability=capability, labels=labels)


def _order(query: Query) -> bytes:
    """Which queries are the first N depends on each query alone."""
    return hashlib.sha256(query.id.encode()).digest()


def _known(arguments: argparse.Namespace, federation: Federation | None) -> Ground:
    catalog = arguments.catalog.expanduser().absolute()
    exposure, capability = _exposed(catalog, arguments.exposure)
    sources = [binding.source for binding in capability.bindings]
    if federation is None:
        found = of_files(arguments.questions, arguments.qrels, sources)
    else:
        found = of_folders(federation)
        strange = sorted({source.name for source in federation.sources} - set(sources))
        if strange:
            raise ConfigError(
                f"{catalog}: {capability.id!r} has no source {strange[0]!r}, which is a folder's "
                "name; name the folder as its source"
            )
    labels = found.first(arguments.queries, _order)
    return Ground(catalog=catalog, exposure=exposure, capability=capability, labels=labels)


def _exposed(path: Path, wished: str | None) -> tuple[str, Capability]:
    known = load_catalog(path).catalog
    slugs = [exposure.slug for exposure in known.exposures]
    if wished is None and len(slugs) != 1:
        raise ConfigError(f"{path} has the exposures {', '.join(slugs)}; name one with --exposure")
    exposure = known.exposure(wished or slugs[0])
    capability = exposure and known.capability(exposure.capability)
    if exposure is None or capability is None:
        raise ConfigError(f"{path} has no exposure {wished!r}; it has {', '.join(slugs)}")
    return exposure.slug, capability
