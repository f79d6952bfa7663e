"""Puts tuned revisions into a catalog: the newest good one whose models are this runtime's."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from esra.config.strict import ConfigError
from esra.config.tuned import TunedFile, read_tuned
from esra.domain.capability import Capability, Catalog, Revision, Scoring, SourceScoring
from esra.domain.codes import NoticeCode

MOST_BYTES = 1024 * 1024  # read at the most; a tuned file is far smaller


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The catalog as the runtime uses it, and why any file was refused (one line each)."""

    catalog: Catalog
    refused: tuple[str, ...]


def apply_tuned(
    catalog: Catalog,
    folder: Path,
    models: Mapping[str, Mapping[str, str]],
    keys: tuple[Ed25519PublicKey, ...] = (),
) -> Applied:
    """Every capability under its newest usable revision in ``folder/<capability>/``.

    ``models`` gives, for each capability, the identity of each stage's model ("" for none).
    """
    capabilities, revisions = [], []
    refused: list[str] = []
    for capability in catalog.capabilities:
        sources = frozenset(binding.source for binding in capability.bindings)
        own = models.get(capability.id, {})
        found = newest(folder / capability.id, capability.id, sources, own, keys)
        refused += found.refused
        capabilities.append(capability if found.file is None else tuned(capability, found.file))
        own_notices = catalog.revision(capability.id).notices
        revision = _revision(capability, found, keys)
        revisions.append(
            (capability.id, replace(revision, notices=(*own_notices, *revision.notices)))
        )
    changed = replace(
        catalog,
        capabilities=tuple(capabilities),
        revisions=tuple(revisions),
        version=_version(catalog, revisions),
    )
    return Applied(catalog=changed, refused=tuple(refused))


def revision_files(folder: Path) -> list[Path]:
    """The revisions in a capability's folder, newest first, by their number."""
    found = [path for path in folder.glob("*.json") if path.stem.isdecimal()]
    return sorted(found, key=lambda path: int(path.stem), reverse=True)


def read_file(path: Path) -> bytes:
    """The bytes of a regular file that nobody else may write; ``ConfigError`` otherwise."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise ConfigError(f"{path}: not a regular file")
        if about.st_mode & stat.S_IWOTH:
            raise ConfigError(f"{path}: anybody may write it; chmod o-w it to use it")
        return os.read(handle, MOST_BYTES)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from error
    finally:
        os.close(handle)


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """The newest good revision, what to tell about it, and why newer ones were passed over."""

    path: Path | None = None
    file: TunedFile | None = None
    notices: tuple[NoticeCode, ...] = ()
    refused: tuple[str, ...] = ()


def newest(
    folder: Path,
    capability: str,
    sources: frozenset[str],
    models: Mapping[str, str],
    keys: tuple[Ed25519PublicKey, ...],
) -> Newest:
    """The revision in a capability's folder that a runtime with these models uses."""
    notices: tuple[NoticeCode, ...] = ()
    refused: list[str] = []
    for path in revision_files(folder):
        try:
            file = read_tuned(
                read_file(path), where=str(path), capability=capability, sources=sources, keys=keys
            )
        except ConfigError as error:
            refused.append(str(error))
            continue
        if file.revision != int(path.stem):
            refused.append(f"{path}: says it is revision {file.revision}")
        elif not _same_models(file, models):
            notices = (NoticeCode.TUNED_FOR_OTHER_MODEL,)
        else:
            return Newest(path=path, file=file, notices=notices, refused=tuple(refused))
    return Newest(notices=notices, refused=tuple(refused))


def _same_models(file: TunedFile, models: Mapping[str, str]) -> bool:
    own = file.models.model_dump()
    return all(models.get(stage, "") == identity for stage, identity in own.items())


def tuned(capability: Capability, file: TunedFile) -> Capability:
    """The capability with the file's tunables; a ceiling or shortlist never exceeds its own."""
    given = file.tunables.model_dump(exclude={"sources"}, exclude_none=True)
    if "shortlist" in given:
        given["shortlist"] = min(given["shortlist"], capability.scoring.shortlist)
    own = dict(capability.scoring.sources)
    for id, block in file.tunables.sources.items():
        before = own.get(id, SourceScoring())
        values = block.model_dump(exclude_none=True)
        if "ceiling" in values:
            values["ceiling"] = min(values["ceiling"], before.ceiling)
        own[id] = replace(before, **values)
    scoring: Scoring = replace(capability.scoring, **given, sources=tuple(own.items()))
    return replace(capability, scoring=scoring)


def _revision(
    capability: Capability, found: Newest, keys: tuple[Ed25519PublicKey, ...]
) -> Revision:
    file = found.file
    if file is None:
        return Revision(notices=found.notices)
    drift = (NoticeCode.DATA_DRIFT,) if capability.data and file.data != capability.data else ()
    return Revision(
        tuned=True,
        revision=file.revision,
        hash=file.hash,
        signed=bool(keys) and file.signature is not None,
        notices=(*found.notices, *drift),
    )


def _version(catalog: Catalog, revisions: list[tuple[str, Revision]]) -> str:
    hashes = [revision.hash[:12] for _, revision in revisions if revision.tuned]
    return "+".join([catalog.version, *hashes])
