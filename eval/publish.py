"""Writes tuned configurations: a promoted revision the runtime loads, or a candidate beside it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from esra.config.apply import newest, read_revision, revision_files
from esra.config.canonical import canonical
from esra.config.keys import signing_key, verify_keys
from esra.config.revise import sync, write_beside, write_revision
from esra.config.strict import ConfigError
from esra.config.tuned import BadSignature, Tunables, TunedFile, check_signature
from esra.domain.capability import Scoring, SourceScoring

OF_A_CAPABILITY = (
    "match_bonus",
    "bonus_cap",
    "freshness_floor",
    "stale_weight",
    "evidence_floor",
    "shortlist",
)


def body_of(
    capability: str, numbers: Scoring, own: Scoring, models: Mapping[str, str], data: str
) -> dict[str, object]:
    """What is being claimed: these numbers, for this capability, models and data."""
    return {
        "capability": capability,
        "tunables": tunables_of(numbers, own),
        "models": dict(models),
        "data": data,
    }


def tunables_of(numbers: Scoring, own: Scoring) -> dict[str, object]:
    """The two weights, and what differs from the catalog's ``own``.

    ValueError for what ``own`` has on and ``numbers`` off: a tuned file cannot say so.
    """
    # A catalog's weights have no upper end, a tuned file's have; their ratio is what orders.
    most = max(1.0, numbers.semantic_weight, numbers.lexical_weight)
    tunables: dict[str, object] = {
        "semantic_weight": numbers.semantic_weight / most,
        "lexical_weight": numbers.lexical_weight / most,
        **{
            name: getattr(numbers, name)
            for name in OF_A_CAPABILITY
            if getattr(numbers, name) != getattr(own, name)
        },
    }
    ids = dict.fromkeys(id for id, _ in (*numbers.sources, *own.sources))
    sources = {id: _changed(numbers.of(id), own.of(id)) for id in ids}
    if any(sources.values()):
        tunables["sources"] = {id: values for id, values in sources.items() if values}
    return tunables


def _changed(block: SourceScoring, own: SourceScoring) -> dict[str, object]:
    values, before = asdict(block), asdict(own)
    lost = [k for k, v in values.items() if v is None and before[k] is not None]
    if lost:
        # Absent means "as the catalog says".
        raise ValueError(f"{lost[0]} is on in the catalog; a tuned file cannot switch it off")
    return {k: v for k, v in values.items() if v != before[k]}


def measured_against(file: TunedFile) -> TunedFile | None:
    """The file with the numbers that its claim was measured against; None where it does not say."""
    before = file.evidence.get("against")
    try:
        return file.model_copy(update={"tunables": Tunables.model_validate(before)})
    except ValueError:
        return None  # of an older form, or a rollback: it replaced what it does not hold


def candidate_hash(body: Mapping[str, object], tried: str) -> str:
    """SHA-256 of the claim and of the table it was tried on, so that asking twice is one opening
    and the same numbers on another recording are the next.
    """
    return hashlib.sha256(canonical({"claim": dict(body), "tried": tried})).hexdigest()


def named_heads(promoted: Path, candidate: Path) -> list[str]:
    """The ledger's heads that the evidence of these files names; a cut ledger lacks one of them."""
    heads: list[str] = []
    for path in (*revision_files(promoted), candidate):
        try:
            body = json.loads(path.read_text("utf-8"))
            head = body["evidence"]["ledger"]
        except (OSError, ValueError, KeyError, TypeError):
            continue  # an unreadable file vouches for nothing; the runtime refuses it too
        if isinstance(head, str):
            heads.append(head)
    return heads


def promote(
    folder: Path,
    body: Mapping[str, object],
    evidence: Mapping[str, object],
    *,
    again: bool = False,
) -> Path:
    """The path of the revision that holds this claim; a new one unless the newest already does,
    signed by the key that signs now.

    A claim that a person took back stays where it was, until a person asks for it ``again``. A
    reader sees a whole file or none, whenever this process dies.
    """
    files = revision_files(folder)
    found = newest(folder, str(body["capability"]), _sources(body), _models(body), verify_keys())
    now = found.file
    if now is not None and found.path in files[:1] and _holds(now, body) and _signed_now(now):
        return files[0]
    if not again and restores(now) and (before := _made_in(files, body)) is not None:
        return before
    replaces = None if now is None else {"revision": now.revision, "hash": now.hash}
    return write_revision(folder, body, {**evidence, "replaces": replaces})


def _signed_now(file: TunedFile) -> bool:
    """Whether a runtime that accepts this machine's signing key alone would take the file."""
    key = signing_key()
    try:
        check_signature(file, "", () if key is None else (key.public_key(),))
    except BadSignature:
        return False
    return True


def restores(file: TunedFile | None) -> bool:
    """Whether a person went back by it."""
    return file is not None and "restores" in file.evidence


def _made_in(files: Sequence[Path], body: Mapping[str, object]) -> Path | None:
    """The latest revision that makes this claim."""
    for path in files:
        try:
            file = read_revision(path, str(body["capability"]), _sources(body), verify_keys())
        except ConfigError:
            continue  # of other sources, or damaged: `esra config history` tells of it
        if _holds(file, body):
            return path
    return None


def _sources(body: Mapping[str, object]) -> frozenset[str]:
    tunables = body["tunables"]
    own = tunables.get("sources", {}) if isinstance(tunables, Mapping) else {}
    return frozenset(own)


def _models(body: Mapping[str, object]) -> dict[str, str]:
    models = body["models"]
    return dict(models) if isinstance(models, Mapping) else {}


def _holds(file: TunedFile, body: Mapping[str, object]) -> bool:
    """Whether a revision makes this very claim."""
    own = file.model_dump(include={"capability", "models", "data"})
    own["tunables"] = file.tunables.model_dump(exclude_none=True, exclude_defaults=True)
    return own == {**body, "models": _models(body)}


def write_candidate(path: Path, body: Mapping[str, object], evidence: Mapping[str, object]) -> Path:
    """An unpromoted configuration, for a person to read; no runtime looks there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = write_beside(
        path.parent, {**body, "revision": 1, "evidence": dict(evidence)}, signing_key()
    )
    fresh.replace(path)
    sync(path.parent)
    return path
