"""Takes a signed token apart, trusting nothing in it. Pure; it knows no key.

Stricter than the standard asks: each part is the one canonical encoding of its bytes, no name
stands twice in an object, and a header that would lead a reader elsewhere is refused.
Source: RFC 7515 (compact serialization), RFC 8725 (best practices).
"""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from esra.domain.codes import Denial
from esra.governance.refusals import unauthenticated
from esra.strict_json import strict_json

_PART = re.compile(r"\A[A-Za-z0-9_-]+\Z")
_LONGEST_NAME = 256  # characters of alg, typ and kid
# Members that name a key from outside the configured set, change what was signed, or need
# understanding that is not here.
_LEADING_AWAY = frozenset(
    {"jku", "jwk", "x5u", "x5c", "crit", "b64", "zip", "enc", "epk", "apu", "apv", "p2s", "p2c"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unverified:
    """A token's parts before anybody checked its signature; only ``issuer`` may be looked at.

    ``kid`` None where it has none; ``type`` in lower case, "" where it has none.
    """

    text: str = field(repr=False)
    algorithm: str
    kid: str | None
    type: str
    issuer: str
    claims: Mapping[str, object] = field(repr=False)


def read_compact(token: str, longest: int) -> Unverified:
    """The parts of a token of at most ``longest`` characters; ``Refused`` for anything else."""
    if not token:
        raise unauthenticated(Denial.NO_TOKEN)
    if len(token) > longest:
        raise unauthenticated(Denial.TOKEN_TOO_LONG)
    parts = token.split(".", 3)
    if len(parts) != 3:
        raise unauthenticated(Denial.TOKEN_MALFORMED)
    header, claims = _object(parts[0]), _object(parts[1])
    _bytes(parts[2])
    if _LEADING_AWAY & set(header) or str(header.get("cty", "")).lower() in _NESTED:
        raise unauthenticated(Denial.HEADER_NOT_ACCEPTED)
    return Unverified(
        text=token,
        algorithm=_name(header, "alg"),
        kid=_name(header, "kid") if "kid" in header else None,
        type=_name(header, "typ").lower().removeprefix("application/") if "typ" in header else "",
        issuer=_issuer(claims),
        claims=claims,
    )


_NESTED = ("jwt", "application/jwt")


def _object(part: str) -> Mapping[str, object]:
    """The JSON object a part encodes."""
    try:
        value = strict_json(_bytes(part).decode("utf-8"))
    except ValueError:
        raise unauthenticated(Denial.TOKEN_MALFORMED) from None
    if not isinstance(value, dict):
        raise unauthenticated(Denial.TOKEN_MALFORMED)
    return value


def _bytes(part: str) -> bytes:
    """The bytes of a part, if it is their one encoding: unpadded, with no stray bits at the end."""
    if not _PART.match(part):
        raise unauthenticated(Denial.TOKEN_MALFORMED)
    try:
        data = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except (binascii.Error, ValueError):
        raise unauthenticated(Denial.TOKEN_MALFORMED) from None
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != part:
        raise unauthenticated(Denial.TOKEN_MALFORMED)
    return data


def _name(header: Mapping[str, object], member: str) -> str:
    value = header.get(member)
    if not isinstance(value, str) or not 1 <= len(value) <= _LONGEST_NAME:
        raise unauthenticated(Denial.TOKEN_MALFORMED)
    return value


def _issuer(claims: Mapping[str, object]) -> str:
    issuer = claims.get("iss")
    if not isinstance(issuer, str):
        raise unauthenticated(Denial.ISSUER_NOT_ACCEPTED)
    return issuer
