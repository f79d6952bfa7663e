"""Which groups are sealed: a property of each group's own key, with no seed to try again.

Adding, editing or re-ordering queries moves no other group, because no other group enters the hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from eval.evidence.scores import Mask, normal_form

SHARE = 0.4


def sealed(groups: Sequence[str], share: float = SHARE) -> Mask:
    """[Q] True for each query whose group is sealed; a larger share only adds groups."""
    side = {group: _place(group) < share for group in set(groups)}
    return np.array([side[group] for group in groups], dtype=np.bool_)


def seal_mark(group: str) -> str:
    """What the ledger keeps of a sealed group: enough to recognise it, not enough to read it."""
    return sha256(b"esra lineage 1\0" + normal_form(group).encode()).hexdigest()[:16]


def _place(group: str) -> float:
    digest = sha256(b"esra sealed 1\0" + normal_form(group).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
