"""What no content can do, in any engine."""

import asyncio

import pytest

from esra.domain.codes import FailureCode
from esra.domain.outcome import Failed
from esra.domain.plan import Strategy
from esra.domain.source import FieldType, Operator
from tests.providers.asking import Asking, keys
from tests.providers.hostile import KNOWN, generated
from tests.providers.queries import query, record, where

OPERATORS = list(Operator)


class Hostile(Asking):
    """The part of the contract; ``engine`` is the subclass's fixture."""

    @pytest.mark.parametrize("strategy", list(Strategy))
    def test_hostile_terms_find_nothing_wrong_and_raise_nothing(self, engine, strategy):
        """A pasted table or a quotation mark would end a search with an error."""
        relation = engine.stock([record("qqq", "qqq only this", colour="red")])

        async def every():
            return [
                await engine.provider.run(
                    query(
                        relation,
                        strategy=strategy,
                        required=(text,),
                        optional=(text, "zzqx"),
                        phrases=(text,),
                        excluded=("qqq",),
                    )
                )
                for text in (*KNOWN, *generated(50))
            ]

        assert {len(answer) for answer in map(keys, asyncio.run(every()))} == {0}

    @pytest.mark.parametrize("operator", OPERATORS)
    def test_a_hostile_value_is_compared_as_it_stands(self, engine, operator):
        """A value with a quotation mark would be cut, escaped or obeyed."""
        texts = [
            text
            for text in (*KNOWN, *generated(30))
            if "\0" not in text and not any(0xD800 <= ord(c) <= 0xDFFF for c in text)
        ]
        relation = engine.stock([record(text, "word", colour=text) for text in texts])
        compare = {
            Operator.EQ: str.__eq__,
            Operator.IN: str.__eq__,
            Operator.NE: str.__ne__,
            Operator.LT: str.__lt__,
            Operator.LTE: str.__le__,
            Operator.GT: str.__gt__,
            Operator.GTE: str.__ge__,
        }[operator]

        async def every():
            return [
                await engine.provider.run(
                    query(
                        relation,
                        optional=("word",),
                        rows=1000,
                        filters=where(FieldType.TEXT, operator, text),
                    )
                )
                for text in texts
            ]

        for text, answer in zip(texts, asyncio.run(every()), strict=True):
            assert sorted(keys(answer)) == sorted(t for t in texts if compare(t, text))

    @pytest.mark.parametrize("value", ["a\0b", "\ud800"])
    def test_a_value_no_text_can_hold_is_an_answer_and_not_an_exception(self, engine, value):
        """A byte nobody can store would end the invocation."""
        relation = engine.stock([record("a", "word", colour="red")])
        result = self.ask(
            engine, relation, optional=("word",), filters=where(FieldType.TEXT, Operator.EQ, value)
        )
        assert result in ((), Failed(code=FailureCode.SYNTAX_ERROR))

    def test_a_value_of_another_type_is_a_code(self, engine):
        """A number field asked for a word would end the invocation."""
        relation = engine.stock([record("a", "word", price=1)])
        result = self.ask(
            engine, relation, optional=("word",), filters=where(FieldType.NUMBER, Operator.EQ, "x")
        )
        assert result == Failed(code=FailureCode.SYNTAX_ERROR)
