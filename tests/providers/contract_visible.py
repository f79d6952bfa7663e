"""Which rows a caller may see, in every engine: the record filter holds for everything there is."""

import pytest

from esra.domain.hit import Hits
from esra.domain.plan import Strategy
from esra.domain.source import FieldType, Operator
from tests.providers.asking import Asking, keys
from tests.providers.hostile import KNOWN, generated
from tests.providers.queries import only, record, where

# Of each type: what the caller holds, another's value, and a value whose text looks alike.
OWN = {
    FieldType.TEXT: ("t1", "t2", "T1"),
    FieldType.NUMBER: (7, 8, 7.5),
    FieldType.BOOLEAN: (True, False, False),
}


class Visible(Asking):
    """The part of the contract; ``engine`` is the subclass's fixture."""

    @pytest.mark.req("W80")
    @pytest.mark.parametrize("kind", OWN)
    def test_only_rows_that_hold_the_callers_value_are_seen(self, engine, kind):
        """One tenant would read another's records, or those that belong to nobody."""
        column = where(kind, Operator.EQ)[0].column
        own, other, like = OWN[kind]
        relation = engine.stock(
            [
                record("own", "word", **{column: own}),
                record("other", "word", **{column: other}),
                record("like", "word", **{column: like}),
                record("nobody", "word"),
            ]
        )
        visible = ((only(kind, own),),)
        for strategy in Strategy:
            asked = {"strategy": strategy, "required": ("word",), "visible": visible}
            assert self.found(engine, relation, **asked) == {"own"}

    @pytest.mark.parametrize("kind", OWN)
    def test_without_a_value_no_row_is_seen(self, engine, kind):
        """A caller without the claim would see everything."""
        column = where(kind, Operator.EQ)[0].column
        relation = engine.stock([record(str(v), "word", **{column: v}) for v in OWN[kind]])
        visible = ((only(kind),),)
        for given in ({"optional": ("word",)}, {"strategy": Strategy.RECENT}):
            assert self.ask(engine, relation, visible=visible, **given) == Hits.of((), capped=False)

    def test_every_group_must_pass_and_one_rule_of_it_is_enough(self, engine):
        """Two conditions would be a choice, or a choice would be two conditions."""
        relation = engine.stock(
            [
                record("mine", "word", colour="ada", price=1, sold=True),
                record("team", "word", colour="bob", price=7, sold=True),
                record("draft", "word", colour="ada", price=7, sold=False),
                record("other", "word", colour="bob", price=1, sold=True),
            ]
        )
        mine = only(FieldType.TEXT, "ada")
        team = only(FieldType.NUMBER, 7, 9)
        published = only(FieldType.BOOLEAN, True)
        nothing = only(FieldType.NUMBER)
        found = [
            self.found(engine, relation, optional=("word",), visible=visible)
            for visible in (
                ((mine, team), (published,)),
                ((mine,), (team,)),
                ((mine, nothing),),
                ((mine,), (nothing,)),
            )
        ]
        assert found == [{"mine", "team"}, {"draft"}, {"mine", "draft"}, set()]

    def test_a_plan_can_only_narrow_what_is_seen(self, engine):
        """A filter that a planner made up would widen what its caller may see."""
        relation = engine.stock(
            [record("a", "word", colour="t1", price=1), record("b", "word", colour="t2", price=1)]
        )
        visible = ((only(FieldType.TEXT, "t1"),),)
        for operator, value, left in (
            (Operator.EQ, "t2", set()),
            (Operator.NE, "t1", set()),
            (Operator.IN, "t1", {"a"}),
            (Operator.GTE, "", {"a"}),
        ):
            filters = where(FieldType.TEXT, operator, value)
            assert left == self.found(
                engine, relation, optional=("word",), visible=visible, filters=filters
            )

    def test_a_hostile_claim_is_compared_as_it_stands(self, engine):
        """A claim with a quotation mark would open another tenant's rows."""
        texts = [
            text
            for text in dict.fromkeys((*KNOWN, *generated(30)))
            if "\0" not in text and not any(0xD800 <= ord(c) <= 0xDFFF for c in text)
        ]
        relation = engine.stock([record(text, "word", colour=text) for text in texts])
        for text in texts:
            visible = ((only(FieldType.TEXT, text),),)
            assert self.found(engine, relation, optional=("word",), visible=visible) == {text}

    def test_hidden_rows_change_nothing_of_an_answer(self, engine):
        """A score, a cap or an order would tell of rows that the caller may not see."""
        own = [record(f"{n}", f"red {'brick ' * n}", colour="t1") for n in range(1, 6)]
        hidden = [
            record(f"h{n}", f"red brick {'red ' * n}", title="red", colour="t2") for n in range(40)
        ]
        visible = ((only(FieldType.TEXT, "t1"),),)
        asked = {"optional": ("red", "brick"), "visible": visible, "rows": 5}
        alone = self.ask(engine, engine.stock(own), **asked)
        among = self.ask(engine, engine.stock(own + hidden), **asked)
        assert (keys(among), [hit.native for hit in among], among.capped) == (
            keys(alone),
            [hit.native for hit in alone],
            alone.capped,
        )
        assert len(alone) == 5
