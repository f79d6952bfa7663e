"""Writes tuned configurations: a promoted revision the runtime loads, or a candidate beside it."""

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from esra import scoring
from esra.config.apply import revision_files
from esra.config.keys import signing_key
from esra.config.tuned import canonical, sealed_body


def candidate_body(
    capability: str, share: int, models: Mapping[str, str], data: str
) -> dict[str, object]:
    """What is being claimed: these numbers, for this capability, models and data."""
    semantic, lexical = scoring.weights(share)
    return {
        "capability": capability,
        "tunables": {"semantic_weight": semantic, "lexical_weight": lexical},
        "models": dict(models),
        "data": data,
    }


def candidate_hash(body: Mapping[str, object]) -> str:
    """SHA-256 of the claim alone, so that asking twice is one opening."""
    return hashlib.sha256(canonical(dict(body))).hexdigest()


def current(folder: Path) -> dict[str, object] | None:
    """The newest readable revision of a capability, as plain JSON."""
    for path in revision_files(folder):
        try:
            body = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(body, dict):
            return body
    return None


def promote(folder: Path, body: Mapping[str, object], evidence: Mapping[str, object]) -> Path:
    """The path of the revision that holds this claim; a new one unless the newest already does.

    A number is taken by linking a finished file to it, which fails where another command was
    first; a reader sees a whole file or none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    newest = revision_files(folder)[:1]
    now = current(folder)
    if newest and now is not None and all(now.get(key) == body[key] for key in body):
        return newest[0]
    revision = int(newest[0].stem) if newest else 0
    while True:
        revision += 1
        path = folder / f"{revision:04}.json"
        fresh = _written(folder, {**body, "revision": revision, "evidence": dict(evidence)})
        try:
            os.link(fresh, path)
        except FileExistsError:
            continue
        finally:
            fresh.unlink()
        _sync(folder)
        return path


def write_candidate(path: Path, body: Mapping[str, object], evidence: Mapping[str, object]) -> Path:
    """An unpromoted configuration, for a person to read; no runtime looks there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = _written(path.parent, {**body, "revision": 1, "evidence": dict(evidence)})
    fresh.replace(path)
    return path


def _written(folder: Path, body: dict[str, object]) -> Path:
    text = json.dumps(sealed_body(body, signing_key()), indent=2, allow_nan=False) + "\n"
    fresh = folder / f".new-{os.getpid()}"
    with contextlib.suppress(FileNotFoundError):
        fresh.unlink()
    handle = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return fresh


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
