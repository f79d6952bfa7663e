"""What the workbench's commands share: exit codes, the numbers they take, and how they end."""

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

OK, FINDING, USAGE, CONFIG, SOURCE, DEGRADED = 0, 1, 2, 3, 4, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a command came to: its JSON document, or the text for a person, and the exit code.

    notes: what else a person is told, on stderr.
    """

    document: Mapping[str, object]
    text: str
    code: int = OK
    notes: tuple[str, ...] = ()


class Expected(ValueError):
    """An error of which a program is told more than its message: ``more``, plain values by name."""

    def __init__(self, message: str, **more: object) -> None:
        super().__init__(message)
        self.more = more


class Parser(argparse.ArgumentParser):
    """Says what is wrong with a command line on stderr, and with ``--json`` as a document too."""

    _words: tuple[str, ...] = ()

    # Also what a parser of subcommands calls; the signature is argparse's own.
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._words = tuple(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        if "--json" in self._words:
            shown(self.prog, json.dumps({"error": {"message": message}}))
        super().error(message)


def parser_of(name: str, says: str, epilog: str) -> argparse.ArgumentParser:
    """The parser of a command, without options yet."""
    return Parser(
        prog=f"./workbench {name}",
        description=says,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


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


def of_system(error: OSError) -> str:
    """A file and what the system says of it: of a copy the one written, of which it may be full."""
    said, file = str(error.strerror or error), error.filename2 or error.filename
    return f"{file}: {said}" if file else said


def code_of(error: Exception, codes: Mapping[type[Exception], int]) -> int:
    """The exit code of an expected error: of the first kind in ``codes`` that it is."""
    return next(code for kind, code in codes.items() if isinstance(error, kind))


def carried_out(
    name: str,
    arguments: argparse.Namespace,
    run: Callable[[argparse.Namespace], Done],
    codes: Mapping[type[Exception], int],
) -> int:
    """Runs a command and says what came of it; ``codes`` are of the errors it may raise."""
    # A kernel or a pool of threads would fight over the cores the work needs.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        done = run(arguments)
    except tuple(codes) as error:
        of_file = isinstance(error, OSError) and error.strerror
        said = of_system(error) if of_file else str(error)
        more = error.more if isinstance(error, Expected) else {}
        return failed(name, arguments, said, code_of(error, codes), more)
    return ended(name, arguments, done)


def ended(name: str, arguments: argparse.Namespace, done: Done) -> int:
    """Prints the document or the text and hands back the exit code.

    A document has letters beyond ASCII by their number, so that it is whole on any stdout. One
    that takes no more, as on a full disk, is CONFIG.
    """
    document = arguments.json and json.dumps(done.document, indent=2, allow_nan=False)
    return done.code if shown(name, document or done.text) else CONFIG


def failed(
    name: str,
    arguments: argparse.Namespace,
    said: str,
    code: int,
    more: Mapping[str, object] | None = None,
) -> int:
    """Says why a command ends: on stderr for a person, with ``--json`` as a document as well.

    A program that reads stdout gets one document however a command ends; ``more`` stands in it.
    """
    if arguments.json:
        shown(name, json.dumps({"error": {"message": said, **(more or {})}}))
    print(f"{name}: {said}", file=sys.stderr)
    return code


def shown(name: str, text: str) -> bool:
    """Whether stdout took the text; where it did not, stderr says why."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        with suppress(OSError):
            sys.stdout.close()  # left open, Python tries again at its end, and exits with 120
        print(f"{name}: stdout: {error.strerror}", file=sys.stderr)
        return False
    return True
