"""``esra doctor``: what is wrong with each source, before a user meets it."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from esra.cli.catalogs import every, meant, options
from esra.cli.command import Command
from esra.cli.exits import CONFIG, FINDING, OK, SOURCE, failed, say

if TYPE_CHECKING:
    from esra.doctor.finding import Finding


def _options(parser: argparse.ArgumentParser) -> None:
    options(parser, default="all that are kept")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def _run(arguments: argparse.Namespace) -> int:
    import asyncio

    from esra.config.strict import ConfigError
    from esra.doctor.show import as_json, as_text
    from esra.embedded import EmbeddedError

    try:
        findings = asyncio.run(_examine(_catalogs(arguments.catalog)))
    except ConfigError as error:
        return failed(arguments, "CONFIGURATION", str(error), CONFIG)
    except EmbeddedError as error:
        return failed(arguments, "UNAVAILABLE", str(error), SOURCE)
    except OSError as error:
        return failed(arguments, "CONFIGURATION", str(error), CONFIG)
    print(json.dumps(as_json(findings), indent=2) if arguments.json else as_text(findings))
    return _exit_code(findings)


def _catalogs(given: str | None) -> list[Path]:
    """The files that were meant; ``ConfigError`` where there are none."""
    return every() if given is None else [meant(given)]


async def _examine(catalogs: "list[Path]") -> "tuple[Finding, ...]":
    import time

    from esra.config.catalog import load_catalog
    from esra.doctor.callers import caller_findings
    from esra.doctor.examine import examine
    from esra.governance import places
    from esra.wiring import Wishes, open_engines

    found: list[Finding] = []
    for file in catalogs:
        loaded = load_catalog(file)
        found += caller_findings(loaded.trust, loaded.catalog)
        async with open_engines(loaded, file.parent, places.home(), Wishes(say=say)) as engines:
            found += await examine(loaded.catalog, loaded.providers, engines, time.time)
    return tuple(found)


def _exit_code(findings: "tuple[Finding, ...]") -> int:
    from esra.doctor.finding import Fault, Severity

    if any(finding.fault is Fault.UNAVAILABLE for finding in findings):
        return SOURCE
    return OK if all(finding.severity is Severity.OK for finding in findings) else FINDING


COMMAND = Command(
    name="doctor",
    help="say what is wrong with each source",
    description="Ask each source's server what would go wrong, and say what to do. "
    "Exit codes: 0 nothing found, 1 findings, 3 the catalog is wrong, 4 a server is unavailable.",
    options=_options,
    run=_run,
)
