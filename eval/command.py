"""What the workbench's commands share: exit codes, the numbers they take, and how they fail."""

import argparse
import json
import math
import sys
from pathlib import Path

OK, FINDING, USAGE, CONFIG, SOURCE, DEGRADED = 0, 1, 2, 3, 4, 5


def count(text: str) -> int:
    """An option's whole number above 0."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def amount(text: str) -> float:
    """An option's finite number of 0 or more."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return value


def catalog(text: str) -> Path:
    """An option's catalog: a file, or the name under which one is kept, as the runtime takes it.

    What is neither is handed on as a file, for the command to say what is wrong with it.
    """
    from esra.cli.catalogs import meant
    from esra.config.strict import ConfigError

    try:
        return meant(text)
    except ConfigError:
        return Path(text)


def of_system(error: OSError, name: str) -> str:
    """A file and what the system says of it: of a copy the one written, of which it may be full."""
    return f"{error.filename2 or error.filename or name}: {error.strerror or error}"


def failed(name: str, arguments: argparse.Namespace, said: str, code: int) -> int:
    """Says on stderr what went wrong, with ``--json`` on stdout as well; hands back ``code``.

    A program that reads stdout gets one document however a command ends.
    """
    if arguments.json:
        print(json.dumps({"error": {"message": said}}, ensure_ascii=False))
    print(f"{name}: {said}", file=sys.stderr)
    return code
