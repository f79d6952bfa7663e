"""How well the right sources were chosen, and how well "nothing is right" was told.

A query's *right* sources are those its labels name, or those that hold a relevant document.
Recall of sources bounds everything after it: a source that was not chosen cannot answer.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import fsum


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """One query's choice. ``extra`` sources were searched for nothing: the cost of choosing wide.

    precision of no choice is 1 where nothing was right and 0 else; recall where nothing was right
    is 1.
    """

    precision: float
    recall: float
    f1: float
    exact: bool
    extra: int
    chosen: int
    right: int


def selection(chosen: Collection[str], right: Collection[str]) -> Selection:
    """Chosen against right sources of one query."""
    own, wanted = set(chosen), set(right)
    hits = len(own & wanted)
    precision = hits / len(own) if own else float(not wanted)
    recall = hits / len(wanted) if wanted else 1.0
    both = precision + recall
    return Selection(
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / both if both else 0.0,
        exact=own == wanted,
        extra=len(own - wanted),
        chosen=len(own),
        right=len(wanted),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFigures:
    """One source over all queries: how often chosen, right, both; its precision and recall.

    None where it was never chosen, or never right: there is nothing to divide by.
    """

    chosen: int
    right: int
    both: int

    @property
    def precision(self) -> float | None:
        return self.both / self.chosen if self.chosen else None

    @property
    def recall(self) -> float | None:
        return self.both / self.right if self.right else None

    @property
    def f1(self) -> float | None:
        total = self.chosen + self.right
        return 2 * self.both / total if total else None


def per_source(
    chosen: Mapping[str, Collection[str]], right: Mapping[str, Collection[str]]
) -> dict[str, SourceFigures]:
    """Every source that was chosen or right for any query of ``right``, by id."""
    names = sorted({id for ids in (*chosen.values(), *right.values()) for id in ids})
    return {
        name: SourceFigures(
            chosen=sum(name in chosen.get(query, ()) for query in right),
            right=sum(name in wanted for wanted in right.values()),
            both=sum(
                name in wanted and name in chosen.get(query, ()) for query, wanted in right.items()
            ),
        )
        for name in names
    }


def over_selection(queries: Sequence[Selection]) -> tuple[float, float | None]:
    """(mean sources searched for nothing, share of the searches that were) over the queries.

    The share is None where nothing was searched.
    """
    if not queries:
        raise ValueError("no query to measure")
    extra = sum(one.extra for one in queries)
    searched = sum(one.chosen for one in queries)
    return extra / len(queries), extra / searched if searched else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """How well unanswerable queries were told from the others.

    auc:     probability that an answerable query's best score is above an unanswerable one's,
             ties counted half (Mann-Whitney); None where one kind is missing
    refused: share of unanswerable queries answered with no result
    false_refusals: share of *answerable* queries answered with no result
    """

    auc: float | None
    refused: float | None
    false_refusals: float | None
    unanswerable: int
    answerable: int


def nothing_is_right(best: Mapping[str, float | None], unanswerable: Collection[str]) -> Nothing:
    """``best`` holds every query's best score, None where it shows no result at all."""
    lost = [score for query, score in best.items() if query in set(unanswerable)]
    others = [score for query, score in best.items() if query not in set(unanswerable)]
    return Nothing(
        auc=_auc(others, lost),
        refused=_share_of_none(lost),
        false_refusals=_share_of_none(others),
        unanswerable=len(lost),
        answerable=len(others),
    )


def _auc(above: Sequence[float | None], below: Sequence[float | None]) -> float | None:
    if not above or not below:
        return None
    low = float("-inf")
    high = [low if score is None else score for score in above]
    under = [low if score is None else score for score in below]
    wins = fsum(1.0 if a > b else 0.5 if a == b else 0.0 for a in high for b in under)
    return wins / (len(high) * len(under))


def _share_of_none(scores: Sequence[float | None]) -> float | None:
    return sum(score is None for score in scores) / len(scores) if scores else None
