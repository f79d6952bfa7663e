"""The runtime's command: ``esra retrieve NAME "question"`` and its neighbours.

One file a subcommand, listed in ``commands.py``; each imports what it needs when it runs, so that
``--help`` answers at once.
"""

import argparse
import io
import sys
from collections.abc import Callable, Sequence

from esra import __version__
from esra.cli.commands import COMMANDS
from esra.cli.exits import INTERRUPTED, OK
from esra.typed import typed


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code, one of ``esra.cli.exits``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal without a letter shows its number and goes on.
            stream.reconfigure(errors="backslashreplace")
    arguments = parser().parse_args(argv)
    run: Callable[[argparse.Namespace], int] = arguments.run
    try:
        return run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away; there is nobody to tell
        return OK


def parser() -> argparse.ArgumentParser:
    """The parser of every subcommand; what it parses has a ``run``."""
    whole = argparse.ArgumentParser(prog=typed(), description="Governed retrieval for AI clients.")
    whole.add_argument("--version", action="version", version=f"esra {__version__}")
    subparsers = whole.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        own = subparsers.add_parser(
            command.name, help=command.help, description=command.description
        )
        own.set_defaults(run=command.run)
        command.options(own)
    return whole
