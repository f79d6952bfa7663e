"""Puts tuned revisions into a catalog: the newest good one whose models are this runtime's."""

import errno
import os
import re
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
GIVEN = "given"  # beside the revisions: a line with the number of each, when it was written
# ASCII and short: a name that no writer of ours gives must not end the counting.
_NUMBER = re.compile("[0-9]{1,15}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The catalog as the runtime uses it, and why any file was refused or which one is gone, one
    line each.
    """

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
    """The revisions in a capability's folder, newest first, by their number.

    ``ConfigError`` for a folder that anybody may write: any of its files may be anybody's.
    """
    try:
        mode = folder.stat().st_mode
    except OSError:
        return []
    if mode & stat.S_IWOTH:
        raise ConfigError(f"{folder}: anybody may write it; chmod o-w it to use what it holds")
    found = [path for path in folder.glob("*.json") if _NUMBER.fullmatch(path.stem)]
    return sorted(found, key=lambda path: int(path.stem), reverse=True)


def last_given(folder: Path) -> int:
    """The highest number that a revision here ever had, 0 where that was not written down."""
    try:
        said = read_file(folder / GIVEN).decode("ascii", "replace").split()
    except ConfigError:
        return 0
    return max((int(word) for word in said if _NUMBER.fullmatch(word)), default=0)


def read_file(path: Path) -> bytes:
    """The bytes of a regular file that nobody else may write; ``ConfigError`` otherwise."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        linked = error.errno == errno.ELOOP
        why = "a link, and no regular file" if linked else f"cannot be read ({error.strerror})"
        raise ConfigError(f"{path}: {why}") from error
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
    """The newest good revision, what to tell about it, and why newer ones were passed over: each
    was refused, or is gone.
    """

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
    last = last_given(folder)  # before the files: one that is written in between is not gone
    try:
        paths = revision_files(folder)
    except ConfigError as error:
        return Newest(refused=(str(error),))
    if last > (int(paths[0].stem) if paths else 0):
        refused.append(f"{folder}: revision {last} was written and is gone")
    for path in paths:
        try:
            file = read_revision(path, capability, sources, keys)
        except ConfigError as error:
            refused.append(str(error))
            continue
        if same_models(file, models):
            return Newest(path=path, file=file, notices=notices, refused=tuple(refused))
        notices = (NoticeCode.TUNED_FOR_OTHER_MODEL,)
    return Newest(notices=notices, refused=tuple(refused))


def read_revision(
    path: Path, capability: str, sources: frozenset[str], keys: tuple[Ed25519PublicKey, ...]
) -> TunedFile:
    """The checked file at its number; ``ConfigError`` says why it is refused."""
    file = read_tuned(
        read_file(path), where=str(path), capability=capability, sources=sources, keys=keys
    )
    if file.revision != int(path.stem):
        raise ConfigError(f"{path}: says it is revision {file.revision}")
    return file


def same_models(file: TunedFile, models: Mapping[str, str]) -> bool:
    """Whether the file was tuned with these models, a stage's identity each."""
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


def adopted(current: Catalog, fresh: Catalog, id: str) -> Catalog:
    """``current`` with one capability, its numbers and its revision, as ``fresh`` has it."""
    own = {capability.id: capability for capability in fresh.capabilities}
    revisions = [(each, (fresh if each == id else current).revision(each)) for each in own]
    return replace(
        current,
        capabilities=tuple(own[id] if c.id == id else c for c in current.capabilities),
        revisions=tuple(revisions),
        version=_version(current, revisions),
    )


def _version(catalog: Catalog, revisions: list[tuple[str, Revision]]) -> str:
    """The catalog's own version, and the hash of every tuned file beside it."""
    hashes = [revision.hash[:12] for _, revision in revisions if revision.tuned]
    return "+".join([catalog.version.partition("+")[0], *hashes])
