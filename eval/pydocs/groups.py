"""Which items belong together, so that no question is judged by what its neighbours taught.

Items tied by a "See Also" or by one summary are connected; a connected
component is a group. The one component that most of each package hangs
together in says nothing, so components beyond `WHOLE` are split by the module
or class that holds the item.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from eval.pydocs.order import fixed_hash

# A component larger than this is split: about the largest that is still one subject.
WHOLE = 60


def components(names: Iterable[str], ties: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The connected components, each sorted, in the order of their first name."""
    parent = {name: name for name in names}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for one, other in ties:
        parent[root(one)] = root(other)
    gathered: dict[str, list[str]] = defaultdict(list)
    for name in sorted(parent):
        gathered[root(name)].append(name)
    return list(gathered.values())


def name_groups(holders: Mapping[str, str], ties: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The group of each name; `holders` gives the module or class of each.

    A group is called after its member with the smallest hash, which an added
    member seldom is, and a part of a split component after its holder: groups
    keep their names, and so their side of the seal, when a package grows.
    """
    found: dict[str, str] = {}
    for members in components(holders, ties):
        called = min(members, key=fixed_hash)
        for name in members:
            found[name] = called if len(members) <= WHOLE else f"{holders[name]}.*"
    return found
