"""Counts a built data set and writes the part of its card that only a build knows."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from eval.evidence.split import sealed
from eval.pydocs.labels import Labels, Query
from eval.pydocs.packages import PACKAGES
from eval.pydocs.related import Met

NAME = "CARD.md"


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
    fingerprint: str, versions: Mapping[str, str], counts: Mapping[str, Mapping[str, int]],
    met: Mapping[Met, int], dropped: Mapping[str, Mapping[str, int]],
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
        _table(('"See Also" entries', "count"), ((how, met.get(how, 0)) for how in Met)),
        *(_table((f"{track}: left out", "count"), n.items()) for track, n in dropped.items()),
    ]
    return "\n".join(parts)


def write_card(folder: Path, text: str) -> None:
    """Into the folder of the data set."""
    (folder / NAME).write_text(text, encoding="utf-8")


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)
