"""``esra config show``: what is in force, and where each value comes from."""

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from esra.cli.catalogs import chosen, options
from esra.cli.command import Command
from esra.cli.exits import CONFIG, OK, failed, say

if TYPE_CHECKING:
    from esra.config.catalog import Loaded
    from esra.config.origin import Value
    from esra.config.tuned import TunedFile


def _options(parser: argparse.ArgumentParser) -> None:
    options(parser)
    parser.add_argument("--origin", action="store_true", help="say where each value comes from")
    parser.add_argument("--json", action="store_true", help="one JSON document, with origins")


def _run(arguments: argparse.Namespace) -> int:
    from esra.config.strict import ConfigError

    try:
        told = list(_told(arguments.catalog))
    except (ConfigError, OSError) as error:
        return failed(arguments, "CONFIGURATION", str(error), CONFIG)
    if arguments.json:
        print(json.dumps({"values": [_plain(value) for value in told]}, indent=2))
    else:
        print("\n".join(_text(value, arguments.origin) for value in told))
    return OK


def _told(given: str | None) -> "list[Value]":
    from esra.cli.settings import settings
    from esra.config.catalog import checked
    from esra.config.origin import Origin, Value, values
    from esra.config.written import read_catalog
    from esra.governance import places

    base = places.home()
    path = chosen(given)
    named = Origin.DEFAULT if given is None else Origin.COMMAND
    where = "" if given is None else "--catalog"
    written = read_catalog(path)
    loaded = checked(written)
    revisions = _revisions(loaded, path.parent, base)
    return [
        Value(key="catalog", value=str(path), origin=named, where=where),
        *settings(base, os.environ),
        *values(written, loaded, revisions),
    ]


def _revisions(loaded: "Loaded", folder: Path, base: Path) -> "dict[str, TunedFile]":
    """The tuned file in use, by capability; what is passed over is said."""
    import asyncio

    from esra.config.apply import newest
    from esra.config.keys import verify_keys
    from esra.governance import places
    from esra.wiring import CannotOpen, identities_of

    try:
        models = asyncio.run(identities_of(loaded, folder, base))
    except CannotOpen as error:
        say(f"tuned numbers are not shown: {error}")
        return {}
    used, keys = {}, verify_keys()
    for capability in loaded.catalog.capabilities:
        sources = frozenset(binding.source for binding in capability.bindings)
        own = places.tuned_folder(base) / capability.id
        found = newest(own, capability.id, sources, models[capability.id], keys)
        for line in found.refused:
            say(f"passed over a tuned configuration: {line}")
        if found.file is not None:
            used[capability.id] = found.file
    return used


def _plain(value: "Value") -> dict[str, object]:
    return {
        "key": value.key,
        "value": value.value,
        "origin": value.origin.value,
        "where": value.where,
        "note": value.note,
    }


def _text(value: "Value", origin: bool) -> str:
    # What somebody calls a synonym could hold a line break.
    key = value.key if value.key.isprintable() else _written(value.key)
    line = f"{key} = {_written(value.value)}"
    if not origin:
        return line
    from_where = f"{value.origin}: {value.where}" if value.where else str(value.origin)
    return f"{line}  # {from_where}" + (f" ({value.note})" if value.note else "")


def _written(value: object) -> str:
    """As TOML would have it; ``none`` for what is not set."""
    from esra.doctor.toml import string

    if isinstance(value, str):
        return string(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return "none" if value is None else json.dumps(value)


COMMAND = Command(
    name="show",
    help="what is in force, and with --origin where it comes from",
    description="Print what is in force. Where several speak about one value, the command line "
    "goes before the environment, the environment before the file, the file before the default; "
    "a tuned revision speaks about tunables only and goes before them all.",
    options=_options,
    run=_run,
)
