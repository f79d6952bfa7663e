"""The shipped governance: tokens of trusted issuers, a local identity, rules over claims.

Promises: ``visible`` names exactly the exposures that ``authorize`` admits, and whatever goes wrong
on the way denies the call.
"""

import logging
from dataclasses import replace
from pathlib import Path

from esra.domain.capability import Catalog, Exposure
from esra.domain.codes import Denial
from esra.domain.invocation import Caller, Principal
from esra.domain.policy import Grant
from esra.domain.trust import Trust
from esra.governance.claims import with_groups
from esra.governance.groups import AsGiven, GroupResolver, NestedGroups
from esra.governance.jwks import read_file, reader
from esra.governance.keys import Keys, KeysUnusable, read_keys
from esra.governance.local import local_principal
from esra.governance.policy import caller_of, decide
from esra.governance.refusals import InsufficientScope, forbidden, unauthenticated
from esra.governance.tokens import Tokens
from esra.ports import Clock

log = logging.getLogger("esra.governance")


def govern(
    catalog: Catalog, trust: Trust, folder: Path, clock: Clock, groups: GroupResolver | None = None
) -> "Platform":
    """The governance a configuration describes; key files lie relative to ``folder``.

    ``groups`` stands in for the configured table. Key sets are read when the first token asks.
    """
    keys = {one.issuer: Keys(one.issuer, reader(one.keys, folder), clock) for one in trust.issuers}
    table = NestedGroups(dict(trust.groups)) if trust.groups else AsGiven()
    return Platform(catalog, trust, Tokens(trust, keys, clock), groups or table, clock)


def check_files(trust: Trust, folder: Path) -> None:
    """Raises ``KeysUnusable`` where an issuer's keys should be in a file and are not."""
    for one in trust.issuers:
        if one.keys.startswith("file:"):
            try:
                read_keys(read_file(folder / one.keys.removeprefix("file:")))
            except KeysUnusable as error:
                raise KeysUnusable(f"the keys of {one.issuer} in {one.keys}: {error}") from None


class Platform:
    """Governs the exposures of one catalog under one trust."""

    def __init__(
        self, catalog: Catalog, trust: Trust, tokens: Tokens, groups: GroupResolver, clock: Clock
    ) -> None:
        self._catalog, self._trust, self._tokens = catalog, trust, tokens
        self._groups, self._clock = groups, clock

    async def authenticate(self, token: str | None) -> Principal:
        """The holder of the token, or for None the local identity.

        A good token without the scopes that every call needs is ``InsufficientScope``.
        """
        if token is None:
            return local_principal(self._trust.local)
        principal = await self._tokens.principal(token)
        if not principal.scopes.issuperset(self._trust.scopes):
            raise InsufficientScope(self._trust.scopes)
        return principal

    async def authorize(self, principal: Principal, exposure: str) -> Caller:
        """The caller with what the rules grant him, his groups expanded."""
        known = await self._expanded(principal)
        decision = decide(self._catalog.exposure(exposure), known)
        if isinstance(decision, Denial):
            raise forbidden(decision)
        return caller_of(known, decision)

    async def visible(self, principal: Principal) -> tuple[Exposure, ...]:
        """The exposures that ``authorize`` admits, in the catalog's order."""
        known = await self._expanded(principal)
        return tuple(
            one for one in self._catalog.exposures if isinstance(decide(one, known), Grant)
        )

    async def _expanded(self, principal: Principal) -> Principal:
        """The principal, still valid, with its groups expanded, in the claims too."""
        if principal.expires is not None and self._clock.now() >= principal.expires:
            raise unauthenticated(Denial.EXPIRED)
        try:
            groups = await self._groups.expand(principal.groups)
        except Exception as error:
            # A directory that does not answer must not open a door, whatever it throws.
            log.warning("groups could not be expanded: %s", type(error).__name__)
            raise forbidden(Denial.GROUPS_UNAVAILABLE) from None
        return replace(principal, groups=groups, claims=with_groups(principal.claims, groups))
