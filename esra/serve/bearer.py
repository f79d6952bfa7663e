"""A caller's access token over HTTP, and how one is asked for (RFC 6750, RFC 9728).

A token is read from the Authorization header and from nowhere else: an address is written to logs
and histories. It is never logged, and never handed to a source or a model.
"""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from esra.domain.trust import Trust

METADATA = "/.well-known/oauth-protected-resource"
# The b64token of RFC 6750, 2.1. The scheme's name has no case.
_BEARER = re.compile(r"\A[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/-]+=*)\Z")
LONGEST = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """What this service is to an authorization server. ``url`` is the audience of its tokens."""

    url: str
    issuers: tuple[str, ...]
    scopes: tuple[str, ...] = ()

    @property
    def metadata_path(self) -> str:
        """The well-known path, inserted before the resource's own (RFC 9728, 3.1)."""
        return METADATA + urlsplit(self.url).path.rstrip("/")

    @property
    def metadata_url(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{self.metadata_path}"

    def metadata(self) -> dict[str, object]:
        """The document of RFC 9728, 2."""
        return {
            "resource": self.url,
            "authorization_servers": list(self.issuers),
            "scopes_supported": list(self.scopes),
            "bearer_methods_supported": ["header"],
        }

    def challenge(self, error: str = "", scopes: tuple[str, ...] = ()) -> str:
        """The value of WWW-Authenticate; ``error`` "" where no token came at all."""
        wanted = " ".join(scopes or self.scopes)
        parts = {"error": error, "scope": wanted, "resource_metadata": self.metadata_url}
        return "Bearer " + ", ".join(f'{key}="{value}"' for key, value in parts.items() if value)


def token_of(connection: HTTPConnection | None, tokens: bool) -> str | None:
    """The token; "" where none that could be one came, None for a caller who needs none."""
    if connection is None or not tokens:
        return None
    given = connection.headers.getlist("authorization")
    found = _BEARER.match(given[0]) if len(given) == 1 and len(given[0]) <= LONGEST else None
    return found.group(1) if found else ""


def resource_of(trust: Trust) -> Resource | None:
    """The service as its trust describes it; None where no issuer's tokens are accepted."""
    if not trust.issuers:
        return None
    issuers = tuple(dict.fromkeys(one.issuer for one in trust.issuers))
    return Resource(url=trust.resource, issuers=issuers, scopes=trust.scopes)
