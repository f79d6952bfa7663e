"""Which groups are sealed: a property of each group's own key, with no seed to try again.

Adding, editing or re-ordering queries moves no other group, because no other group enters the hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from eval.evidence.scores import Mask, Scores, normal_form

SHARE = 0.4
LEAST_GROUPS = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parts:
    """development: what may be looked at; sealed: [Q] mask of the rest, of `sealed_groups` groups.

    Under 60 groups in all nothing is sealed and nothing can be promoted.
    """

    development: Scores
    sealed: Mask
    sealed_groups: int

    @property
    def stated_for(self) -> int:
        """The number of groups that powers are stated for: the sealed ones, or all."""
        return self.sealed_groups or self.development.group_count


def split(scores: Scores, share: float = SHARE) -> Parts:
    mask = sealed(scores.groups, share)
    if scores.group_count < LEAST_GROUPS or mask.all():
        mask = np.zeros_like(mask)
    development = scores.part(~mask)
    return Parts(
        development=development,
        sealed=mask,
        sealed_groups=scores.group_count - development.group_count,
    )


def sealed(groups: Sequence[str], share: float = SHARE) -> Mask:
    """[Q] True for each query whose group is sealed; a larger share only adds groups."""
    side = {group: _place(group) < share for group in set(groups)}
    return np.array([side[group] for group in groups], dtype=np.bool_)


def seal_mark(group: str) -> str:
    """What the ledger keeps of a sealed group: enough to recognise it, not enough to read it."""
    return sha256(b"esra lineage 1\0" + normal_form(group).encode()).hexdigest()[:16]


def known_marks(scores: Scores) -> dict[str, set[str]]:
    """By each group's mark those of its questions, where they say something else than its key."""
    known: dict[str, set[str]] = {}
    if scores.texts is None:
        return known
    for group, text in zip(scores.groups, scores.texts, strict=True):
        if normal_form(text) not in ("", group):
            known.setdefault(seal_mark(group), set()).add(seal_mark(text))
    return known


def _place(group: str) -> float:
    digest = sha256(b"esra sealed 1\0" + normal_form(group).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
