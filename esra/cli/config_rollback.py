"""``esra config rollback``: orders by an earlier revision again, through a new one that says so."""

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from esra.cli import revisions
from esra.cli.command import Command
from esra.cli.exits import OK, USAGE, failed

if TYPE_CHECKING:
    from esra.cli.revisions import Revisions
    from esra.config.history import Revised
    from esra.config.tuned import TunedFile
    from esra.ports import Audit


def _options(parser: argparse.ArgumentParser) -> None:
    revisions.options(parser, named=True)
    parser.add_argument(
        "--to",
        type=int,
        metavar="N",
        help="the revision to restore, 0 for the catalog's own numbers "
        "(default: the one before the one in use)",
    )


def _run(arguments: argparse.Namespace) -> int:
    from esra.config.history import target
    from esra.config.tuned import read_tuned
    from esra.governance import places
    from esra.ports import AuditUnavailable
    from esra.wiring import open_audit

    one = revisions.one(arguments)
    back = target(one.told, arguments.to)
    try:
        with open_audit(places.home()) as audit:
            path = _restore(one, back, audit)
    except AuditUnavailable as error:
        message = f"the audit took no record, so nothing was changed ({error})"
        return failed(arguments, "AUDIT_UNAVAILABLE", message, USAGE)
    sources = frozenset(binding.source for binding in one.capability.bindings)
    made = read_tuned(
        path.read_bytes(), where=str(path), capability=one.capability.id, sources=sources
    )
    print(_told(arguments, one, back, made, str(path)))
    return OK


def _restore(one: "Revisions", back: "Revised | None", audit: "Audit") -> Path:
    """The new file. What is to be done is written down before it is done, and after."""
    from datetime import UTC, datetime

    from esra.config.history import OWN, in_use, restoring
    from esra.config.revise import write_revision

    now = in_use(one.told)
    restores = {"revision": back.revision, "hash": back.file.hash} if back and back.file else None
    replaces = {"revision": now.revision, "hash": now.file.hash} if now and now.file else None
    facts = {"restores": restores or {"revision": OWN, "hash": ""}, "replaces": replaces}
    _write_down(audit, one, {**facts, "phase": "begin"})
    evidence = {**facts, "date": datetime.now(UTC).date().isoformat()}
    path = write_revision(one.folder, restoring(one.capability, back, one.models), evidence)
    _write_down(audit, one, {**facts, "phase": "end", "revision": int(path.stem)})
    return path


def _write_down(audit: "Audit", one: "Revisions", facts: dict[str, object]) -> None:
    from esra.domain.codes import AuditEvent

    local = one.loaded.trust.local
    record = {
        "event": AuditEvent.CONFIG_ROLLBACK.value,
        "tenant": local.tenant,
        "subject": local.subject,
        "identity": "local",
        "capability": one.capability.id,
        "account": os.getuid(),
        **facts,
    }
    audit.write([record])


def _told(
    arguments: argparse.Namespace,
    one: "Revisions",
    back: "Revised | None",
    made: "TunedFile",
    path: str,
) -> str:
    if arguments.json:
        document = {
            "capability": one.capability.id,
            "revision": made.revision,
            "restores": 0 if back is None else back.revision,
            "hash": made.hash,
            "signed": made.signature is not None,
            "path": path,
        }
        return json.dumps(document, indent=2)
    what = "the catalog's own numbers" if back is None else f"revision {back.revision}"
    return f"{one.capability.id}: revision {made.revision} orders as {what} did\n{path}"


COMMAND = Command(
    name="rollback",
    help="order by an earlier revision again",
    description="Write a new revision with the numbers of an earlier one, and say so in the audit. "
    "Nothing is taken away; a second rollback undoes the first.",
    options=_options,
    run=revisions.guarded(_run),
)
