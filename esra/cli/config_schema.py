"""``esra config schema``: what may stand in a file, for editors and checkers."""

import argparse

from esra.cli.command import Command
from esra.cli.exits import OK

KINDS = ("catalog", "tuned")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kind",
        nargs="?",
        choices=KINDS,
        default="catalog",
        help="a catalog (the default), or a tuned configuration",
    )


def _run(arguments: argparse.Namespace) -> int:
    from esra.config.schema import SCHEMAS, written

    print(written(SCHEMAS[arguments.kind]()), end="")
    return OK


COMMAND = Command(
    name="schema",
    help="print the JSON Schema of a catalog or a tuned configuration",
    description="Print the JSON Schema (2020-12) of a catalog or of a tuned configuration. "
    "docs/schema holds the same.",
    options=_options,
    run=_run,
)
