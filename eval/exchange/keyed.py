"""Ids for queries that come without one: of their text, under a key that stays on this machine.

A query is what somebody typed. A plain hash of it can be looked up by whoever guesses the text; an
HMAC cannot, without the key. The same text gets the same id in every import under one key.
"""

from __future__ import annotations

import base64
import hmac
import os
import secrets
from pathlib import Path

from esra.governance import places

_BYTES = 10


def key_file() -> Path:
    """Where the key lies unless a person names a file."""
    return places.home() / "secrets" / "query-ids.key"


def read_key(path: Path) -> bytes:
    """The key of a file, made there at first use, readable by its owner alone.

    Raises OSError, and ValueError for a file too short to be a key.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(32))
    key = path.read_bytes()
    if len(key) < 16:
        raise ValueError(f"{path} holds {len(key)} bytes: a key has 16 or more")
    return key


def query_id(text: str, key: bytes) -> str:
    """``q-`` and 16 letters and digits."""
    mark = hmac.digest(key, text.encode(), "sha256")[:_BYTES]
    return f"q-{base64.b32encode(mark).decode().lower()}"
