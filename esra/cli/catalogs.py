"""Which catalog a command means."""

import argparse
from pathlib import Path

from esra.typed import typed


def options(parser: argparse.ArgumentParser, default: str = "the only one kept") -> None:
    """``--catalog``, which means the same wherever it is typed."""
    parser.add_argument(
        "--catalog",
        metavar="FILE|NAME",
        help=f"a catalog file, or a name under which one is kept (default: {default})",
    )


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
