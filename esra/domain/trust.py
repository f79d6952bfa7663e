"""Whose tokens are accepted, and what is read from them. Nothing here holds a secret."""

from dataclasses import dataclass

# Signature algorithm -> the kind of key it needs. No shared-secret algorithm is among them: with
# one, whoever can check a token can make one (RFC 8725, 2.1). Source: RFC 7518, 3.1; RFC 9864.
ALGORITHMS = {
    "RS256": "RSA",
    "RS384": "RSA",
    "RS512": "RSA",
    "PS256": "RSA",
    "PS384": "RSA",
    "PS512": "RSA",
    "ES256": "P-256",
    "ES384": "P-384",
    "ES512": "P-521",
    "EdDSA": "Ed25519",
    "Ed25519": "Ed25519",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuer:
    """An issuer of access tokens.

    ``keys`` refers to its public keys (``file:PATH`` or an https URL). ``types`` are accepted
    values of the header's ``typ`` in lower case, "" where it may be missing. The tenant is the
    one value of ``tenant_claim``, through ``tenants`` where that is given; without a claim it is
    ``tenant``.
    """

    issuer: str
    audience: str
    keys: str
    algorithms: frozenset[str]
    types: frozenset[str]
    tenant: str = ""
    tenant_claim: str = ""
    tenants: tuple[tuple[str, str], ...] = ()
    groups_claim: str = "groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalIdentity:
    """Who a caller over stdio or at the command line is."""

    accepted: bool = True
    tenant: str = "local"
    subject: str = "local"
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Everything authentication rests on.

    ``resource`` is this service's canonical URI (RFC 8707), ``scopes`` what every token needs,
    ``leeway`` seconds of clock difference, ``longest`` characters of a token. ``groups`` names for
    a group those that it belongs to.
    """

    resource: str = ""
    issuers: tuple[Issuer, ...] = ()
    scopes: tuple[str, ...] = ()
    leeway: float = 30.0
    longest: int = 16_384
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    local: LocalIdentity = LocalIdentity()
