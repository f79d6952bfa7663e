"""Governance as a door on a network sees it: nobody is local there."""

from esra.domain.capability import Exposure
from esra.domain.codes import Denial
from esra.domain.invocation import Caller, Principal
from esra.governance.refusals import unauthenticated
from esra.ports import Governance


class OverNetwork:
    """The same governance without its local identity.

    A door that forgot to pass a missing token as "" would otherwise let everybody in as local.
    """

    def __init__(self, governance: Governance) -> None:
        self._governance = governance

    async def authenticate(self, token: str | None) -> Principal:
        """The holder of the token; no token is no principal."""
        if not token:
            raise unauthenticated(Denial.NO_TOKEN)
        return await self._governance.authenticate(token)

    async def authorize(self, principal: Principal, exposure: str) -> Caller:
        return await self._governance.authorize(principal, exposure)

    async def visible(self, principal: Principal) -> tuple[Exposure, ...]:
        return await self._governance.visible(principal)
