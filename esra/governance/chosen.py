"""Which governance a configuration asks for."""

from pathlib import Path

from esra.domain.capability import Catalog
from esra.domain.trust import Trust
from esra.governance.local import LocalGovernance
from esra.ports import Clock, Governance


class TrustUnusable(ValueError):
    """What the trust needs is not on this machine; the message says what to do."""


def governance_of(catalog: Catalog, trust: Trust, folder: Path, clock: Clock) -> Governance:
    """Local callers alone, or the holders of tokens too; key files lie relative to ``folder``.

    Key sets in files are read once, so that a missing one is told now and not to the first caller.
    """
    if not trust.issuers:
        return LocalGovernance(catalog, trust.local)
    try:
        # What checks signatures comes with the extra "serve".
        from esra.governance.keys import KeysUnusable
        from esra.governance.platform import check_files, govern
    except ImportError as error:
        raise TrustUnusable(
            f"tokens cannot be checked without {error.name}; `pip install 'esra[serve]'`"
        ) from error
    try:
        check_files(trust, folder)
    except KeysUnusable as error:
        raise TrustUnusable(str(error)) from None
    return govern(catalog, trust, folder, clock)
