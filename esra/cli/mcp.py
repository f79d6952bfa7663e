"""``esra mcp``: the MCP server that an AI client starts; ``esra mcp config``: how to tell it."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from esra.cli.command import Command
from esra.cli.exits import CONFIG, OK, USAGE, say, trouble
from esra.cli.house import MISSING, chosen, doors_installed, options, served

if TYPE_CHECKING:
    from esra.serve import clients
    from esra.serve.stdio import Wire

CLIENTS = ("claude-desktop", "claude-code", "cursor", "vscode", "codex")


def _options(parser: argparse.ArgumentParser) -> None:
    options(parser)
    config = parser.add_subparsers(metavar="COMMAND").add_parser(
        "config",
        help="print what connects an AI client",
        description="Print what connects an AI client, to be pasted into its configuration.",
    )
    config.set_defaults(run=_config)
    config.add_argument("--client", required=True, choices=CLIENTS, help="which client")
    config.add_argument("--url", help="connect to a running `esra serve` at this address")
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
    return served(_serve(arguments.catalog, wire))


async def _serve(given: Path | None, wire: "Wire") -> int:
    import asyncio
    import signal

    from esra.governance import places
    from esra.serve.door import Door
    from esra.serve.mcp import mcp_server
    from esra.serve.reload import Reload, reloading
    from esra.serve.stdio import serve_stdio
    from esra.wiring import Wishes, open_house

    task = asyncio.current_task()
    assert task is not None
    # Unwinds what was opened; the signal's own way would leave it.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with open_house(chosen(given), places.home(), Wishes(say=say)) as opened:
        for line in opened.refused:
            say(f"passed over a tuned configuration: {line}")
        door = Door(opened.house, opened.governance)
        tuned = places.tuned_folder(places.home())
        async with reloading(Reload(door, opened.reread, tuned, say, opened.refused)):
            await serve_stdio(mcp_server(door), wire)
    return OK


def _config(arguments: argparse.Namespace) -> int:
    from esra.config.strict import ConfigError
    from esra.serve import clients

    client = clients.Client(arguments.client)
    server: clients.Command | clients.Remote
    try:
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


def _started(catalog: Path) -> "clients.Command":
    from esra.serve.clients import Command as Started

    home = os.environ.get("ESRA_HOME")
    others = sorted(name for name in os.environ if name.startswith("ESRA_") and name != "ESRA_HOME")
    if others:
        # Their values may be secrets, so they stand in no snippet.
        say(f"the client has to pass on, as they are set here: {', '.join(others)}")
    return Started(
        program=sys.executable,
        # -P: a file named esra.py in the client's folder is not us.
        arguments=("-P", "-m", "esra", "mcp", "--catalog", str(catalog)),
        environment={"ESRA_HOME": str(Path(home).expanduser().resolve())} if home else {},
    )


COMMAND = Command(
    name="mcp",
    help="serve an AI client over stdio, or print how to connect one",
    description="Serve one AI client over stdin and stdout (MCP). The client starts this itself.",
    options=_options,
    run=_run,
)
