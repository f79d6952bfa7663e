"""A query's shape, all of it configuration, and the contents that have it: a benign, any hostile.

A shape is a strategy, the columns filtered with their operators, the record filter that a caller's
claims are bound to, the columns returned, the rank function, and whether the relation has a time.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from esra.domain.plan import Strategy, Value
from esra.domain.source import FieldType, Operator, Rank, Relation
from esra.sealed import BoundFilter, QueryContent
from tests.providers.queries import COLUMNS, RELATION, content, field
from tests.security.texts import Texts

Test = tuple[FieldType, Operator]
CELLS = tuple(product(Strategy, Operator))
# A second and a third filter that stand beside the cell's own.
BESIDES = ((), ((FieldType.TEXT, Operator.IN),), ((FieldType.NUMBER, Operator.GTE),) * 2)
# Groups of a record filter: of each group one test must let a row pass.
CLAIMS = (
    (),
    (
        ((FieldType.TEXT, Operator.IN), (FieldType.TEXT, Operator.EQ)),
        ((FieldType.NUMBER, Operator.IN),),
    ),
)
BENIGN: dict[FieldType, Value] = {
    FieldType.TEXT: "red",
    FieldType.NUMBER: 1,
    FieldType.BOOLEAN: True,
    FieldType.TIMESTAMP: 0.0,
}
# Values that a validator lets through only in part, and a renderer has to bear all the same.
NUMBERS: tuple[Value, ...] = (
    0, -1, -0.0, 0.1, 1 / 3, 2**52 + 1, 10**40, 1e300, 5e-324, -1.5e-300, 946_684_800.25,
    float("nan"), float("inf"), float("-inf"), True,
)  # fmt: skip
BOOLEANS: tuple[Value, ...] = (True, False, True, False, 0, 1.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Configuration and nothing else; equal shapes have one text."""

    strategy: Strategy
    filters: tuple[Test, ...]
    claims: tuple[tuple[Test, ...], ...]
    shown: tuple[FieldType, ...]
    rank: Rank
    dated: bool

    def benign(self, relation: Relation = RELATION) -> QueryContent:
        return self._content(relation, lambda kind: (BENIGN[kind],), optional=("word",))

    def hostile(
        self, dice: random.Random, texts: Texts, relation: Relation = RELATION
    ) -> QueryContent:
        """Drawn texts wherever a text can stand, drawn values and claims, drawn bounds."""
        return self._content(
            relation,
            lambda kind: _values(dice, texts, kind),
            required=texts.some(),
            optional=(*texts.some(), *dice.choice(((), ("word",)))),
            excluded=texts.some(),
            phrases=texts.some(),
            invocation=texts.one(),
            rows=dice.randint(1, 60),
            fragment=dice.randint(0, 2_000),
        )

    def _content(
        self, relation: Relation, draw: Callable[[FieldType], tuple[Value, ...]], **given
    ) -> QueryContent:
        dated = relation.timestamp if self.dated else None
        return content(
            replace(relation, rank=self.rank, timestamp=dated),
            strategy=self.strategy,
            filters=tuple(_bound(test, draw) for test in self.filters),
            visible=tuple(tuple(_bound(test, draw) for test in group) for group in self.claims),
            projection=tuple(field(kind) for kind in self.shown),
            **given,
        )


def shapes(strategy: Strategy, operator: Operator) -> Iterator[Shape]:
    """Every shape of a cell: each type of field, each rank, further filters, fields to return."""
    every = product(FieldType, Rank, BESIDES, CLAIMS, ((), tuple(FieldType)), (True, False))
    for kind, rank, besides, claims, shown, dated in every:
        yield Shape(
            strategy=strategy,
            filters=((kind, operator), *besides),
            claims=claims,
            shown=shown,
            rank=rank,
            dated=dated,
        )


def _bound(test: Test, draw: Callable[[FieldType], tuple[Value, ...]]) -> BoundFilter:
    kind, operator = test
    return BoundFilter(column=COLUMNS[kind], type=kind.value, operator=operator, values=draw(kind))


def _values(dice: random.Random, texts: Texts, kind: FieldType) -> tuple[Value, ...]:
    """One to three values: texts in a field of text, and in the others mostly their own."""
    if dice.randrange(3) == 0:
        return (BENIGN[kind],)  # so that some row passes the others
    as_text = kind is FieldType.TEXT or dice.randrange(3) == 0
    pool = BOOLEANS if kind is FieldType.BOOLEAN else NUMBERS
    draw = texts.one if as_text else lambda: dice.choice(pool)
    return tuple(draw() for _ in range(dice.randint(1, 3)))
