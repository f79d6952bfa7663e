"""Checks access tokens as an OAuth 2.1 resource server does, and says whose they are.

In this order: length, form, header, issuer, algorithm, type, key, signature, audience, times,
subject and tenant. Until the signature is checked nothing but names that choose a configured
issuer and key is read. Every refusal has one public text and, for the audit, its own reason; the
token itself stands in neither, and goes nowhere else.
Source: RFC 6750, RFC 7519, RFC 8725, RFC 9068.
"""

from collections.abc import Mapping

from joserfc.errors import JoseError
from joserfc.jwk import Key
from joserfc.jws import JWSRegistry, deserialize_compact

from esra.domain.codes import Denial
from esra.domain.invocation import Principal
from esra.domain.trust import Issuer, Trust
from esra.governance.claims import Verified, principal_of
from esra.governance.compact import Unverified, read_compact
from esra.governance.keys import Keys
from esra.governance.refusals import unauthenticated
from esra.ports import Clock

LATEST = 1e12  # seconds: thirty thousand years


class Tokens:
    """Verifies tokens of the trusted issuers; ``keys`` by issuer."""

    def __init__(self, trust: Trust, keys: Mapping[str, Keys], clock: Clock) -> None:
        self._trust, self._keys, self._clock = trust, keys, clock
        self._issuers = {one.issuer: one for one in trust.issuers}

    async def principal(self, token: str) -> Principal:
        """Whose token it is; ``Refused`` with ESRA_UNAUTHENTICATED for any that is not accepted."""
        unverified = read_compact(token, self._trust.longest)
        issuer = self._issuers.get(unverified.issuer)
        if issuer is None:
            raise unauthenticated(Denial.ISSUER_NOT_ACCEPTED)
        if unverified.algorithm not in issuer.algorithms:
            raise unauthenticated(Denial.ALGORITHM_NOT_ACCEPTED)
        if unverified.type not in issuer.types:
            raise unauthenticated(Denial.TYPE_NOT_ACCEPTED)
        key = await self._keys[issuer.issuer].find(unverified.kid, unverified.algorithm)
        check_signature(unverified, key)
        return principal_of(self._checked(unverified.claims, issuer))

    def _checked(self, claims: Mapping[str, object], issuer: Issuer) -> Verified:
        if not _is_for(claims.get("aud"), issuer.audience):
            raise unauthenticated(Denial.AUDIENCE_NOT_OURS)
        now, leeway = self._clock.now(), self._trust.leeway
        expires = _seconds(claims, "exp")
        if expires is None:
            raise unauthenticated(Denial.CLAIM_UNUSABLE)
        if now >= expires + leeway:
            raise unauthenticated(Denial.EXPIRED)
        for claim in ("nbf", "iat"):
            start = _seconds(claims, claim)
            if start is not None and now < start - leeway:
                raise unauthenticated(Denial.NOT_YET_VALID)
        return Verified(issuer=issuer, claims=claims, expires=expires + leeway)


class _Registry(JWSRegistry):
    """Knows one algorithm. ``EdDSA`` means Ed25519, its one curve here."""

    def __init__(self, algorithm: str, longest: int) -> None:
        super().__init__(algorithms=[_known_as(algorithm)], strict_check_header=False)
        self.max_header_length = self.max_payload_length = self.max_signature_length = longest

    def get_alg(self, name: str):  # type: ignore[no-untyped-def]  # the type is not exported
        return super().get_alg(_known_as(name))


def _known_as(algorithm: str) -> str:
    return "Ed25519" if algorithm == "EdDSA" else algorithm


def check_signature(token: Unverified, key: Key) -> None:
    """``Refused`` unless the token's algorithm under ``key`` made its signature."""
    registry = _Registry(token.algorithm, len(token.text))
    try:
        deserialize_compact(token.text, key, registry=registry)
    except (JoseError, ValueError, TypeError):
        raise unauthenticated(Denial.SIGNATURE_INVALID) from None


def _is_for(audience: object, ours: str) -> bool:
    """RFC 7519, 4.1.3: one text or a list of texts, compared letter for letter."""
    return ours in audience if isinstance(audience, list) else audience == ours


def _seconds(claims: Mapping[str, object], name: str) -> float | None:
    """A NumericDate (RFC 7519, 2); None where the claim is missing."""
    value = claims.get(name)
    if value is None:
        return None
    # NaN is no smaller than anything; an integer beyond the bound is no float.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < LATEST:
        raise unauthenticated(Denial.CLAIM_UNUSABLE)
    return float(value)
