"""Which catalog a door opens, and what is said when it cannot be opened."""

import argparse
import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from esra.cli.exits import CONFIG, OK, SOURCE, trouble
from esra.typed import typed

if TYPE_CHECKING:
    from esra.ports import TraceSink

MISSING = "this needs packages that are not installed; install them with: pip install 'esra[serve]'"


def options(parser: argparse.ArgumentParser, default: str = "the only one kept") -> None:
    """``--catalog``, which means the same wherever it is typed."""
    parser.add_argument(
        "--catalog",
        metavar="FILE|NAME",
        help=f"a catalog file, or a name under which one is kept (default: {default})",
    )


def traces_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--traces",
        type=Path,
        metavar="FILE",
        help="append a trace of every call, for `./workbench runs shadow`",
    )


@contextmanager
def traces_kept(file: Path | None) -> "Iterator[TraceSink | None]":
    """What keeps traces in ``file``; None without one."""
    if file is None:
        yield None
        return
    from esra.governance.traces import FileTraces

    with closing(FileTraces(file)) as traces:
        yield traces


def chosen(given: str | None) -> Path:
    """The catalog named, else the only one there is; ``ConfigError`` where that is not one."""
    from esra.config.strict import ConfigError

    if given is not None:
        return meant(given)
    found = every()
    if len(found) == 1:
        return found[0].absolute()
    names = ", ".join(file.stem for file in found)
    raise ConfigError(f"several catalogs are kept; name one with --catalog: {names}")


def meant(given: str) -> Path:
    """The file that ``--catalog FILE|NAME`` means; a file goes before a name."""
    path = Path(given).expanduser()
    return path.absolute() if path.is_file() else kept_as(given)


def kept_as(name: str) -> Path:
    """The catalog kept under ``name``; ``ConfigError`` says which there are."""
    from esra.config.strict import ConfigError
    from esra.governance import places

    file = places.catalog_file(places.home(), name.removeprefix("esra_"))
    if file.is_file():
        return file.absolute()
    names = ", ".join(other.stem for other in _kept())
    there = f"those kept are {names}" if names else f"none is kept yet, `{typed('init')}` makes one"
    raise ConfigError(f"there is no catalog {name}; {there}")


def every() -> list[Path]:
    """The catalogs kept in esra's folder, by name; ``ConfigError`` where there are none."""
    from esra.config.strict import ConfigError

    if found := _kept():
        return found
    raise ConfigError(
        f"no catalog is kept in {_folder()} yet; name one with --catalog, or make one: "
        f"`{typed('init')}`, `{typed('draft')}`"
    )


def _kept() -> list[Path]:
    return sorted(_folder().glob("*.toml"))


def _folder() -> Path:
    from esra.governance import places

    return places.catalog_file(places.home(), "any").parent


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
