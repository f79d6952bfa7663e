"""Counts a built data set and writes the part of its card that only a build knows."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import NormalDist

from eval.evidence.split import sealed
from eval.pydocs.labels import Labels, Query
from eval.pydocs.manifest import CARD
from eval.pydocs.packages import PACKAGES
from eval.pydocs.related import Met

# Standard deviations of a difference in nDCG@10 between two arms, small to large.
SPREADS = (0.05, 0.1, 0.2)
# A gain of so many standard errors is found at a one-sided 2.5 % with a power of 80 %, by the
# normal distribution. Before a run nothing better is known; `tune` states it for its own arms.
_ERRORS = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)


def count(labels: Labels, queries: Sequence[Query]) -> dict[str, int]:
    """Documents, queries, judgements and groups of a track as it is written."""
    groups = sorted({query.group for query in queries})
    return {
        "documents": len(labels.documents),
        "queries": len(queries),
        "judgements": sum(len(query.right) for query in queries),
        "queries with several right documents": sum(len(query.right) > 1 for query in queries),
        "groups": len(groups),
        "sealed groups": int(sealed(groups).sum()),
        "queries in the largest group": max(Counter(q.group for q in queries).values(), default=0),
    }


def card(
    fingerprint: str,
    versions: Mapping[str, str],
    counts: Mapping[str, Mapping[str, int]],
    met: Mapping[Met, int],
    dropped: Mapping[str, Mapping[str, int]],
) -> str:
    """The card of one build as Markdown; what the labels mean is in datasets/pydocs/CARD.md."""
    parts = [
        f"# pydocs, as built\n\nFingerprint: `{fingerprint}`\n",
        "What these labels are and are not: `datasets/pydocs/CARD.md` of the project.\n",
        _table(
            ("source", "version", "licence of the texts"),
            ((p.name, versions[p.distribution], p.licence) for p in PACKAGES),
        ),
        *(_table((track, "count"), numbers.items()) for track, numbers in counts.items()),
        _detectable(counts),
        _table(('"See Also" entries', "count"), ((how, met.get(how, 0)) for how in Met)),
        *(_table((f"{track}: left out", "count"), n.items()) for track, n in dropped.items()),
    ]
    return "\n".join(parts)


def _detectable(counts: Mapping[str, Mapping[str, int]]) -> str:
    """What the sealed groups can show of arms whose difference varies so much by group."""
    rows = []
    for track, numbers in counts.items():
        error = _ERRORS / sqrt(max(numbers["sealed groups"], 1))
        rows.append((track, *(f"{spread * error:.3f}" for spread in SPREADS)))
    head = "smallest detectable difference, about, where it spreads over the groups by"
    return _table((head, *map(str, SPREADS)), rows)


def write_card(folder: Path, text: str) -> None:
    """Into the folder of the data set."""
    (folder / CARD).write_text(text, encoding="utf-8")


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)
