"""Names of groups that tell nothing of the questions in them, where retention forbids it.

A group without a label of its own is called by its question's words. Under ``keyed_hash`` a name is
a keyed hash of that, under ``redacted`` and ``none`` a number; under ``full`` it stays. A masked
group stays on its own side of the seal, so that whoever explores a recording looks at no group that
``tune`` keeps sealed.
"""

import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from itertools import count

from esra.domain.invocation import Retention
from eval.evidence.split import sealed


def masked(groups: Sequence[str], retention: Retention, secret: bytes) -> Mapping[str, str]:
    """The name of each group; numbers go by the order of ``groups``."""
    known = list(dict.fromkeys(groups))
    if retention is Retention.FULL:
        return {group: group for group in known}
    if retention is Retention.KEYED_HASH:
        return {group: _on_its_side(group, _hashed(group, secret)) for group in known}
    return {group: _on_its_side(group, _numbered(n)) for n, group in enumerate(known, start=1)}


def _on_its_side(group: str, name: Callable[[int], str]) -> str:
    side = bool(sealed([group])[0])
    return next(own for n in count() if bool(sealed([own := name(n)])[0]) is side)


def _hashed(group: str, secret: bytes) -> Callable[[int], str]:
    def name(attempt: int) -> str:
        told = b"group\0%d\0" % attempt + group.encode()
        return hmac.new(secret, told, hashlib.sha256).hexdigest()[:24]

    return name


def _numbered(number: int) -> Callable[[int], str]:
    return lambda attempt: f"need {number} {attempt}"
