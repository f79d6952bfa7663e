"""``esra config``: what is configured, where it comes from, and what may stand there.

One file a subcommand, listed in ``PARTS``.
"""

import argparse

from esra.cli import config_history, config_rollback, config_schema, config_show, config_verify
from esra.cli.command import Command
from esra.cli.exits import USAGE

# In the order ``esra config --help`` lists them.
PARTS: tuple[Command, ...] = (
    config_show.COMMAND,
    config_schema.COMMAND,
    config_verify.COMMAND,
    config_history.COMMAND,
    config_rollback.COMMAND,
)


def _options(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for part in PARTS:
        own = commands.add_parser(part.name, help=part.help, description=part.description)
        own.set_defaults(run=part.run)
        part.options(own)


COMMAND = Command(
    name="config",
    help="what is configured, and where it comes from",
    description="The configuration: see it, and know what may stand in it.",
    options=_options,
    run=lambda arguments: USAGE,
)
