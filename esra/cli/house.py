"""Which catalog a door opens, and what is said when it cannot be opened."""

import argparse
import asyncio
from collections.abc import Coroutine
from pathlib import Path

from esra.cli.exits import CONFIG, OK, SOURCE, trouble

MISSING = "this needs packages that are not installed; install them with: pip install 'esra[serve]'"


def options(parser: argparse.ArgumentParser) -> None:
    """``--catalog`` and what else every door takes."""
    parser.add_argument(
        "--catalog", type=Path, help="the catalog file (default: the one in esra's folder)"
    )


def chosen(given: Path | None) -> Path:
    """The catalog named, else the only one there is; ``ConfigError`` where that is not one."""
    from esra.config.strict import ConfigError
    from esra.governance import places

    if given is not None:
        return given.expanduser().absolute()
    folder = places.catalog_file(places.home(), "any").parent
    found = sorted(folder.glob("*.toml"))
    if len(found) == 1:
        return found[0].absolute()
    if not found:
        raise ConfigError(
            f"there is no catalog in {folder}; name one with --catalog, or make one: esra init"
        )
    names = ", ".join(file.name for file in found)
    raise ConfigError(f"{folder} holds {names}; name one with --catalog")


def served(work: Coroutine[None, None, int]) -> int:
    """The exit code of a door's work; what kept it from opening is said in one line."""
    from esra.config.strict import ConfigError
    from esra.embedded import EmbeddedError
    from esra.governance.secrets import SecretUnresolved
    from esra.wiring import CannotOpen

    try:
        return asyncio.run(work)
    except asyncio.CancelledError:
        return OK  # it was told to stop
    except (EmbeddedError, CannotOpen, SecretUnresolved) as error:
        return trouble(f"UNAVAILABLE: {error}", SOURCE)
    except (ConfigError, OSError) as error:
        return trouble(f"CONFIGURATION: {error}", CONFIG)


def doors_installed() -> bool:
    """Whether the packages of the serve extra are there."""
    from importlib.util import find_spec

    return all(
        find_spec(name) is not None
        for name in ("mcp", "starlette", "uvicorn", "prometheus_client", "opentelemetry")
    )
