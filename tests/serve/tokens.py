"""A governance that knows three tokens by name, and the resource they are for."""

from esra.domain.codes import Denial
from esra.domain.invocation import Caller, Identity, Principal
from esra.governance.local import LocalGovernance
from esra.governance.refusals import InsufficientScope, forbidden, unauthenticated
from esra.serve.bearer import Resource

RESOURCE = Resource(
    url="https://esra.example/mcp", issuers=("https://login.example",), scopes=("search",)
)
METADATA = "https://esra.example/.well-known/oauth-protected-resource/mcp"


class Tokens(LocalGovernance):
    """Knows three tokens: two that may, and one that may not."""

    async def authenticate(self, token):
        if token == "narrow":
            raise InsufficientScope(("search",))
        if token not in ("good", "poor", "other"):
            raise unauthenticated(Denial.TOKEN_MALFORMED)
        return Principal(tenant="t", subject=token, identity=Identity.TOKEN)

    async def authorize(self, principal, exposure):
        if principal.subject == "poor" or self._catalog.exposure(exposure) is None:
            raise forbidden(Denial.NO_RULE)
        return Caller(tenant="t", subject=principal.subject, identity=Identity.TOKEN)

    async def visible(self, principal):
        return self._catalog.exposures


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
