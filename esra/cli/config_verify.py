"""``esra config verify``: which tuned revision orders, and why each other one does not."""

import argparse
import json
from typing import TYPE_CHECKING

from esra.cli import revisions
from esra.cli.command import Command
from esra.cli.exits import FINDING, OK

if TYPE_CHECKING:
    from esra.cli.revisions import Revisions
    from esra.config.history import Revised


def _options(parser: argparse.ArgumentParser) -> None:
    revisions.options(parser, named=False)


def _run(arguments: argparse.Namespace) -> int:
    from esra.config.history import Standing

    found = revisions.found(arguments)
    if arguments.json:
        print(json.dumps({"capabilities": [_plain(one) for one in found]}, indent=2))
    else:
        print("\n\n".join(_text(one) for one in found))
    refused = [each for one in found for each in one.told if each.standing is Standing.REFUSED]
    return FINDING if refused or any(one.missing for one in found) else OK


def _plain(one: "Revisions") -> dict[str, object]:
    from esra.config.history import in_use

    used = in_use(one.told)
    return {
        "capability": one.capability.id,
        "catalog": str(one.catalog),
        "in_use": None if used is None else used.revision,
        "models": one.models,
        "missing": list(one.missing),
        "revisions": [_revision(each) for each in one.told],
    }


def _revision(each: "Revised") -> dict[str, object]:
    file = each.file
    told: dict[str, object] = {
        "revision": each.revision,
        "path": str(each.path),
        "standing": each.standing.value,
        "why": each.why,
    }
    if file is not None:
        told |= {
            "hash": file.hash,
            "signed": each.signed,
            "key": "" if file.signature is None else file.signature.key,
            "schema": file.schema_,
            "pipeline": file.pipeline,
            "models": file.models.model_dump(),
            "data": file.data,
        }
    return told


def _text(one: "Revisions") -> str:
    from esra.config.history import in_use

    used = in_use(one.told)
    by = "the catalog's own numbers" if used is None else f"revision {used.revision}"
    lines = [f"{one.capability.id}: ordered by {by}"]
    lines += [f"  {each.revision:>4}  {each.standing:24}  {_detail(each)}" for each in one.told]
    if one.gone:
        lines.append(f"  {one.gone}")
    return "\n".join(lines)


def _detail(each: "Revised") -> str:
    if each.file is None:
        return each.why
    signature = "unsigned"
    if each.file.signature is not None:
        signature = f"signed by {each.file.signature.key}"
        signature += "" if each.signed else " (not checked: no verify keys)"
    return "  ".join(part for part in (each.file.hash[:12], signature, each.why) if part)


COMMAND = Command(
    name="verify",
    help="check every tuned revision: its hash, signature, bounds, capability, models",
    description="Check every tuned revision as the runtime does, and say which one orders. "
    "Exit codes: 0 nothing refused, 1 a revision is refused or missing, 3 no usable catalog.",
    options=_options,
    run=revisions.guarded(_run),
)
