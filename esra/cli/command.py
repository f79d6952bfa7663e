"""What a subcommand is: a name, a line of help, its options and what it does."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """``options`` adds to the subcommand's parser; ``run`` gives the exit code.

    A command with commands of its own adds subparsers in ``options``, and there sets each one's
    ``run`` as a default of its parser, which then is what runs.
    """

    name: str
    help: str
    description: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
