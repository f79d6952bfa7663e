"""A catalog's ``[governance]`` block: whose tokens are accepted, and what is kept of prompts."""

import tomllib
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, TypeAdapter, ValidationError
from pydantic import Field as Bound

from esra.config.reference import Reference
from esra.config.strict import ConfigError, Fault, Strict
from esra.domain.trust import Issuer, LocalIdentity, Trust

Algorithm = Literal[
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
]
_OWN = ("localhost", "127.0.0.1", "::1")


def _web_address(value: str) -> str:
    parts = urlsplit(value)
    # Without TLS anybody on the way could say who may enter; on this machine nobody is on the way.
    safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _OWN)
    if not safe or not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("this is an https address without user, query and fragment")
    return value


def _key_place(value: str) -> str:
    if value.startswith("file:") and len(value) > len("file:"):
        return value
    parts = urlsplit(value)
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc or parts.fragment:
        raise ValueError("this is file:PATH, or an https address without user and fragment")
    return value


WebAddress = Annotated[str, Bound(max_length=200), AfterValidator(_web_address)]
KeyPlace = Annotated[str, AfterValidator(_key_place)]
Named = Annotated[str, Bound(min_length=1, max_length=200)]


class IssuerBlock(Strict):
    """``audience`` is by default the resource; the tenant is fixed or read from a claim."""

    issuer: WebAddress
    keys: KeyPlace
    audience: Named | None = None
    algorithms: list[Algorithm] = Bound(
        default=["RS256", "PS256", "ES256", "EdDSA", "Ed25519"], min_length=1
    )
    types: list[Literal["at+jwt", "jwt", ""]] = Bound(default=["at+jwt", "jwt"], min_length=1)
    tenant: Named | None = None
    tenant_claim: Named | None = None
    tenants: dict[str, Named] = {}
    groups_claim: Named = "groups"


class LocalBlock(Strict):
    accepted: bool = True
    tenant: Named = "local"
    subject: Named = "local"


class GovernanceBlock(Strict):
    """``groups`` names for a group those it belongs to; ``groups_file`` a TOML file of the same."""

    resource: WebAddress | None = None
    scopes: list[Named] = []
    leeway: float = Bound(default=30.0, ge=0, le=60)
    retention: Literal["full", "keyed_hash", "redacted", "none"] = "keyed_hash"
    prompt_key: Reference | None = None
    groups: dict[str, list[str]] = {}
    groups_file: str | None = None
    local: LocalBlock = LocalBlock()
    issuers: list[IssuerBlock] = []


def trust_faults(block: GovernanceBlock) -> list[Fault]:
    """What a person has to mend."""
    found = []
    if block.issuers and block.resource is None:
        # Without it a door on a network could not say whose tokens it takes.
        found.append(Fault(path=("governance",), text="needs its resource where it has issuers"))
    named = [one.issuer for one in block.issuers]
    for number, one in enumerate(block.issuers):
        path = ("governance", "issuers", number)
        if one.issuer in named[:number]:
            found.append(Fault(path=(*path, "issuer"), text="this issuer stands twice"))
        if (one.tenant is None) == (one.tenant_claim is None):
            found.append(Fault(path=path, text="takes one of tenant and tenant_claim"))
        if one.tenants and one.tenant_claim is None:
            text = "tenants maps the values of a tenant_claim"
            found.append(Fault(path=(*path, "tenants"), text=text))
    return found


def trust_of(block: GovernanceBlock, folder: Path) -> Trust:
    """What the block means; ``ConfigError`` where its file of groups cannot be used."""
    groups = dict(block.groups)
    if block.groups_file is not None:
        groups |= _read_groups(folder / block.groups_file)
    return Trust(
        resource=block.resource or "",
        issuers=tuple(_issuer(one, block.resource or "") for one in block.issuers),
        scopes=tuple(block.scopes),
        leeway=block.leeway,
        groups=tuple((group, tuple(parents)) for group, parents in groups.items()),
        local=LocalIdentity(**block.local.model_dump()),
    )


def _issuer(block: IssuerBlock, resource: str) -> Issuer:
    return Issuer(
        issuer=block.issuer,
        audience=block.audience or resource,
        keys=block.keys,
        algorithms=frozenset(block.algorithms),
        types=frozenset(block.types),
        tenant=block.tenant or "",
        tenant_claim=block.tenant_claim or "",
        tenants=tuple(block.tenants.items()),
        groups_claim=block.groups_claim,
    )


def _read_groups(path: Path) -> dict[str, list[str]]:
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        return TypeAdapter(dict[str, list[str]]).validate_python(data, strict=True)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError, ValidationError):
        raise ConfigError(f'{path}: not a TOML table of group = ["group", ...]') from None
