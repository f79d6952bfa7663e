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


def verify_keys() -> tuple[Ed25519PublicKey, ...]:
    """The public keys a tuned file may be signed with; none: signatures are not asked for."""
    names = [name for name in os.environ.get("ESRA_VERIFY_KEYS", "").split(os.pathsep) if name]
    return tuple(_public(Path(name)) for name in names)


def signing_key() -> Ed25519PrivateKey | None:
    name = os.environ.get("ESRA_SIGNING_KEY", "")
    if not name:
        return None
    key = _read(Path(name), lambda pem: load_pem_private_key(pem, password=None))
    if not isinstance(key, Ed25519PrivateKey):
        raise ConfigError(f"{name}: not an Ed25519 private key")
    return key


def _public(path: Path) -> Ed25519PublicKey:
    key = _read(path, load_pem_public_key)
    if not isinstance(key, Ed25519PublicKey):
        raise ConfigError(f"{path}: not an Ed25519 public key")
    return key


def _read(path: Path, load: Callable[[bytes], object]) -> object:
    try:
        return load(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, TypeError) as error:
        raise ConfigError(f"{path}: not an unencrypted PEM key") from error
