"""The keys of tuned configurations: Ed25519, as PEM files named by the environment.

``ESRA_VERIFY_KEYS`` lists public keys (paths apart by ``:``); with one set, an unsigned file is
refused. ``ESRA_SIGNING_KEY`` is the private key the workbench signs with.
"""

import os
from collections.abc import Callable
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from esra.config.strict import ConfigError

VERIFY, SIGN = "ESRA_VERIFY_KEYS", "ESRA_SIGNING_KEY"


def verify_keys() -> tuple[Ed25519PublicKey, ...]:
    """The public keys a tuned file may be signed with; none: signatures are not asked for."""
    names = [name for name in os.environ.get(VERIFY, "").split(os.pathsep) if name]
    return tuple(_public(Path(name)) for name in names)


def signing_key() -> Ed25519PrivateKey | None:
    name = os.environ.get(SIGN, "")
    if not name:
        return None
    key = _read(SIGN, Path(name), lambda pem: load_pem_private_key(pem, password=None))
    if not isinstance(key, Ed25519PrivateKey):
        raise ConfigError(f"{SIGN}: {name} is no Ed25519 key")
    return key


def _public(path: Path) -> Ed25519PublicKey:
    key = _read(VERIFY, path, load_pem_public_key)
    if not isinstance(key, Ed25519PublicKey):
        raise ConfigError(f"{VERIFY}: {path} is no Ed25519 key")
    return key


def _read(variable: str, path: Path, load: Callable[[bytes], object]) -> object:
    try:
        return load(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{variable}: {path} cannot be read ({error.strerror})") from error
    except (ValueError, TypeError) as error:
        kind = "private key in PEM without a password" if variable == SIGN else "public key in PEM"
        raise ConfigError(f"{variable}: {path} is no {kind}") from error
