"""The one order in which items are taken: by a fixed hash of the name. There is no seed."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import TypeVar

Thing = TypeVar("Thing")


def fixed_hash(name: str) -> str:
    """SHA-256 of the name, in hexadecimal; new names fall between the old ones, none moves."""
    return sha256(name.encode()).hexdigest()


def in_turns(things: Iterable[Thing], name: Callable[[Thing], str]) -> list[Thing]:
    """By hash inside each package, the packages taking turns: every prefix is balanced.

    The package is the first part of the name; one that runs out leaves its turns
    to the others.
    """
    waiting: dict[str, list[Thing]] = defaultdict(list)
    for thing in sorted(things, key=lambda thing: fixed_hash(name(thing))):
        waiting[name(thing).partition(".")[0]].append(thing)
    ranked = [
        (rank, package, thing)
        for package, queue in waiting.items()
        for rank, thing in enumerate(queue)
    ]
    return [thing for _, _, thing in sorted(ranked, key=lambda entry: entry[:2])]
