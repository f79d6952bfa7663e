"""The one table of subcommands, in the order ``esra --help`` lists them."""

from esra.cli import audit, config, doctor, draft, init, mcp, retrieve, serve
from esra.cli.command import Command

COMMANDS: tuple[Command, ...] = (
    init.COMMAND,
    retrieve.COMMAND,
    serve.COMMAND,
    mcp.COMMAND,
    doctor.COMMAND,
    audit.COMMAND,
    config.COMMAND,
    draft.COMMAND,
)
