"""Expands groups: who is in one is in those that hold it. A hook of the authorize step."""

from collections.abc import Mapping
from typing import Protocol

MOST = 10_000  # groups of one principal: more is a loop in somebody's directory


class GroupResolver(Protocol):
    """Says which groups a principal's groups amount to."""

    async def expand(self, groups: tuple[str, ...]) -> tuple[str, ...]:
        """The groups themselves and all that hold them. An error denies the call."""
        ...


class AsGiven:
    """The token's groups are already all there are."""

    async def expand(self, groups: tuple[str, ...]) -> tuple[str, ...]:
        return groups


class NestedGroups:
    """Expands by a table: group -> the groups it belongs to. A circle of groups is no trouble."""

    def __init__(self, parents: Mapping[str, tuple[str, ...]]) -> None:
        self._parents = parents

    async def expand(self, groups: tuple[str, ...]) -> tuple[str, ...]:
        """In the order of the token, each followed at the end by what was found; each once."""
        found = dict.fromkeys(groups)
        waiting = list(found)
        for group in waiting:
            for parent in self._parents.get(group, ()):
                if parent not in found:
                    found[parent] = None
                    waiting.append(parent)
        if len(found) > MOST:
            raise ValueError(f"more than {MOST} groups")
        return tuple(found)
