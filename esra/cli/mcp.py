"""``esra mcp``: the MCP server that an AI client starts; ``esra mcp config``: how to tell it."""

import argparse
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from esra.cli.catalogs import chosen, options
from esra.cli.command import Command
from esra.cli.door import MISSING, doors_installed, opened_door, served, traces_option
from esra.cli.exits import CONFIG, OK, USAGE, say, trouble
from esra.cli.variables import named
from esra.typed import typed

if TYPE_CHECKING:
    from esra.serve import clients
    from esra.serve.stdio import Wire

CLIENTS = ("claude-desktop", "claude-code", "cursor", "vscode", "codex")


def _options(parser: argparse.ArgumentParser) -> None:
    options(parser)
    traces_option(parser)
    config = parser.add_subparsers(metavar="COMMAND").add_parser(
        "config",
        help="print what connects an AI client",
        description="Print what connects an AI client, to be pasted into its configuration.",
    )
    config.set_defaults(run=_config)
    config.add_argument("--client", required=True, choices=CLIENTS, help="which client")
    config.add_argument("--url", help=f"connect to a running `{typed('serve')}` at this address")
    config.add_argument(
        "--token-env", default="", metavar="NAME", help="environment variable of a bearer token"
    )
    options(config)


def _run(arguments: argparse.Namespace) -> int:
    if not doors_installed():
        return trouble(MISSING, CONFIG)
    from esra.serve.stdio import claim

    # Before the first import that might print.
    wire = claim()
    return served(_serve(arguments, wire))


async def _serve(arguments: argparse.Namespace, wire: "Wire") -> int:
    import asyncio
    import signal

    from esra.serve.mcp import mcp_server
    from esra.serve.stdio import serve_stdio

    task = asyncio.current_task()
    assert task is not None
    # Unwinds what was opened; the signal's own way would leave it.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with opened_door(arguments) as (door, _):
        await serve_stdio(mcp_server(door), wire)
    return OK


def _config(arguments: argparse.Namespace) -> int:
    from esra.config.strict import ConfigError
    from esra.serve import clients

    client = clients.Client(arguments.client)
    server: clients.Command | clients.Remote
    try:
        if wrong := _wrong(arguments.url, arguments.token_env):
            return trouble(wrong, USAGE)
        if arguments.url:
            server = clients.Remote(url=arguments.url, token=arguments.token_env)
        else:
            server = _started(chosen(arguments.catalog))
        text = clients.snippet(client, server)
    except clients.NotSupported as error:
        return trouble(str(error), USAGE)
    except ConfigError as error:
        return trouble(f"CONFIGURATION: {error}", CONFIG)
    say(f"goes into {clients.PLACES[client]}")
    print(text, end="")
    return OK


def _wrong(url: str | None, token: str) -> str:
    """What is wrong with the options, or ""; whoever gives the token itself is not repeated."""
    if token and not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", token):
        return "--token-env takes the name of a variable that holds the token, not the token"
    if url is not None and not re.fullmatch(r"https?://[^\s/]+\S*", url):
        return "--url takes the address of a running server, such as http://127.0.0.1:8765/mcp"
    return ""


def _started(catalog: Path) -> "clients.Command":
    from esra.serve.clients import Command as Started

    home = os.environ.get("ESRA_HOME")
    own = sorted(name for name in os.environ if name.startswith("ESRA_") and name != "ESRA_HOME")
    passed = tuple(dict.fromkeys((*named(catalog), *own)))
    if passed:
        # Their values may be secrets, so they stand in no snippet.
        say(f"the client has to pass on, with the values they have for you: {', '.join(passed)}")
    return Started(
        program=sys.executable,
        # -P: a file named esra.py in the client's folder is not us.
        arguments=("-P", "-m", "esra", "mcp", "--catalog", str(catalog)),
        environment={"ESRA_HOME": str(Path(home).expanduser().resolve())} if home else {},
        passed=passed,
    )


COMMAND = Command(
    name="mcp",
    help="serve an AI client over stdio, or print how to connect one",
    description="Serve one AI client over stdin and stdout (MCP). The client starts this itself.",
    options=_options,
    run=_run,
)
