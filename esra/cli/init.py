"""``esra init``: a first catalog that answers at once and explains every block."""

import argparse
from pathlib import Path

from esra.cli.command import Command
from esra.cli.exits import CONFIG, OK, SOURCE, USAGE, say, trouble
from esra.typed import typed

DEFAULT = "guide"


def _options(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("file", nargs="?", type=Path, metavar="FILE", help="where to write it")
    where.add_argument(
        "--name",
        help=f"keep it in esra's folder under this name (default: {DEFAULT}); "
        f"`{typed('retrieve NAME')}` finds it there",
    )
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    parser.add_argument(
        "--no-sample", action="store_true", help="write the file and load no sample for it"
    )


def _run(arguments: argparse.Namespace) -> int:
    from esra.config.faults import is_slug
    from esra.embedded import EmbeddedError
    from esra.governance import places

    slug = _slug(arguments)
    if not is_slug(slug):
        return trouble(
            f"--name {slug!r}: a name is 1 to 26 of a-z, 0-9 and _ and does not end in _fetch",
            USAGE,
        )
    base = places.home()
    file: Path = arguments.file or places.catalog_file(base, slug)
    if (file.exists() or file.is_symlink()) and not arguments.force:
        return trouble(f"{file} is there already; --force writes over it", USAGE)
    try:
        if not arguments.no_sample:
            _load(base)
        _write(file, slug)
    except EmbeddedError as error:
        return trouble(f"UNAVAILABLE: {error}; --no-sample writes the file alone", SOURCE)
    except OSError as error:
        return trouble(f"cannot write {file}: {error.strerror}", CONFIG)
    _say_next(slug, file, kept=arguments.file is None)
    return OK


def _slug(arguments: argparse.Namespace) -> str:
    from esra.doctor.draft import slug_of

    if arguments.file is not None:
        return slug_of(arguments.file.stem)
    return DEFAULT if arguments.name is None else str(arguments.name)


def _load(base: Path) -> None:
    from esra import embedded
    from esra.config.environment import forget_server_settings
    from esra.sample.load import load
    from esra.wiring import READER

    with embedded.open_database(base, say=say) as database:
        if not database.embedded:
            raise embedded.EmbeddedError(
                "ESRA_DATABASE_URL names a server of yours, and the sample goes into none; "
                f"unset it, or start with `{typed('draft env:ESRA_DATABASE_URL')}`"
            )
        forget_server_settings()
        say(f"{load(database.url, READER)} pages are in the embedded database")


def _write(file: Path, slug: str) -> None:
    from esra.cli.write import write_whole
    from esra.config.beside import LINE, keep_beside
    from esra.sample.first import first_catalog

    file.parent.mkdir(parents=True, exist_ok=True)
    schema = keep_beside(file)
    write_whole(file, (LINE if schema else "") + first_catalog(slug))
    say(f"wrote {file}")
    if schema:
        say(f"wrote {schema}, with which an editor completes and checks it")


def _say_next(slug: str, file: Path, *, kept: bool) -> None:
    import shlex

    given = shlex.quote(str(file.absolute()))
    at = "" if kept else f" --catalog {given}"
    say(f'next: {typed("retrieve")} {slug} "how are results ordered?"{at}')
    named = slug if kept else given
    say(f"then: {typed('doctor')} --catalog {named}")
    say(f"then: {typed('mcp config')} --client claude-code --catalog {named}")


COMMAND = Command(
    name="init",
    help="write a first catalog that answers at once",
    description="Write a commented catalog that runs against the embedded database at once, and "
    "load a few pages for it to answer from. Exit codes: 0 written, 2 it is there already, 3 it "
    "cannot be written, 4 the embedded database is unavailable.",
    options=_options,
    run=_run,
)
