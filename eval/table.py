"""From traces and judgements to the table every decision starts from: nDCG@k by query and share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from esra import scoring
from esra.domain.hit import RecordId
from eval import measures
from eval.replay import Laid, Recorded, blends, candidates, coverage, lay

# The grid in thousandths of the semantic share: whole numbers, so that none is lost to rounding.
GRID = tuple(range(0, 1001, 10))

Share = int | Fraction  # in thousandths; today's own need not be a whole number
Judgements = Mapping[str, Mapping[tuple[str, str], int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What was measured, and every query it does not tell about.

    values: [queries, settings] nDCG@k; judged: [queries, settings] judged@k.
    """

    k: int
    settings: tuple[Share, ...]
    queries: tuple[str, ...]
    values: NDArray[np.float64]
    judged: NDArray[np.float64]
    empty: tuple[str, ...]
    no_judgements: tuple[str, ...]
    no_relevant: tuple[str, ...]
    coverage: float
    no_model: NDArray[np.float64]

    @property
    def measure(self) -> str:
        return f"nDCG@{self.k}"

    @property
    def shares(self) -> tuple[float, ...]:
        """The settings as semantic shares, 0..1."""
        return tuple(float(Fraction(setting, 1000)) for setting in self.settings)


def tabulate(
    recordings: Sequence[Recorded],
    judgements: Judgements,
    settings: Sequence[Share],
    *,
    k: int = 10,
    single: bool = False,
    assumed: float | None = None,
    weights: Callable[[Share], tuple[float, float]] | None = None,
) -> Table:
    """The table over all recorded queries that have a relevant document.

    weights: the two rerank weights of a setting, where these are not ``weights_of`` it
    """
    pairs = [(weights or weights_of)(setting) for setting in settings]
    unjudged = [one.query for one in recordings if not judgements.get(one.query)]
    hopeless, empty = [], []
    names, values, shares, plain = [], [], [], []
    covered = asked = 0
    for one in recordings:
        grades = judgements.get(one.query)
        if not grades:
            continue
        ideal = measures.ideal(grades, k)
        if not ideal:
            hopeless.append(one.query)
            continue
        laid = lay(one, assumed)
        known, wanted = coverage(one, one.numbers)
        covered, asked = covered + known, asked + wanted
        if not laid.ids:
            empty.append(one.query)
        row, judged = _score(laid, grades, ideal, pairs, k, single)
        names.append(one.query)
        values.append(row)
        shares.append(judged)
        plain.append(_without_model(one, grades, k))
    return Table(
        k=k,
        settings=tuple(settings),
        queries=tuple(names),
        values=np.array(values, dtype=np.float64).reshape(len(names), len(settings)),
        judged=np.array(shares, dtype=np.float64).reshape(len(names), len(settings)),
        empty=tuple(empty),
        no_judgements=tuple(unjudged),
        no_relevant=tuple(hopeless),
        coverage=covered / asked if asked else 1.0,
        no_model=np.array(plain, dtype=np.float64),
    )


def weights_of(share: Share) -> tuple[float, float]:
    """The two rerank weights of a semantic share in thousandths."""
    return scoring.weights_of(float(Fraction(share, 1000)))


def _score(
    laid: Laid,
    grades: Mapping[tuple[str, str], int],
    ideal: Sequence[int],
    pairs: Sequence[tuple[float, float]],
    k: int,
    single: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """[settings] nDCG@k and judged@k of one query under each pair of weights."""
    keys = [pair(id) for id in laid.ids]
    gain = np.array([grades.get(key, 0) for key in keys], dtype=np.float64)
    known = np.array([key in grades for key in keys], dtype=bool)
    best = blends(laid, pairs, single=single)[:, :k]
    padded = np.array([list(ideal)], dtype=np.float64)
    ranked = gain[best][:, None, :]
    figures = measures.ndcg(ranked, padded, k)[:, 0]
    returned = np.full((len(pairs), 1), len(keys))
    return figures, measures.judged(known[best][:, None, :], returned, k)[:, 0]


def _without_model(one: Recorded, grades: Mapping[tuple[str, str], int], k: int) -> float:
    """nDCG@k of the order by ``weighted`` alone: what the fallback would answer."""
    order = [pair(c.hit.id) for c in candidates(one, one.numbers)]
    return measures.ndcg_at(order, grades, k)


def pair(id: RecordId) -> tuple[str, str]:
    """How judgements name a record."""
    return (id.source, id.key)
