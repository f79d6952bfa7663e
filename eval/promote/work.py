"""What ``promote`` does: the new revision, or an engine's document."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from esra.config.catalog import Loaded, load_catalog
from esra.config.strict import ConfigError
from esra.config.tuned import TunedFile, read_tuned
from esra.domain.capability import Capability
from esra.governance import places
from esra.governance.secrets import SecretUnresolved
from esra.wiring import CannotOpen, identities_of
from eval import publish
from eval.command import CONFIG, FINDING, OK, SOURCE, USAGE, Done
from eval.evidence import BrokenLedger
from eval.evidence.holm import Claim, together
from eval.promote.decided import Decided, NotFound, NotPromoted, decided
from eval.promote.engines import Form, by_hand, document, left_behind
from eval.tune.folders import ledger_of

CODES: dict[type[Exception], int] = {
    NotPromoted: FINDING,
    NotFound: USAGE,
    ConfigError: CONFIG,
    BrokenLedger: CONFIG,
    CannotOpen: SOURCE,
    SecretUnresolved: SOURCE,
    OSError: CONFIG,
}


def run(arguments: argparse.Namespace) -> Done:
    """Everything one call of ``promote`` does. Raises one of ``CODES``."""
    base = places.home()
    names = arguments.decisions or [None]
    found = [decided(base, name, ledger_of(base)) for name in names]
    if arguments.form is not None:
        return _exported(Form(arguments.form), found[0].file)
    if len(found) == 1:
        return _promoted(found[0], base, arguments.catalog)
    return _several(found, base, arguments.catalog)


def _several(found: list[Decided], base: Path, catalog: Path | None) -> Done:
    """Only the claims that stand together are written; what is wrong with one is told first."""
    claims = {one.file.capability: _claim(one) for one in found}
    if len(claims) < len(found):
        raise NotPromoted("two decisions of one capability are no two claims; name one of them")
    for one in found:
        path = catalog or places.catalog_file(base, one.file.capability)
        loaded, capability = _capability(path, one.file)
        _check(one.file, capability, loaded, path, base)
    standing = together(claims)
    parts = []
    for one in found:
        own = standing[one.file.capability]
        if own.promoted:
            done = _promoted(one, base, catalog)
            parts.append(Done(document={**done.document, "why": own.why}, text=done.text))
        else:
            plain = {"capability": one.file.capability, "promoted": False, "why": own.why}
            parts.append(Done(document=plain, text=f"{one.file.capability}: {own.why}"))
    return Done(
        document={"promotions": [part.document for part in parts]},
        text="\n".join(part.text for part in parts),
        code=OK if all(own.promoted for own in standing.values()) else FINDING,
    )


def _claim(one: Decided) -> Claim:
    """The test that the decision's opening made, at the level that opening was due."""
    sealed = one.file.evidence.get("sealed")
    try:
        return Claim(p=float(sealed["p"]), level=float(sealed["level"]))
    except (TypeError, KeyError, ValueError) as error:
        raise NotPromoted(
            f"{one.file.capability}: its evidence holds no test of a sealed part"
        ) from error


def _exported(form: Form, file: TunedFile) -> Done:
    made, lost, yours = document(form, file), left_behind(form, file), by_hand(form)
    text = json.dumps(made, indent=2, allow_nan=False)
    whole: dict[str, object] = {
        "as": form.value,
        "document": made,
        "does_not_carry_over": lost,
        "left_to_do": yours,
    }
    notes = (
        *(f"does not carry over: {one}" for one in lost),
        *(f"left to do: {one}" for one in yours),
    )
    return Done(document=whole, text=text, notes=notes)


def _promoted(found: Decided, base: Path, catalog: Path | None) -> Done:
    path = catalog or places.catalog_file(base, found.file.capability)
    loaded, capability = _capability(path, found.file)
    _check(found.file, capability, loaded, path, base)
    folder = places.tuned_folder(base) / capability.id
    before = {file.name for file in folder.glob("*.json")}
    written = publish.promote(folder, found.claim, found.file.evidence, again=True)
    fresh = written.name not in before
    made = read_tuned(
        written.read_bytes(),
        where=str(written),
        capability=capability.id,
        sources=_sources(capability),
    )
    said = "orders from now on" if fresh else "holds this claim already"
    return Done(
        document={
            "capability": capability.id,
            "promoted": True,
            "written": fresh,
            "revision": made.revision,
            "hash": made.hash,
            "signed": made.signature is not None,
            "config": str(written),
            "from": str(found.path),
        },
        text=f"{capability.id}: revision {made.revision} {said}\n{written}",
    )


def _capability(path: Path, file: TunedFile) -> tuple[Loaded, Capability]:
    if not path.is_file():
        raise ConfigError(
            f"{path}: not there, so no runtime has {file.capability!r}; name its catalog with "
            "--catalog, or write its weights for an engine with --as"
        )
    loaded = load_catalog(path)
    capability = loaded.catalog.capability(file.capability)
    if capability is None:
        raise ConfigError(f"{path}: has no capability {file.capability!r}")
    return loaded, capability


def _check(file: TunedFile, capability: Capability, loaded: Loaded, path: Path, base: Path) -> None:
    """Refuses what the runtime would refuse or pass over, before it is written."""
    stray = sorted(set(file.tunables.sources) - _sources(capability))
    if stray:
        raise ConfigError(f"{path}: {stray[0]!r} is no source of {capability.id}")
    models = asyncio.run(identities_of(loaded, path.parent, base))[capability.id]
    for stage, identity in file.models.model_dump().items():
        if models[stage] != identity:
            raise ConfigError(
                f"{capability.id}: tuned with another model for {stage} "
                f"({identity or 'none'}) than {path} has ({models[stage] or 'none'}); tune again"
            )


def _sources(capability: Capability) -> frozenset[str]:
    return frozenset(binding.source for binding in capability.bindings)
