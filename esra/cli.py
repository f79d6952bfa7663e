"""The runtime's command: ``esra retrieve NAME "question"``.

Imports what a subcommand needs when it runs, so that ``--help`` answers at once.
"""

import argparse
import io
import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from esra import __version__

if TYPE_CHECKING:
    from esra.domain.response import Response

OK, USAGE, CONFIG, SOURCE, DEGRADED, INTERRUPTED = 0, 2, 3, 4, 5, 130


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0 ok, 2 usage, 3 configuration, 4 source, 5 degraded, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal without a letter shows its number and goes on.
            stream.reconfigure(errors="backslashreplace")
    arguments = _parser().parse_args(argv)
    run: Callable[[argparse.Namespace], int] = arguments.run
    try:
        return run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away; there is nobody to tell
        return OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="esra", description="Governed retrieval for AI clients.")
    parser.add_argument("--version", action="version", version=f"esra {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    retrieve = commands.add_parser(
        "retrieve", help="ask one question of a capability", description="Ask one question."
    )
    retrieve.set_defaults(run=_retrieve)
    retrieve.add_argument("name", help="the exposure's slug, with or without esra_ before it")
    retrieve.add_argument("prompt", help="the question")
    retrieve.add_argument("--catalog", type=Path, help="the catalog file (default: NAME's own)")
    retrieve.add_argument("--limit", type=int, default=10, help="results (default 10)")
    retrieve.add_argument(
        "--mode", choices=["brief", "full", "explain"], default="brief", help="how much is shown"
    )
    retrieve.add_argument("--explain", action="store_true", help="the same as --mode explain")
    retrieve.add_argument(
        "--share", type=float, metavar="0..1", help="try this semantic share for this call"
    )
    retrieve.add_argument("--seconds", type=float, default=30.0, help="time limit (default 30)")
    retrieve.add_argument("--json", action="store_true", help="one JSON document on stdout")
    retrieve.add_argument(
        "--fail-on-degraded", action="store_true", help="exit 5 when the answer has warnings"
    )
    return parser


def _retrieve(arguments: argparse.Namespace) -> int:
    import asyncio

    from esra.config.strict import ConfigError
    from esra.domain.codes import ErrorCode
    from esra.domain.outcome import Refused
    from esra.embedded import EmbeddedError
    from esra.governance.secrets import SecretUnresolved
    from esra.show import as_json, as_text
    from esra.wiring import CannotOpen

    if arguments.share is not None and not 0 <= arguments.share <= 1:
        return _trouble("--share lies between 0 and 1", USAGE)
    if not 0 < arguments.seconds < math.inf:
        return _trouble("--seconds is a number above 0", USAGE)
    try:
        response, refused = asyncio.run(_ask(arguments))
    except ConfigError as error:
        return _failed(arguments, "CONFIGURATION", str(error), CONFIG)
    except (EmbeddedError, CannotOpen, SecretUnresolved) as error:
        return _failed(arguments, "UNAVAILABLE", str(error), SOURCE)
    except Refused as error:
        usage = error.code in (ErrorCode.INVALID_REQUEST, ErrorCode.FORBIDDEN)
        return _failed(arguments, error.code.value, error.message, USAGE if usage else SOURCE)
    except OSError as error:
        return _failed(arguments, "CONFIGURATION", str(error), CONFIG)
    for line in refused:
        print(f"esra: passed over a tuned configuration: {line}", file=sys.stderr)
    print(json.dumps(as_json(response), indent=2) if arguments.json else as_text(response))
    return DEGRADED if arguments.fail_on_degraded and response.warnings else OK


async def _ask(arguments: argparse.Namespace) -> "tuple[Response, tuple[str, ...]]":
    from esra.domain.invocation import Caller, Identity, Mode, Request
    from esra.governance import places
    from esra.governance.admission import admit
    from esra.pipeline import retrieve
    from esra.wiring import Wishes, open_house, with_share

    slug = arguments.name.removeprefix("esra_")
    base = places.home()
    catalog = arguments.catalog or places.catalog_file(base, slug)
    wishes = Wishes(say=_say)
    if arguments.share is not None:
        wishes = Wishes(say=_say, change=with_share(arguments.share))
    request = Request(
        exposure=slug,
        prompt=arguments.prompt,
        caller=Caller(tenant="local", subject="local", identity=Identity.LOCAL),
        limit=arguments.limit,
        mode=Mode.EXPLAIN if arguments.explain else Mode(arguments.mode),
        seconds=arguments.seconds,
    )
    async with open_house(catalog, base, wishes) as opened:
        return await retrieve(admit(request, opened.house), opened.house), opened.refused


def _failed(arguments: argparse.Namespace, code: str, message: str, exit_code: int) -> int:
    if arguments.json:
        print(json.dumps({"error": {"code": code, "message": message}}))
    return _trouble(f"{code}: {message}", exit_code)


def _say(text: str) -> None:
    print(f"esra: {text}", file=sys.stderr)


def _trouble(text: str, code: int) -> int:
    print(f"esra: {text}", file=sys.stderr)
    return code
