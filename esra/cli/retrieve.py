"""``esra retrieve NAME "question"``: asks one question of a capability."""

import argparse
import json
import math
import sys
from typing import TYPE_CHECKING

from esra.cli.catalogs import kept_as, meant, options
from esra.cli.command import Command
from esra.cli.exits import CONFIG, DEGRADED, OK, SOURCE, USAGE, failed, say, trouble
from esra.typed import typed

if TYPE_CHECKING:
    from esra.domain.response import Response


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the exposure's slug, with or without esra_ before it")
    parser.add_argument("prompt", help="the question")
    options(parser, default="NAME's own")
    parser.add_argument("--limit", type=int, default=10, help="results (default 10)")
    parser.add_argument(
        "--mode", choices=["brief", "full", "explain"], default="brief", help="how much is shown"
    )
    parser.add_argument("--explain", action="store_true", help="the same as --mode explain")
    parser.add_argument(
        "--share", type=float, metavar="0..1", help="try this semantic share for this call"
    )
    parser.add_argument("--seconds", type=float, default=30.0, help="time limit (default 30)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument(
        "--fail-on-degraded", action="store_true", help="exit 5 when the answer has warnings"
    )


def _run(arguments: argparse.Namespace) -> int:
    import asyncio

    from esra.config.strict import ConfigError
    from esra.domain.codes import ErrorCode, WarningCode
    from esra.domain.outcome import Refused
    from esra.embedded import EmbeddedError
    from esra.governance.secrets import SecretUnresolved
    from esra.show import as_json, as_text
    from esra.wiring import CannotOpen

    if arguments.share is not None and not 0 <= arguments.share <= 1:
        return trouble("--share lies between 0 and 1", USAGE)
    if not 0 < arguments.seconds < math.inf:
        return trouble("--seconds is a number above 0", USAGE)
    try:
        response, refused = asyncio.run(_ask(arguments))
    except ConfigError as error:
        return failed(arguments, "CONFIGURATION", str(error), CONFIG)
    except (EmbeddedError, CannotOpen, SecretUnresolved) as error:
        return failed(arguments, "UNAVAILABLE", str(error), SOURCE)
    except Refused as error:
        usage = error.code in (ErrorCode.INVALID_REQUEST, ErrorCode.FORBIDDEN)
        return failed(arguments, error.code.value, error.message, USAGE if usage else SOURCE)
    except OSError as error:
        return failed(arguments, "CONFIGURATION", str(error), CONFIG)
    for line in refused:
        print(f"esra: passed over a tuned configuration: {line}", file=sys.stderr)
    print(json.dumps(as_json(response), indent=2) if arguments.json else as_text(response))
    if any(warning.code is WarningCode.SOURCE_FAILED for warning in response.warnings):
        say(f"why a source failed is told by: {_doctor(arguments.catalog or arguments.name)}")
    return DEGRADED if arguments.fail_on_degraded and response.warnings else OK


def _doctor(catalog: str) -> str:
    import shlex

    return f"{typed('doctor')} --catalog {shlex.quote(catalog)}"


async def _ask(arguments: argparse.Namespace) -> "tuple[Response, tuple[str, ...]]":
    from esra.domain.invocation import Mode
    from esra.governance import places
    from esra.serve.invoke import Ask, invoke
    from esra.wiring import Wishes, open_house, with_share

    slug = arguments.name.removeprefix("esra_")
    base = places.home()
    catalog = meant(arguments.catalog) if arguments.catalog else kept_as(slug)
    wishes = Wishes(say=say)
    if arguments.share is not None:
        wishes = Wishes(say=say, change=with_share(arguments.share))
    ask = Ask(
        exposure=slug,
        prompt=arguments.prompt,
        limit=arguments.limit,
        mode=Mode.EXPLAIN if arguments.explain else Mode(arguments.mode),
        seconds=arguments.seconds,
    )
    async with open_house(catalog, base, wishes) as opened:
        response = await invoke(None, ask, opened.house, opened.governance)
        return response, opened.refused


COMMAND = Command(
    name="retrieve",
    help="ask one question of a capability",
    description="Ask one question.",
    options=_options,
    run=_run,
)
