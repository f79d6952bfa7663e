"""``esra audit``: whether the audit is whole, what it says, and where it is kept."""

import argparse
import json
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from esra.cli.command import Command
from esra.cli.exits import CONFIG, FINDING, OK, SOURCE, USAGE, failed, trouble

if TYPE_CHECKING:
    from esra.governance.audit.settings import Settings


def _options(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(json=False, log=None)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    verify = _added(commands, "verify", _verify, "find what was changed, removed, moved or added")
    verify.add_argument("--head", action="append", default=[], help="a head exported before")
    verify.add_argument("--json", action="store_true", help="one JSON document on stdout")
    head = _added(commands, "head", _head, "print the head, to be kept where nobody else writes")
    tail = _added(commands, "tail", _tail, "the last records, one JSON object a line")
    tail.add_argument("-n", type=int, default=20, help="how many (default 20)")
    show = _added(commands, "show", _show, "the records of one correlation or invocation")
    show.add_argument("id", help="a correlation id or an invocation id")
    for one in (verify, head, tail, show):
        one.add_argument("--log", type=Path, help="the log's folder (default: esra's own)")
    init = _added(commands, "init", _init, "make the role and the tables of an audit in PostgreSQL")
    init.add_argument(
        "--admin",
        required=True,
        metavar="REFERENCE",
        help="where an administrator's URL is: env:NAME or file:PATH",
    )


def _added(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    work: Callable[[argparse.Namespace], int],
    text: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=lambda arguments: _guarded(work, arguments))
    return parser


def _guarded(work: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    from esra.governance.audit.chain import KeyUnusable
    from esra.governance.audit.tables import ServerTrouble
    from esra.governance.secrets import SecretUnresolved

    try:
        return work(arguments)
    except SecretUnresolved as error:
        return failed(arguments, "KEY_MISSING", str(error), CONFIG)
    except (KeyUnusable, FileNotFoundError, LookupError) as error:
        return failed(arguments, "CONFIGURATION", str(error), CONFIG)
    except ServerTrouble as error:
        message = f"the audit's server cannot be asked ({error})"
        return failed(arguments, "UNAVAILABLE", message, SOURCE)
    except OSError as error:
        return failed(arguments, "UNAVAILABLE", str(error), SOURCE)


def _settings(arguments: argparse.Namespace) -> "Settings":
    """Where the log is; ``FileNotFoundError`` where none was ever written."""
    from esra.governance import places
    from esra.governance.audit.file import HEAD
    from esra.governance.audit.files import names, size_of
    from esra.governance.audit.settings import settings

    own = settings(places.home())
    if arguments.log is not None:
        own = replace(own, log=arguments.log, in_tables=False)
    if not own.in_tables and not names(own.log) and not size_of(own.head, HEAD):
        raise FileNotFoundError(f"there is no audit in {own.log}; name its folder with --log")
    return own


def _verify(arguments: argparse.Namespace) -> int:
    from esra.governance.audit.chain import keys_of
    from esra.governance.audit.settings import existing_key
    from esra.governance.audit.show import as_json, as_text
    from esra.governance.audit.verify import Anchor, verify
    from esra.governance.audit.view import view_of

    try:
        anchors = [Anchor.parse(text) for text in arguments.head]
    except ValueError as error:
        return trouble(str(error), USAGE)
    own = _settings(arguments)
    keys = keys_of(existing_key(own))
    with view_of(own, keys) as view:
        report = verify(view, keys, anchors)
    print(json.dumps(as_json(report), indent=2) if arguments.json else as_text(report))
    return OK if report.whole else FINDING


def _head(arguments: argparse.Namespace) -> int:
    from esra.governance.audit.chain import keys_of
    from esra.governance.audit.head import exported
    from esra.governance.audit.settings import existing_key
    from esra.governance.audit.view import view_of

    own = _settings(arguments)
    with view_of(own, keys_of(existing_key(own))) as view:
        if view.head is None:
            return trouble(str(view.trouble), FINDING)
        print(exported(view.head))
    return OK


def _tail(arguments: argparse.Namespace) -> int:
    from esra.governance.audit.view import lines_of

    with lines_of(_settings(arguments)) as lines:
        for line in deque(lines, maxlen=max(0, arguments.n)):
            print(line.data.decode("ascii", "backslashreplace"))
    return OK


def _show(arguments: argparse.Namespace) -> int:
    from esra.governance.audit.record import parsed
    from esra.governance.audit.view import lines_of

    found = 0
    with lines_of(_settings(arguments)) as lines:
        for line in lines:
            record = parsed(line.data)
            if record is not None and arguments.id in (record.correlation, record.invocation):
                print(line.data.decode("ascii", "backslashreplace"))
                found += 1
    return OK if found else trouble(f"no record has the id {arguments.id!r}", FINDING)


def _init(arguments: argparse.Namespace) -> int:
    from esra.governance import places, secrets
    from esra.governance.audit import tables

    tables.prepare(secrets.resolve(arguments.admin, places.home()))
    print(f"the tables are there; ESRA_AUDIT_URL is to lead to them as {tables.ROLE}")
    return OK


COMMAND = Command(
    name="audit",
    help="whether the audit is whole, and what it says",
    description="The audit: verify it, read it, export its head.",
    options=_options,
    run=lambda arguments: USAGE,
)
