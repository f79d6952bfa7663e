"""Principals with claims, as authentication would hand them on."""

from esra.domain.invocation import Identity, Principal
from esra.governance.claims import with_groups


def principal(tenant="acme", identity=Identity.TOKEN, groups=(), **claims):
    return Principal(
        tenant=tenant,
        subject="ada",
        identity=identity,
        groups=tuple(groups),
        claims=with_groups(tuple(sorted(claims.items())), tuple(groups)),
    )
