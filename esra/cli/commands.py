"""The one table of subcommands, in the order ``esra --help`` lists them."""

from esra.cli import doctor, retrieve
from esra.cli.command import Command

COMMANDS: tuple[Command, ...] = (retrieve.COMMAND, doctor.COMMAND)
