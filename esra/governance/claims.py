"""What a verified token says of its holder: tenant, subject, groups, scopes and claims. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from esra.domain.codes import Denial
from esra.domain.invocation import Claims, Identity, Principal
from esra.domain.trust import Issuer
from esra.governance.refusals import unauthenticated

LONGEST = 1_024  # characters of one value
LONGEST_NAME = 255  # characters of a subject (OpenID Connect Core, 2) or a tenant
GROUPS = "groups"
DEEPEST = 4  # objects inside objects: ``realm_access.roles`` is 2 deep


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The claims of a token whose signature, issuer, audience and times were checked."""

    issuer: Issuer
    claims: Mapping[str, object]
    expires: float


def principal_of(verified: Verified) -> Principal:
    """The principal a token names; ``Refused`` where it names none, or no tenant."""
    issuer = verified.issuer
    claims = read_claims(verified.claims)
    known = dict(claims)
    (subject,) = known.get("sub", ("",))[:1]
    whole = subject.strip() and len(subject) <= LONGEST_NAME
    if not isinstance(verified.claims.get("sub"), str) or not whole:
        raise unauthenticated(Denial.CLAIM_UNUSABLE)
    groups = known.get(issuer.groups_claim, ())
    return Principal(
        tenant=_tenant(issuer, known),
        # Only issuer and subject together are one person's for ever (OpenID Connect Core, 5.7);
        # an issuer's address has no fragment, so no two pairs have one text.
        subject=f"{issuer.issuer}#{subject}",
        identity=Identity.TOKEN,
        groups=groups,
        scopes=frozenset(_scopes(known)),
        claims=with_groups(claims, groups),
        expires=verified.expires,
    )


def with_groups(claims: Claims, groups: tuple[str, ...]) -> Claims:
    """The claims with ``groups`` under that very name, whichever claim they were read from."""
    others = tuple(pair for pair in claims if pair[0] != GROUPS)
    return tuple(sorted((*others, (GROUPS, groups)))) if groups else others


def read_claims(claims: Mapping[str, object]) -> Claims:
    """Every claim as texts; an object's members as ``outer.inner``.

    A name that stands at the top hides an inner one of the same text. ``Refused`` for text that
    cannot be written down.
    """
    found = dict(_flat(claims, "", 1))
    found |= {n: _texts(value) for n, value in claims.items() if not isinstance(value, dict)}
    if any(not _sound(text) for name, values in found.items() for text in (name, *values)):
        raise unauthenticated(Denial.CLAIM_UNUSABLE)
    return tuple(sorted(found.items()))


def _flat(
    claims: Mapping[str, object], before: str, depth: int
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, value in claims.items():
        if isinstance(value, dict):
            if depth < DEEPEST:
                yield from _flat(value, f"{before}{name}.", depth + 1)
        else:
            yield before + name, _texts(value)


def _texts(value: object) -> tuple[str, ...]:
    """Its values; none where a part of it is no plain value, so that no half of a list is read."""
    each = value if isinstance(value, list) else [value]
    texts = [_text(one) for one in each]
    return () if None in texts else tuple(text for text in texts if text is not None)


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return value if isinstance(value, str) else None


def _sound(text: str) -> bool:
    """Text that every record, log and database takes: bounded, no control, no lone surrogate."""
    return len(text) <= LONGEST and not any(
        char < " " or char == "\x7f" or "\ud800" <= char <= "\udfff" for char in text
    )


def _tenant(issuer: Issuer, known: Mapping[str, tuple[str, ...]]) -> str:
    if not issuer.tenant_claim:
        return issuer.tenant
    values = known.get(issuer.tenant_claim, ())
    # Two tenants are as bad as none: whichever we took might be the other's holder.
    (value,) = values if len(values) == 1 else ("",)
    tenant = dict(issuer.tenants).get(value, "") if issuer.tenants else value
    if not tenant.strip() or len(tenant) > LONGEST_NAME:
        raise unauthenticated(Denial.TENANT_UNRESOLVED)
    return tenant


def _scopes(known: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """RFC 8693, 4.2: one text with blanks between; others send a list, or name it ``scp``."""
    for name in ("scope", "scp"):
        for value in known.get(name, ()):
            yield from value.split()
