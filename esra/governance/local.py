"""Governance of a caller on this machine: over stdio, and from the command line.

Whoever may start this program on this account may read what it reads, so there is nothing to prove
and no rule to hold him by; the audit says that he was local. An exposure's tenants still hold.
"""

from esra.domain.capability import Catalog, Exposure
from esra.domain.codes import Denial
from esra.domain.invocation import Caller, Identity, Principal
from esra.domain.policy import Grant
from esra.domain.trust import LocalIdentity
from esra.governance.policy import caller_of, decide
from esra.governance.refusals import forbidden, unauthenticated


class LocalGovernance:
    """One local principal, and nobody with a token."""

    def __init__(self, catalog: Catalog, identity: LocalIdentity | None = None) -> None:
        self._catalog, self._identity = catalog, identity or LocalIdentity()

    async def authenticate(self, token: str | None) -> Principal:
        """The local principal; a token is refused, since nobody here could check it."""
        if token is not None:
            raise unauthenticated(Denial.ISSUER_NOT_ACCEPTED if token else Denial.NO_TOKEN)
        return local_principal(self._identity)

    async def authorize(self, principal: Principal, exposure: str) -> Caller:
        """The caller of a published exposure of his tenant."""
        decision = decide(self._catalog.exposure(exposure), principal)
        if isinstance(decision, Denial):
            raise forbidden(decision)
        return caller_of(principal, decision)

    async def visible(self, principal: Principal) -> tuple[Exposure, ...]:
        """Every published exposure of his tenant."""
        return tuple(
            one for one in self._catalog.exposures if isinstance(decide(one, principal), Grant)
        )


def local_principal(identity: LocalIdentity) -> Principal:
    """Who a local caller is; ``Refused`` where local callers are not accepted."""
    if not identity.accepted:
        raise unauthenticated(Denial.LOCAL_NOT_ACCEPTED)
    return Principal(tenant=identity.tenant, subject=identity.subject, identity=Identity.LOCAL)
