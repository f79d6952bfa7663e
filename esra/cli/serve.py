"""``esra serve``: the HTTP door, with MCP under /mcp and ``POST /v1/retrieve``."""

import argparse
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from esra.cli.catalogs import options
from esra.cli.command import Command
from esra.cli.door import MISSING, doors_installed, opened_door, served, traces_option
from esra.cli.exits import CONFIG, INTERRUPTED, OK, USAGE, say, trouble

if TYPE_CHECKING:
    from esra.domain.trust import Trust
    from esra.serve.http import Front


def _options(parser: argparse.ArgumentParser) -> None:
    options(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (this machine)")
    parser.add_argument("--port", type=int, default=8765, help="port (default 8765; 0: any)")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="HOST",
        help="answer for this Host header too (name, name:port or name:*)",
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="let pages of this origin call, such as https://app.example",
    )
    parser.add_argument(
        "--open-metrics", action="store_true", help="show /metrics to other machines too"
    )
    traces_option(parser)


def _run(arguments: argparse.Namespace) -> int:
    if not doors_installed():
        return trouble(MISSING, CONFIG)
    if not 0 <= arguments.port <= 65_535:
        return trouble("--port lies between 0 and 65535", USAGE)
    return served(_serve(arguments))


async def _serve(arguments: argparse.Namespace) -> int:
    from esra.serve.http import http_app
    from esra.serve.server import Listen, listen

    async with opened_door(arguments) as (door, trust):
        app = http_app(door, _front(arguments, trust))
        how = Listen(host=arguments.host, port=arguments.port)
        interrupted = await listen(app, how, _say_where)
    return INTERRUPTED if interrupted else OK


def _say_where(url: str) -> None:
    say(f"listening on {url}, MCP at {url}/mcp")


def _front(arguments: argparse.Namespace, trust: "Trust") -> "Front":
    """``ConfigError`` for a network without tokens."""
    from esra.config.strict import ConfigError
    from esra.serve.bearer import resource_of
    from esra.serve.edge import Addresses
    from esra.serve.http import Front

    resource = resource_of(trust)
    if resource is None and not is_loopback(arguments.host):
        raise ConfigError(
            f"--host {arguments.host} is open to other machines and no token would be asked for; "
            "configure an issuer of tokens in the catalog, or leave --host away"
        )
    own = [urlsplit(resource.url).netloc] if resource else []
    addresses = Addresses(hosts=(*own, *arguments.allow_host), pages=tuple(arguments.allow_origin))
    return Front(resource=resource, addresses=addresses, open_metrics=arguments.open_metrics)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it. A name but ``localhost`` could lead anywhere."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


COMMAND = Command(
    name="serve",
    help="serve AI clients and services over HTTP",
    description="Serve AI clients (MCP at /mcp) and services (POST /v1/retrieve) over HTTP.",
    options=_options,
    run=_run,
)
