"""``esra draft URL``: a first catalog of a database, read from its catalogue alone."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from esra.cli.command import Command
from esra.cli.exits import CONFIG, FINDING, OK, SOURCE, USAGE, say, trouble
from esra.typed import typed

if TYPE_CHECKING:
    from esra.domain.described import Server
    from esra.domain.outcome import Failed

# Relations of one draft: a person reads it.
MOST = 500


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "url",
        metavar="URL",
        help="postgresql://user@host/database, or env:NAME, which keeps a password out of sight",
    )
    parser.add_argument("--schema", help="only this schema (default: every one)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: stdout")
    parser.add_argument("--force", action="store_true", help="write over FILE")


def _run(arguments: argparse.Namespace) -> int:
    import asyncio

    from esra.doctor.draft import draft, searchable, slug_of, variable_of
    from esra.doctor.engine import unavailable
    from esra.domain.outcome import Failed

    file: Path | None = arguments.output
    if file is not None and file.exists() and not arguments.force:
        return trouble(f"{file} is there already; --force writes over it", USAGE)
    by_name = arguments.url.startswith("env:")
    told = asyncio.run(_survey(_address(arguments.url), arguments.schema))
    if isinstance(told, Failed):
        where = arguments.url if by_name else "URL"
        found = unavailable(where, where, told.code)
        return trouble(f"{found.text}; {found.advice}", SOURCE)
    reference = arguments.url if by_name else f"env:{variable_of(told.database)}"
    text = draft(told, reference, arguments.schema)
    if file is None:
        sys.stdout.write(text)
    else:
        try:
            _write(file, text)
        except OSError as error:
            return trouble(f"cannot write {file}: {error.strerror}", CONFIG)
    count = searchable(told)
    say(f"{count} of {len(told.tables)} relations that this role may read can be searched")
    if file is not None and count:
        say(f"next: {typed('doctor')} --catalog {file}")
        say(f'then: {typed("retrieve")} {slug_of(told.database)} "a question" --catalog {file}')
    return OK if count else FINDING


def _address(url: str) -> Callable[[], str]:
    from functools import partial

    from esra.governance import secrets

    return partial(secrets.resolve, url, Path()) if url.startswith("env:") else partial(str, url)


async def _survey(address: Callable[[], str], schema: str | None) -> "Server | Failed":
    from esra.wiring import open_engine

    async with open_engine(address) as engine:
        return await engine.survey(schema, MOST)


def _write(file: Path, text: str) -> None:
    from esra.cli.write import write_whole
    from esra.config.beside import LINE, keep_beside

    write_whole(file, (LINE if keep_beside(file) else "") + text)


COMMAND = Command(
    name="draft",
    help="write a first catalog of a database",
    description="Read a database's catalogue and write a commented catalog: a source for each "
    "relation that can be searched, and for the others what is missing. Changes nothing there. "
    "Exit codes: 0 written, 1 written and nothing in it can be searched, 4 the server is "
    "unavailable.",
    options=_options,
    run=_run,
)
