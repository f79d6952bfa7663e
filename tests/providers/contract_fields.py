"""Which rows a filter leaves and what of a row comes back, in every engine."""

import pytest

from esra.domain.source import FieldType, Operator
from tests.providers.asking import Asking
from tests.providers.queries import field, record, where

KINDS = list(FieldType)
OPERATORS = list(Operator)
# Each type's three values in rising order; a fourth record has none.
VALUES = {
    FieldType.TEXT: ("Amber", "amber", "éclat"),
    FieldType.NUMBER: (-1, 2.5, 10),
    FieldType.TIMESTAMP: (0.0, 86_400.5, 1_700_000_000.0),
    FieldType.BOOLEAN: (False, True, True),
}
# What an operator leaves of the three when it is asked for the second.
LEFT = {
    Operator.EQ: {"2"},
    Operator.NE: {"1", "3"},
    Operator.LT: {"1"},
    Operator.LTE: {"1", "2"},
    Operator.GT: {"3"},
    Operator.GTE: {"2", "3"},
    Operator.IN: {"2"},
}
# With the third equal to the second.
LEFT_OF_BOOLEANS = {
    Operator.EQ: {"2", "3"},
    Operator.NE: {"1"},
    Operator.LT: {"1"},
    Operator.LTE: {"1", "2", "3"},
    Operator.GT: set(),
    Operator.GTE: {"2", "3"},
    Operator.IN: {"2", "3"},
}


class Fields(Asking):
    """The part of the contract; ``engine`` is the subclass's fixture."""

    @pytest.mark.parametrize("operator", OPERATORS)
    @pytest.mark.parametrize("kind", KINDS)
    def test_a_filter_leaves_what_its_operator_says(self, engine, kind, operator):
        """A permitted filter would let the wrong rows through."""
        column = where(kind, operator)[0].column
        values = VALUES[kind]
        relation = engine.stock(
            [record(str(n), "word", **{column: value}) for n, value in enumerate(values, 1)]
            + [record("none", "word")]
        )
        left = self.found(
            engine, relation, optional=("word",), filters=where(kind, operator, values[1])
        )
        expected = LEFT_OF_BOOLEANS if kind is FieldType.BOOLEAN else LEFT
        assert left == expected[operator]

    @pytest.mark.parametrize("kind", KINDS)
    def test_in_takes_several_values_and_none(self, engine, kind):
        """A list in a filter would be read as its first value, or an empty one as no filter."""
        column = where(kind, Operator.IN)[0].column
        first, second, third = VALUES[kind]
        relation = engine.stock(
            [record("1", "word", **{column: first}), record("3", "word", **{column: third})]
        )
        both = where(kind, Operator.IN, first, second, third)
        none = where(kind, Operator.IN)
        assert self.found(engine, relation, optional=("word",), filters=both) == {"1", "3"}
        assert self.found(engine, relation, optional=("word",), filters=none) == set()

    def test_filters_narrow_together(self, engine):
        """Two filters would mean either of them."""
        relation = engine.stock(
            [
                record("a", "word", colour="red", price=1),
                record("b", "word", colour="red", price=2),
                record("c", "word", colour="blue", price=2),
            ]
        )
        both = where(FieldType.TEXT, Operator.EQ, "red") + where(FieldType.NUMBER, Operator.GTE, 2)
        assert self.found(engine, relation, optional=("word",), filters=both) == {"b"}

    def test_only_the_projection_comes_back(self, engine):
        """A column that a mapping does not return would leave the engine."""
        relation = engine.stock(
            [record("a", "word", colour="red", price=7, sold=True, seen=86_400.0)]
        )
        shown = [
            self.ask(engine, relation, optional=("word",), projection=fields)[0].fields
            for fields in ((), (field(FieldType.TEXT),), tuple(map(field, KINDS)))
        ]
        assert shown == [
            (),
            (("shown_text", "red"),),
            (
                ("shown_text", "red"),
                ("shown_number", 7),
                ("shown_boolean", True),
                ("shown_timestamp", 86_400.0),
            ),
        ]

    def test_a_missing_value_comes_back_as_none(self, engine):
        """Absence would look like a value."""
        hit = self.ask(
            engine,
            engine.stock([record("a", "word")]),
            optional=("word",),
            projection=tuple(map(field, KINDS)),
        )[0]
        assert [value for _, value in hit.fields] == [None] * 4
        assert hit.timestamp is None

    def test_a_hit_carries_identity_title_and_time(self, engine):
        """A result could not be named, dated or fetched again."""
        relation = engine.stock([record("k/1", "word", title="A title", at=1_700_000_000.25)])
        hit = self.ask(engine, relation, optional=("word",))[0]
        assert (hit.id.source, hit.id.relation, hit.id.key) == ("shop", "docs", "k/1")
        assert (hit.title, hit.timestamp) == ("A title", 1_700_000_000.25)
        assert hit.native is not None
        assert hit.native > 0

    @pytest.mark.parametrize("length", [0, 1, 3, 200])
    def test_a_fragment_is_cut_between_characters(self, engine, length):
        """Text would arrive with half a character at its end."""
        text = "aé😀漢字 word"
        hit = self.ask(
            engine, engine.stock([record("a", text)]), optional=("word",), fragment=length
        )[0]
        assert hit.fragment == text[:length]
