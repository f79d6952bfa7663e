"""``esra config history``: what each tuned revision set, on what evidence, and when."""

import argparse
import json
from typing import TYPE_CHECKING

from esra.cli import revisions
from esra.cli.command import Command
from esra.cli.exits import OK

if TYPE_CHECKING:
    from esra.config.history import Revised

OF_INTEREST = ("date", "measure", "before", "after", "sealed", "way", "told", "why", "restores")


def _options(parser: argparse.ArgumentParser) -> None:
    revisions.options(parser, named=True)


def _run(arguments: argparse.Namespace) -> int:
    one = revisions.one(arguments)
    if arguments.json:
        document = {
            "capability": one.capability.id,
            "revisions": [_plain(each) for each in one.told],
            "missing": list(one.missing),
        }
        print(json.dumps(document, indent=2))
    elif one.told or one.gone:
        print("\n".join([*map(_text, one.told), *filter(None, [one.gone])]))
    else:
        print(f"{one.capability.id} has no tuned revision; the catalog's own numbers order")
    return OK


def _plain(each: "Revised") -> dict[str, object]:
    plain: dict[str, object] = {"revision": each.revision, "standing": each.standing.value}
    if each.file is None:
        return {**plain, "why": each.why}
    evidence = each.file.evidence
    return {
        **plain,
        "hash": each.file.hash,
        "tunables": each.file.tunables.model_dump(exclude_none=True, exclude_defaults=True),
        "evidence": {name: evidence[name] for name in OF_INTEREST if name in evidence},
    }


def _text(each: "Revised") -> str:
    if each.file is None:
        return f"{each.revision:>4}  {each.standing}: {each.why}"
    numbers, evidence = each.file.tunables, each.file.evidence
    share = numbers.semantic_weight / (numbers.semantic_weight + numbers.lexical_weight)
    told = [f"{each.revision:>4}  {evidence.get('date', '')}  semantic share {share:.3f}"]
    others = numbers.model_dump(exclude_none=True, exclude_defaults=True)
    told += [f"{k} {v}" for k, v in others.items() if not k.endswith("_weight") or "stale" in k]
    told.append(_evidence(evidence))
    told.append(str(each.standing))
    return ", ".join(part for part in told if part)


def _evidence(evidence: dict[str, object]) -> str:
    restores = evidence.get("restores")
    if isinstance(restores, dict):
        number = restores.get("revision")
        what = f"revision {number}" if number else "the catalog's own numbers"
        return f"restores {what}"
    before, after = evidence.get("before"), evidence.get("after")
    if isinstance(before, (int, float)) and isinstance(after, (int, float)):
        return f"{evidence.get('measure', '')} {before:.4f} -> {after:.4f}, held out"
    return "no evidence"


COMMAND = Command(
    name="history",
    help="what each tuned revision of a capability set, on what evidence",
    description="List the tuned revisions of a capability, newest first.",
    options=_options,
    run=revisions.guarded(_run),
)
