"""A judgement is about a text: documents of exactly one text share it.

Whoever judged one of two copies judged both; left apart, the unjudged copy counts as a miss
(mteb#4626). What is carried over is marked, and a document's own judgement always stands.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried(Generic[K]):
    """``origins[query][document]`` is the judged twin that its grade came from.

    ``disputed`` are (query, document) whose judged twins have different grades: nothing is carried.
    """

    grades: Mapping[str, Mapping[K, int]]
    origins: Mapping[str, Mapping[K, K]]
    disputed: tuple[tuple[str, K], ...]

    @property
    def count(self) -> int:
        return sum(map(len, self.origins.values()))


def twins(texts: Iterable[tuple[K, str, str]]) -> dict[K, tuple[K, ...]]:
    """By document, all documents of its exact (title, text), itself among them; only where there
    are several. Documents without any text are nobody's twins."""
    alike: dict[tuple[str, str], list[K]] = {}
    for key, title, text in texts:
        if title.strip() or text.strip():
            alike.setdefault((title, text), []).append(key)
    groups = (tuple(keys) for keys in alike.values() if len(keys) > 1)
    return {key: group for group in groups for key in group}


def carry(grades: Mapping[str, Mapping[K, int]], alike: Mapping[K, tuple[K, ...]]) -> Carried[K]:
    """The grades with those of exact twins added. The lowest key of equal origins is named."""
    full = {query: dict(given) for query, given in grades.items()}
    origins: dict[str, dict[K, K]] = {}
    disputed: dict[tuple[str, K], None] = {}
    for query, given in grades.items():
        for judged in given:
            for twin in alike.get(judged, ()):
                if twin in given:
                    continue
                known = [one for one in alike[twin] if one in given]
                if len({given[one] for one in known}) > 1:
                    disputed.setdefault((query, twin))
                    continue
                full[query][twin] = given[judged]
                origins.setdefault(query, {})[twin] = min(known, key=str)
    return Carried(grades=full, origins=origins, disputed=tuple(disputed))
