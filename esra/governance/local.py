"""Governance of a caller on this machine: over stdio, and from the command line.

Whoever may start this program on this account may read what it reads, so there is nothing to prove
and no rule to hold him by; the audit says that he was local. An exposure's tenants still hold.
"""

from esra.domain.capability import Catalog, Exposure
from esra.domain.codes import Denial
from esra.domain.invocation import Caller, Identity, Principal
from esra.governance.refusals import forbidden, unauthenticated

LOCAL = Principal(tenant="local", subject="local", identity=Identity.LOCAL)


class LocalGovernance:
    """One local principal, and nobody with a token."""

    def __init__(self, catalog: Catalog, principal: Principal = LOCAL) -> None:
        self._catalog, self._principal = catalog, principal

    async def authenticate(self, token: str | None) -> Principal:
        """The local principal; a token is refused, since nobody here could check it."""
        if token is not None:
            raise unauthenticated(Denial.ISSUER_NOT_ACCEPTED)
        return self._principal

    async def authorize(self, principal: Principal, exposure: str) -> Caller:
        """The caller of a published exposure of his tenant."""
        reason = closed(self._catalog.exposure(exposure), principal)
        if reason is not None:
            raise forbidden(reason)
        return Caller(
            tenant=principal.tenant,
            subject=principal.subject,
            identity=principal.identity,
            groups=principal.groups,
            claims=principal.claims,
        )

    async def visible(self, principal: Principal) -> tuple[Exposure, ...]:
        """Every published exposure of his tenant."""
        return tuple(one for one in self._catalog.exposures if closed(one, principal) is None)


def closed(exposure: Exposure | None, principal: Principal) -> Denial | None:
    """Why an exposure is closed to this principal whatever the rules say; None where it is open."""
    if exposure is None:
        return Denial.EXPOSURE_UNKNOWN
    if not exposure.published:
        return Denial.EXPOSURE_UNPUBLISHED
    if exposure.tenants is not None and principal.tenant not in exposure.tenants:
        return Denial.TENANT_NOT_ADMITTED
    return None
