"""What the commands of this room share: their options, and how they end."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from eval.command import (
    CONFIG,
    FINDING,
    OK,
    SOURCE,
    USAGE,
    Done,
    ended,
    failed,
    of_system,
    parser_of,
)
from eval.exchange.summary import Summary


def parser(name: str, says: str, epilog: str) -> argparse.ArgumentParser:
    """A command's options, those of all commands here among them."""
    made = parser_of(name, says, epilog)
    made.add_argument("--force", action="store_true", help="replace what is there")
    made.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return made


def matching_options(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--strict", action="store_true", help="exit 1 where anything is missing or ambiguous"
    )
    made.add_argument(
        "--on-conflict",
        choices=["refuse", "first", "last", "max", "min"],
        default="refuse",
        help="two differing grades of one rater for one pair (default refuse)",
    )


def finish(name: str, arguments: argparse.Namespace, work: Callable[[], Summary]) -> int:
    """Does the work, says what came of it, and gives the exit code."""
    from eval.exchange.guess import Unclear
    from eval.exchange.irds import NotInstalled
    from eval.exchange.target import InTheWay
    from eval.formats.findings import FormatError

    try:
        summary = work()
    except (Unclear, InTheWay) as error:
        return failed(name, arguments, str(error), USAGE)
    except NotInstalled as error:
        return failed(name, arguments, str(error), SOURCE)
    except FormatError as error:
        hint = "\n--on-conflict decides for you: first, last, max or min"
        said = str(error) + (hint if "a second time" in str(error) else "")
        return failed(name, arguments, said, CONFIG)
    except ValueError as error:
        return failed(name, arguments, str(error), CONFIG)
    except OSError as error:
        return failed(name, arguments, of_system(error), CONFIG)
    code = FINDING if getattr(arguments, "strict", False) and not summary.clean else OK
    done = Done(document=summary.as_json(), text=summary.as_text(), code=code)
    return ended(name, arguments, done)
