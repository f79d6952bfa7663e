"""Which capability a name means and what its revisions are, for the commands that tell of them."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from esra.cli.catalogs import every, meant
from esra.cli.catalogs import options as catalog_option
from esra.cli.exits import CONFIG, SOURCE, USAGE, failed

if TYPE_CHECKING:
    from esra.config.catalog import Loaded
    from esra.config.history import Revised
    from esra.domain.capability import Capability


@dataclass(frozen=True, slots=True, kw_only=True)
class Revisions:
    """A capability of a catalog, the models that are asked for it here, its revisions.

    ``missing`` are the numbers of revisions that were written and are gone.
    """

    catalog: Path
    loaded: "Loaded"
    capability: "Capability"
    models: dict[str, str]
    folder: Path
    told: "tuple[Revised, ...]"
    missing: tuple[int, ...]

    @property
    def gone(self) -> str:
        """The missing ones as a line to show; "" where none is."""
        numbers = ", ".join(map(str, self.missing))
        return f"missing: {numbers}; no command takes a revision away" if numbers else ""


def options(parser: argparse.ArgumentParser, *, named: bool) -> None:
    """NAME (needed if ``named``), ``--catalog`` and ``--json``."""
    text = "the capability, or the slug of an exposure of it, with or without esra_ before it"
    parser.add_argument("name", metavar="NAME", nargs=None if named else "?", help=text)
    catalog_option(parser, default="all that are kept")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def guarded(
    work: Callable[[argparse.Namespace], int],
) -> Callable[[argparse.Namespace], int]:
    """``work``, with what keeps it from being done said in one line."""

    def run(arguments: argparse.Namespace) -> int:
        from esra.config.history import NoWayBack
        from esra.config.strict import ConfigError
        from esra.governance.secrets import SecretUnresolved
        from esra.wiring import CannotOpen

        try:
            return work(arguments)
        except NoWayBack as error:
            return failed(arguments, "NOT_RESTORED", str(error), USAGE)
        except (CannotOpen, SecretUnresolved) as error:
            return failed(arguments, "UNAVAILABLE", str(error), SOURCE)
        except (ConfigError, OSError) as error:
            return failed(arguments, "CONFIGURATION", str(error), CONFIG)

    return run


def found(arguments: argparse.Namespace) -> list[Revisions]:
    """Every capability that NAME means, or all; ``ConfigError`` where it means none."""
    import asyncio

    from esra.config.catalog import load_catalog
    from esra.config.strict import ConfigError

    all_found: list[Revisions] = []
    for catalog in [meant(arguments.catalog)] if arguments.catalog else every():
        loaded = load_catalog(catalog)
        wanted = _wanted(loaded, arguments.name)
        if wanted:
            all_found += asyncio.run(_revisions(catalog, loaded, wanted))
    if not all_found and arguments.name is not None:
        raise ConfigError(f"no catalog has {arguments.name!r}; name its catalog with --catalog")
    return all_found


def one(arguments: argparse.Namespace) -> Revisions:
    """The one capability that NAME means."""
    from esra.config.strict import ConfigError

    named = found(arguments)
    if len(named) > 1:
        places = ", ".join(str(each.catalog) for each in named)
        raise ConfigError(f"{arguments.name!r} stands in {places}; choose with --catalog")
    return named[0]


def _wanted(loaded: "Loaded", name: str | None) -> "list[Capability]":
    known = loaded.catalog.capabilities
    if name is None:
        return list(known)
    slug = name.removeprefix("esra_")
    exposure = loaded.catalog.exposure(slug)
    id = exposure.capability if exposure is not None else slug
    return [capability for capability in known if capability.id == id]


async def _revisions(
    catalog: Path, loaded: "Loaded", wanted: "list[Capability]"
) -> list[Revisions]:
    from esra.config.apply import last_given
    from esra.config.history import history, missing
    from esra.config.keys import verify_keys
    from esra.governance import places
    from esra.wiring import identities_of

    base, keys = places.home(), verify_keys()
    identities = await identities_of(loaded, catalog.parent, base)
    told = []
    for capability in wanted:
        sources = frozenset(binding.source for binding in capability.bindings)
        folder, models = places.tuned_folder(base) / capability.id, identities[capability.id]
        last = last_given(folder)  # before the files: one that is written in between is not gone
        own = history(folder, capability.id, sources, models, keys)
        told.append(
            Revisions(
                catalog=catalog,
                loaded=loaded,
                capability=capability,
                models=models,
                folder=folder,
                told=own,
                missing=missing(own, last),
            )
        )
    return told
