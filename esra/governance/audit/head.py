"""The head: how far the log goes, sealed under the key and kept outside the log.

Pure. The log alone cannot show that its end was cut off; the head can. Before records are appended
the head says what comes next, afterwards that it came: whatever a crash leaves lies in between, and
nothing in between was acknowledged to anybody.
"""

import hmac
import json
from dataclasses import asdict, dataclass

from esra.governance.audit.chain import Keys, genesis

SIZE = 1024  # bytes, always: one write within one page is not torn by a killed process


class HeadUnusable(ValueError):
    """The head is missing or was changed; the message says which."""


class WrongKey(HeadUnusable):
    """Another key sealed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place in the log: behind record ``sequence``, whose seal is ``chain`` (64 hex digits).

    ``file`` and its ``size`` in bytes up to there; "" and 0 where the log is a table.
    """

    sequence: int
    chain: str
    file: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Torn:
    """What a crash left of a line, kept aside in the file ``kept``."""

    bytes: int
    sha256: str
    kept: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """``at`` is acknowledged. ``next`` is where the write that is under way will lead; None when
    none is. ``torn`` waits for its own record to be in the log.
    """

    log: str
    at: Mark
    next: Mark | None = None
    torn: Torn | None = None


def first(keys: Keys, log: str) -> Head:
    """The head of a log that holds nothing."""
    return Head(log=log, at=Mark(sequence=0, chain=genesis(keys, log).hex()))


def sealed(head: Head, keys: Keys) -> bytes:
    """The head in ``SIZE`` bytes."""
    body = json.dumps({"version": 1, "key": keys.id, **asdict(head)}, separators=(",", ":"))
    text = f"{_mac(keys, body)} {body}".encode("ascii")
    if len(text) >= SIZE:
        raise ValueError("the audit head does not fit")
    return text.ljust(SIZE - 1) + b"\n"


def opened(data: bytes, keys: Keys) -> Head:
    """The head in ``data``; ``HeadUnusable`` if this key did not seal it."""
    mac, _, body = data.decode("ascii", "replace").strip().partition(" ")
    if not hmac.compare_digest(mac.encode(), _mac(keys, body).encode()):
        raise _why(body, keys)
    values = json.loads(body)
    return Head(
        log=values["log"],
        at=Mark(**values["at"]),
        next=Mark(**values["next"]) if values["next"] else None,
        torn=Torn(**values["torn"]) if values["torn"] else None,
    )


def exported(head: Head) -> str:
    """``LOG:SEQUENCE:SEAL``: kept elsewhere, it shows later that the log still holds all that."""
    return f"{head.log}:{head.at.sequence}:{head.at.chain}"


def _why(body: str, keys: Keys) -> HeadUnusable:
    try:
        other = json.loads(body)["key"] != keys.id
    except (ValueError, TypeError, KeyError):
        other = False
    if other:
        return WrongKey("the audit key is not the one that sealed the head")
    return HeadUnusable("the audit head was changed")


def _mac(keys: Keys, body: str) -> str:
    return hmac.digest(keys.heads, body.encode(), "sha256").hex()
