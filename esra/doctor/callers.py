"""What the doctor finds wrong with who may ask.

Pure: judges a catalog, asks nobody.
"""

from collections.abc import Iterator

from esra.doctor.finding import Fault, Finding, warning
from esra.domain.capability import Catalog
from esra.domain.trust import Trust


def caller_findings(trust: Trust, catalog: Catalog) -> Iterator[Finding]:
    """A warning where tokens are accepted and every one of them would be turned away."""
    faces = [exposure.access for exposure in catalog.exposures if exposure.published]
    if trust.issuers and not any(access.rules or access.authenticated for access in faces):
        yield warning(
            Fault.NOBODY_ADMITTED,
            "catalog",
            "it names an issuer of tokens, and no published exposure admits one of them",
            "give an exposure [[exposures.allow]] rules, or allow_authenticated = true",
        )
