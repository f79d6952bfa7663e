"""A tuned configuration: what the workbench emitted, read back as strictly as anything foreign.

It carries tunables only. A file that is broken, of another capability, schema or pipeline, out of
bounds, or that holds a key it must not, is refused; the last good revision stays (RULINGS 42).
"""

import base64
import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from pydantic import ConfigDict, ValidationError, model_validator
from pydantic import Field as Bound

from esra.config.bounds import CAPABILITY, SOURCE, Bounds
from esra.config.canonical import LARGEST_WHOLE, canonical, parsed
from esra.config.strict import ConfigError, Strict, explain
from esra.trace import PIPELINE, SCHEMA

LARGEST = 256 * 1024  # bytes


class BadSignature(ConfigError):
    """What is right in itself, and signed by nobody who is accepted here."""


def _stated(bounds: Mapping[str, Bounds]) -> Callable[[dict[str, Any]], None]:
    """Puts the table of bounds into a model's JSON Schema."""

    def state(schema: dict[str, Any]) -> None:
        for name, bound in bounds.items():
            parts = schema["properties"][name]["anyOf"]
            number = next(part for part in parts if part["type"] != "null")
            number |= {"minimum": bound.low, "maximum": bound.high}

    return state


class OwnTunables(Strict):
    model_config = ConfigDict(json_schema_extra=_stated(SOURCE))

    priority: float | None = None
    half_life: float | None = None
    native_floor: float | None = None
    ceiling: int | None = None


class Tunables(Strict):
    """What may be tuned; absent means "as the catalog says"."""

    model_config = ConfigDict(json_schema_extra=_stated(CAPABILITY))

    semantic_weight: float = Bound(ge=0, le=1)
    lexical_weight: float = Bound(ge=0, le=1)
    match_bonus: float | None = None
    bonus_cap: float | None = None
    freshness_floor: float | None = None
    stale_weight: float | None = None
    evidence_floor: float | None = None
    shortlist: int | None = None
    sources: dict[str, OwnTunables] = {}

    @model_validator(mode="after")
    def _within_bounds(self) -> "Tunables":
        if self.semantic_weight == 0 and self.lexical_weight == 0:
            raise ValueError("the two rerank weights are both 0")
        _check(self, CAPABILITY, "")
        for id, own in self.sources.items():
            _check(own, SOURCE, f"sources.{id}.")
        return self


def _check(block: Strict, bounds: Mapping[str, Bounds], where: str) -> None:
    for name, bound in bounds.items():
        value = getattr(block, name)
        if value is not None and not bound.hold(value):
            raise ValueError(f"{where}{name} is outside {bound.low}..{bound.high}")


class Models(Strict):
    """Identities of the models it was tuned with; "" where the stage asked none."""

    select: str = ""
    plan: str = ""
    rerank: str = ""


class Signature(Strict):
    key: str
    value: str


class TunedFile(Strict):
    """The file. ``hash`` is over the canonical JSON of everything but itself and the signature.

    ``$schema`` is for editors; it may stand there and is covered by the hash like anything else.
    """

    editor_schema: str | None = Bound(default=None, alias="$schema", max_length=200)
    # Not Literal[1]: true equals 1, and would be taken for it.
    schema_: int = Bound(alias="schema", ge=1, le=1)
    pipeline: int
    capability: str
    revision: int = Bound(ge=1, le=LARGEST_WHOLE)
    tunables: Tunables
    models: Models
    data: str
    evidence: dict[str, object]
    hash: str
    signature: Signature | None = None


def body_hash(body: Mapping[str, object]) -> str:
    """SHA-256 of the RFC 8785 form of everything but the hash and the signature."""
    bare = {key: value for key, value in body.items() if key not in ("hash", "signature")}
    return hashlib.sha256(canonical(bare)).hexdigest()


def sealed_body(body: dict[str, object], key: Ed25519PrivateKey | None) -> dict[str, object]:
    """The body with its hash and, where a key is given, its Ed25519 signature (RFC 8032)."""
    full = {**body, "schema": SCHEMA, "pipeline": PIPELINE}
    full["hash"] = body_hash(full)
    if key is not None:
        value = base64.b64encode(key.sign(str(full["hash"]).encode())).decode()
        full["signature"] = {"key": key_id(key.public_key()), "value": value}
    return full


def key_id(key: Ed25519PublicKey) -> str:
    """The first 16 hex digits of the SHA-256 of the raw public key."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]


def read_tuned(
    raw: bytes,
    *,
    where: str,
    capability: str,
    sources: frozenset[str],
    keys: tuple[Ed25519PublicKey, ...] = (),
) -> TunedFile:
    """The checked file; ``ConfigError`` says why it is refused."""
    if len(raw) > LARGEST:
        raise ConfigError(f"{where}: larger than {LARGEST} bytes")
    body = _json(raw, where)
    try:
        file = TunedFile.model_validate(body)
    except (ValidationError, RecursionError) as error:
        if isinstance(error, ValidationError):
            raise explain(where, error, TunedFile) from error
        raise ConfigError(f"{where}: nested too deeply") from error
    if file.capability != capability:
        raise ConfigError(f"{where}: made for capability {file.capability!r}, not {capability!r}")
    if file.pipeline != PIPELINE:
        raise ConfigError(f"{where}: made for pipeline {file.pipeline}, this one is {PIPELINE}")
    stray = sorted(set(file.tunables.sources) - sources)
    if stray:
        raise ConfigError(f"{where}: {stray[0]!r} is no source of this capability")
    if file.hash != _hash(body, where):
        raise ConfigError(f"{where}: the content does not fit its hash; it was edited or cut")
    check_signature(file, where, keys)
    return file


def _hash(body: dict[str, object], where: str) -> str:
    try:
        return body_hash(body)
    except (ValueError, RecursionError) as error:
        # The evidence is free in form: what has no hash there is met only here.
        raise ConfigError(f"{where}: cannot be hashed ({error})") from error


def _json(raw: bytes, where: str) -> dict[str, object]:
    try:
        return parsed(raw)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{where}: not JSON ({type(error).__name__})") from error


def check_signature(file: TunedFile, where: str, keys: tuple[Ed25519PublicKey, ...]) -> None:
    """``BadSignature`` unless one of the keys has signed the file; without keys none is asked."""
    if not keys:
        return
    if file.signature is None:
        raise BadSignature(f"{where}: unsigned, and ESRA_VERIFY_KEYS asks for a signature")
    own = file.signature.key
    key = next((key for key in keys if key_id(key) == own), None)
    if key is None:
        known = ", ".join(key_id(key) for key in keys)
        raise BadSignature(
            f"{where}: signed by {own[:16]!r}, and ESRA_VERIFY_KEYS accepts {known} alone"
        )
    try:
        key.verify(base64.b64decode(file.signature.value, validate=True), file.hash.encode())
    except (InvalidSignature, ValueError) as error:
        raise BadSignature(f"{where}: the signature does not fit; it is of another text") from error
