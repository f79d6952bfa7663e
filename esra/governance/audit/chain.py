"""The chain: each record is sealed together with the seal before it, under a key.

Pure. seal = HMAC-SHA256(key, seal before || canonical record) (RFC 2104); before the first stands a
seal of the log's name. Who has no key can make no seal, and who takes a record out or moves one
breaks the next.
"""

import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass

SHORTEST_KEY = 32  # bytes
_END = re.compile(rb',"chain":"([0-9a-f]{64})"\}\Z')


class KeyUnusable(ValueError):
    """The key is too short to keep anybody out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """A key for each use, so that a seal of one kind is worth nothing as another."""

    records: bytes
    heads: bytes
    id: str  # tells one key from another, and nothing of it


def keys_of(secret: bytes) -> Keys:
    """The keys that stem from one secret of at least 32 bytes."""
    if len(secret) < SHORTEST_KEY:
        raise KeyUnusable(f"the audit key has {len(secret)} bytes; it needs {SHORTEST_KEY}")
    return Keys(
        records=_digest(secret, b"esra audit records 1"),
        heads=_digest(secret, b"esra audit heads 1"),
        id=_digest(secret, b"esra audit key id 1").hex()[:16],
    )


def genesis(keys: Keys, log: str) -> bytes:
    """What stands for the seal before the first record of a log."""
    return _digest(keys.records, b"esra audit log " + log.encode())


def seal(keys: Keys, before: bytes, body: bytes) -> bytes:
    """The 32 bytes that bind a record to all records before it."""
    return _digest(keys.records, before + body)


def lines(keys: Keys, before: bytes, bodies: Iterable[bytes]) -> tuple[list[bytes], bytes]:
    """(the lines with their line breaks, the last seal)."""
    made = []
    for body in bodies:
        before = seal(keys, before, body)
        made.append(body + b',"chain":"' + before.hex().encode() + b'"}\n')
    return made, before


def split(line: bytes) -> tuple[bytes, bytes] | None:
    """(canonical record, seal) of a line without its line break; None if it has no seal."""
    end = _END.search(line)
    return (line[: end.start()], bytes.fromhex(end[1].decode())) if end else None


def _digest(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")
