"""Writes a tuned revision: one more than there are, whole or not at all, never over another.

A finished file is linked to its number, which fails where another command was first; so a reader
sees a whole file or none, whenever the writer dies. A number is given once, also where its file
was taken away since: it stands in a list beside the files, which grows only.
"""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from esra.config.apply import GIVEN, last_given, revision_files
from esra.config.keys import signing_key, verify_keys
from esra.config.strict import ConfigError
from esra.config.tuned import LARGEST, key_id, sealed_body

MOST = 10**15 - 1  # the largest number that a reader takes from a name
LEFTOVER = 3600.0  # seconds after which a half-written file is nobody's


def write_revision(
    folder: Path, body: Mapping[str, object], evidence: Mapping[str, object]
) -> Path:
    """The path of the new revision in a capability's folder, signed where a key is configured.

    ``ConfigError`` where this machine's runtime would refuse the file for its signature.
    """
    key = usable_key()
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    files = revision_files(folder)
    revision = max(int(files[0].stem) if files else 0, last_given(folder))
    while True:
        revision += 1
        if revision > MOST:
            raise ConfigError(f"{folder}: no number is left; take the highest away, and {GIVEN}")
        path = folder / f"{revision:04}.json"
        fresh = write_beside(
            folder, {**body, "revision": revision, "evidence": dict(evidence)}, key
        )
        try:
            os.link(fresh, path)
        except FileExistsError:
            continue
        finally:
            fresh.unlink()
        _note(folder, revision)
        sync(folder)
        return path


def _note(folder: Path, revision: int) -> None:
    """Two writers at once lose neither's line: each is one write at the end of the file.

    It does not wait for the disk: a line that is lost hides a later deletion, and nothing else.
    """
    handle = os.open(folder / GIVEN, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW, 0o644)
    with os.fdopen(handle, "wb", buffering=0) as file:
        file.write(f"{revision}\n".encode())


def usable_key() -> Ed25519PrivateKey | None:
    """The key to sign with, None where none is needed; ``ConfigError`` where it would not do."""
    key, accepted = signing_key(), [key_id(one) for one in verify_keys()]
    if accepted and key is None:
        raise ConfigError(
            "ESRA_VERIFY_KEYS asks for signatures and there is no key to sign with; "
            "let ESRA_SIGNING_KEY name one"
        )
    if accepted and key is not None and key_id(key.public_key()) not in accepted:
        raise ConfigError("ESRA_SIGNING_KEY is none of the keys that ESRA_VERIFY_KEYS accepts")
    return key


def write_beside(folder: Path, body: Mapping[str, object], key: Ed25519PrivateKey | None) -> Path:
    """A finished file under a name that no reader takes; it is on the disk."""
    text = json.dumps(sealed_body(dict(body), key), indent=2, allow_nan=False) + "\n"
    if len(text) > LARGEST:
        raise ConfigError(f"{folder}: a tuned file of more than {LARGEST} bytes is read by nobody")
    fresh = folder / f".new-{os.getpid()}"
    with suppress(FileNotFoundError):
        fresh.unlink()
    handle = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return fresh


def sync(folder: Path) -> None:
    """A name that was given survives a loss of power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sweep(folder: Path) -> None:
    """Takes away what killed writers left; no reader ever looks at it."""
    for path in folder.glob(".new-*"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > LEFTOVER:
                path.unlink()
