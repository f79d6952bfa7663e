"""A door that is opened, over stdio or HTTP: what both need, and what is said when it fails."""

import argparse
import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from esra.cli.catalogs import chosen
from esra.cli.exits import CONFIG, OK, SOURCE, say, trouble
from esra.cli.variables import unset

if TYPE_CHECKING:
    from esra.domain.trust import Trust
    from esra.ports import TraceSink
    from esra.serve.door import Door

MISSING = "this needs packages that are not installed; install them with: pip install 'esra[serve]'"


def doors_installed() -> bool:
    """Whether the packages of the serve extra are there."""
    from importlib.util import find_spec

    return all(
        find_spec(name) is not None
        for name in ("mcp", "starlette", "uvicorn", "prometheus_client", "opentelemetry")
    )


def traces_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--traces",
        type=Path,
        metavar="FILE",
        help="append a trace of every call, for `./workbench runs shadow`",
    )


@asynccontextmanager
async def opened_door(arguments: argparse.Namespace) -> "AsyncIterator[tuple[Door, Trust]]":
    """The door of the catalog that was meant, which takes new tuned revisions as they come."""
    from esra.governance import places
    from esra.serve.door import Door
    from esra.serve.reload import Reload, reloading
    from esra.wiring import Wishes, open_house

    catalog = chosen(arguments.catalog)
    if missing := unset(catalog):
        say(missing)
    with _kept(arguments.traces) as traces:
        wishes = Wishes(say=say, traces=traces)
        async with open_house(catalog, places.home(), wishes) as opened:
            for line in opened.refused:
                say(f"passed over a tuned configuration: {line}")
            door = Door(opened.house, opened.governance)
            tuned = places.tuned_folder(places.home())
            async with reloading(Reload(door, opened.reread, tuned, say, opened.refused)):
                yield door, opened.trust


@contextmanager
def _kept(file: Path | None) -> "Iterator[TraceSink | None]":
    """What keeps traces in ``file``; None without one."""
    if file is None:
        yield None
        return
    from esra.governance.traces import FileTraces

    with closing(FileTraces(file)) as traces:
        yield traces


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
