"""Many measures over many queries, with every query that a mean does not tell about.

A query without results counts 0 and is listed; one without judgements is listed and left out; one
without a relevant document has no ranking figure: it is left out of all of them, so that every
column of a table is about the same queries, and measured as "nothing is right" instead. A run that
answers no judged query did not run, and is refused (RULINGS 39).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from eval.measures.arrays import Judgements, NeverRan
from eval.measures.named import Measure

Rankings = Mapping[str, Sequence[Hashable]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """values[measure][query], queries in the judgements' order.

    empty: measured queries without a result, counted 0
    no_relevant: without a document of the strictest measure's least grade
    nothing_shown: of these, those of which nothing at all is right, answered with no result
    """

    values: Mapping[str, Mapping[str, float]]
    empty: tuple[str, ...]
    no_judgements: tuple[str, ...]
    no_relevant: tuple[str, ...]
    nothing_shown: tuple[str, ...]

    @property
    def queries(self) -> tuple[str, ...]:
        return tuple(next(iter(self.values.values())))

    def mean(self, name: str) -> float:
        """Exactly rounded: the order of the queries cannot show."""
        own = self.values[name]
        return fsum(own.values()) / len(own)


def evaluate(
    rankings: Rankings, judgements: Mapping[str, Judgements], measures: Sequence[Measure]
) -> Evaluation:
    """Every measure of every query that has a relevant document.

    NeverRan where the rankings answer no judged query, ValueError where nothing is relevant.
    """
    if not measures:
        raise ValueError("name at least one measure")
    asked = {query: marks for query, marks in judgements.items() if marks}
    if not asked.keys() & rankings.keys():
        raise NeverRan("the run answers no judged query: did it run, and do the query ids match?")
    # Relevant under the strictest of the measures: one set of queries for all columns.
    level = max(one.level for one in measures)
    scored = [query for query, marks in asked.items() if max(marks.values()) >= level]
    if not scored:
        strict = " ".join(one.name for one in measures if one.level > 1)
        asking = f", which {strict} counts" if strict else ""
        raise ValueError(
            f"no query has a relevant document (grade {level} or more{asking}): "
            "nothing can be measured"
        )
    lists = {query: rankings.get(query, ()) for query in asked}
    hopeless = tuple(query for query, marks in asked.items() if max(marks.values()) < level)
    return Evaluation(
        values={
            one.name: {query: one(lists[query], asked[query]) for query in scored}
            for one in measures
        },
        empty=tuple(query for query in scored if not lists[query]),
        no_judgements=tuple(query for query in {**judgements, **rankings} if query not in asked),
        no_relevant=hopeless,
        nothing_shown=tuple(q for q in hopeless if not lists[q] and max(asked[q].values()) < 1),
    )
