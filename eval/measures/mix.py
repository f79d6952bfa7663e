"""What the first ``k`` results are made of: sources and trust labels."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence


def shares(labels: Sequence[str], k: int) -> dict[str, float]:
    """Each label's share of the first ``k`` results, the commonest first; {} of nothing.

    Trust mix where ``labels`` are the results' trust, source mix where they are their sources.
    """
    counted = Counter(labels[:k])
    total = sum(counted.values())
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return {label: count / total for label, count in ordered}


def source_coverage(sources: Sequence[str], right: Collection[str], k: int) -> float:
    """Of the sources that hold a right document, the share seen in the first ``k``.

    ValueError where no source does.
    """
    if not right:
        raise ValueError("no source holds a right document: there is nothing to cover")
    return len(set(sources[:k]) & set(right)) / len(set(right))


def small_source_recall(
    shown: Sequence[tuple[str, str]],
    relevant: Collection[tuple[str, str]],
    sizes: Mapping[str, int],
    k: int,
    *,
    share: float = 0.1,
) -> float | None:
    """R@k over the relevant documents of small sources alone; None where these hold none.

    A source is small where it has at most ``share`` of all documents. Records are (source, key).
    """
    total = sum(sizes.values())
    small = {id for id, size in sizes.items() if size <= share * total}
    wanted = {record for record in relevant if record[0] in small}
    return len(wanted & set(shown[:k])) / len(wanted) if wanted else None
