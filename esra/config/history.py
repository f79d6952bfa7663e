"""Every revision of a capability, what each is worth to this runtime, and the way back to one."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from esra.config.apply import read_revision, revision_files, same_models
from esra.config.strict import ConfigError
from esra.config.tuned import TunedFile
from esra.domain.capability import Capability

OWN = 0  # the number that stands for the catalog's own numbers


class Standing(StrEnum):
    """What a revision is to a runtime that starts now."""

    IN_USE = "in use"
    OLDER = "older"
    OTHER_MODEL = "tuned for other models"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revised:
    """One revision. ``why`` is empty unless it is passed over; ``file`` None where it is refused.

    ``signed``: by a key this runtime accepts.
    """

    revision: int
    path: Path
    standing: Standing
    why: str = ""
    file: TunedFile | None = None
    signed: bool = False

    @property
    def usable(self) -> bool:
        """Whether a runtime would order by it, were it the newest."""
        return self.standing in (Standing.IN_USE, Standing.OLDER)


class NoWayBack(ValueError):
    """The revision cannot be restored; the message says why."""


def history(
    folder: Path,
    capability: str,
    sources: frozenset[str],
    models: Mapping[str, str],
    keys: tuple[Ed25519PublicKey, ...],
) -> tuple[Revised, ...]:
    """Every revision in the capability's folder, newest first, judged as the runtime judges it."""
    told: list[Revised] = []
    used = False
    for path in revision_files(folder):
        number = int(path.stem)
        try:
            file = read_revision(path, capability, sources, keys)
        except ConfigError as error:
            why = str(error).removeprefix(f"{path}: ")
            told.append(Revised(revision=number, path=path, standing=Standing.REFUSED, why=why))
            continue
        standing, why = Standing.OLDER if used else Standing.IN_USE, ""
        if not same_models(file, models):
            standing, why = Standing.OTHER_MODEL, _other(file, models)
        used = used or standing is Standing.IN_USE
        signed = bool(keys) and file.signature is not None
        told.append(
            Revised(
                revision=number, path=path, standing=standing, why=why, file=file, signed=signed
            )
        )
    return tuple(told)


def in_use(told: tuple[Revised, ...]) -> Revised | None:
    """The revision that orders; None: the catalog's own numbers do."""
    return next((one for one in told if one.standing is Standing.IN_USE), None)


def missing(told: tuple[Revised, ...], last: int = 0) -> tuple[int, ...]:
    """Numbers from 1 to the newest, or to ``last``, that have no file: no command takes one away.

    ``last`` is the highest that was ever given.
    """
    there = {one.revision for one in told}
    # A number that nobody gave in turn must not make a list of millions.
    newest = min(max(there | {last}), len(there) + 100)
    return tuple(number for number in range(1, newest + 1) if number not in there)


def target(told: tuple[Revised, ...], wanted: int | None) -> Revised | None:
    """The revision to restore, None for the catalog's own numbers. ``NoWayBack`` says why not.

    ``wanted`` None is the usable one before the one in use.
    """
    now = in_use(told)
    if wanted is None:
        if now is None:
            raise NoWayBack("no tuned revision is in use, so there is nothing to go back from")
        return next((one for one in told if one.usable and one.revision < now.revision), None)
    if wanted == OWN:
        if now is None:
            raise NoWayBack("the catalog's own numbers are in use already")
        return None
    found = next((one for one in told if one.revision == wanted), None)
    if found is None:
        numbers = ", ".join(str(one.revision) for one in told) or "none"
        raise NoWayBack(f"there is no revision {wanted}; there are: {numbers}")
    if found.standing is Standing.IN_USE:
        raise NoWayBack(f"revision {wanted} is in use already")
    if not found.usable:
        raise NoWayBack(f"revision {wanted} cannot be used: {found.why}")
    return found


def restoring(
    capability: Capability, found: Revised | None, models: Mapping[str, str]
) -> dict[str, object]:
    """The claim of a new revision that orders as the found one, or as the catalog, does."""
    if found is not None and found.file is not None:
        kept = found.file
        tunables = kept.tunables.model_dump(exclude_none=True, exclude_defaults=True)
        own_models, data = kept.models.model_dump(), kept.data
    else:
        numbers = capability.scoring
        # A catalog's weights have no upper end, a tuned file's have; their ratio is what orders.
        most = max(1.0, numbers.semantic_weight, numbers.lexical_weight)
        tunables = {
            "semantic_weight": numbers.semantic_weight / most,
            "lexical_weight": numbers.lexical_weight / most,
        }
        own_models, data = dict(models), capability.data
    return {
        "capability": capability.id,
        "tunables": tunables,
        "models": own_models,
        "data": data,
    }


def _other(file: TunedFile, models: Mapping[str, str]) -> str:
    pairs = file.models.model_dump().items()
    return "; ".join(
        f"{stage} was {own or 'none'}, is {models.get(stage) or 'none'}"
        for stage, own in pairs
        if models.get(stage, "") != own
    )
