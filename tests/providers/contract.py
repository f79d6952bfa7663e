"""What every engine must do. A further engine passes by subclassing with its own ``stock``.

A subclass gives a fixture ``engine``: ``engine.stock(records)`` makes a relation that holds them
and returns it, ``engine.provider`` runs queries over it. Each test works on what it stocked.
"""

import asyncio
import copy
import pickle
from dataclasses import replace

import pytest

from esra._check import NotSealed
from esra.domain.codes import FailureCode
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.domain.plan import Strategy
from esra.domain.source import FieldType, Operator
from esra.sealed import ValidatedQuery
from tests.providers.hostile import KNOWN, generated
from tests.providers.queries import content, field, query, record, where

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
TREES = (
    record("oak", "oak tree with broad leaves", at=30.0),
    record("pine", "pine tree with needles", at=10.0),
    record("leaf", "tree leaves: broad or narrow", at=20.0),
    record("moss", "moss on stone", at=None),
)


def keys(result) -> list[str]:
    assert isinstance(result, Hits), result
    return [hit.id.key for hit in result]


class ProviderContract:
    """The suite; ``engine`` is the subclass's fixture."""

    def ask(self, engine, relation, **given):
        return asyncio.run(engine.provider.run(query(relation, **given)))

    def found(self, engine, relation, **given) -> set[str]:
        return set(keys(self.ask(engine, relation, **given)))

    # What matches.

    @pytest.mark.parametrize("strategy", [s for s in Strategy if s is not Strategy.PHRASE])
    def test_any_optional_term_matches_unless_some_are_required(self, engine, strategy):
        """A plain question would find nothing, or a required word would be a mere wish."""
        trees = engine.stock(TREES)
        some = self.found(engine, trees, strategy=strategy, optional=("needles", "moss"))
        must = self.found(
            engine, trees, strategy=strategy, required=("tree", "broad"), optional=("needles",)
        )
        assert (some, must) == ({"pine", "moss"}, {"oak", "leaf"})

    @pytest.mark.parametrize("strategy", list(Strategy))
    def test_an_excluded_term_is_never_found(self, engine, strategy):
        """What a user asked to leave out would come back."""
        trees = engine.stock(TREES)
        left = self.found(
            engine, trees, strategy=strategy, required=("tree",), excluded=("broad", "zebra")
        )
        assert left == {"pine"}

    def test_only_an_exclusion_finds_nothing(self, engine):
        """Excluding a word would return everything else there is."""
        assert self.found(engine, engine.stock(TREES), excluded=("tree",)) == set()

    def test_a_phrase_query_wants_its_words_side_by_side(self, engine):
        """Quotation marks would mean no more than the words in them."""
        trees = engine.stock(TREES)
        asked = {"optional": ("stone",), "phrases": ("broad leaves",)}
        assert self.found(engine, trees, strategy=Strategy.PHRASE, **asked) == {"oak"}
        assert self.found(engine, trees, strategy=Strategy.KEYWORD, **asked) == {"oak", "moss"}

    def test_every_phrase_of_a_phrase_query_must_match(self, engine):
        """A second phrase would widen a search that it was meant to narrow."""
        trees = engine.stock(TREES)
        both = self.found(
            engine, trees, strategy=Strategy.PHRASE, phrases=("oak tree", "pine tree")
        )
        one = self.found(
            engine, trees, strategy=Strategy.PHRASE, phrases=("oak tree", "broad leaves")
        )
        assert (both, one) == (set(), {"oak"})

    def test_a_phrase_does_not_run_from_the_title_of_one_record_into_another(self, engine):
        """Words of two records would be found as a phrase of neither."""
        relation = engine.stock([record("a", "red"), record("b", "brick")])
        found = self.found(engine, relation, strategy=Strategy.PHRASE, phrases=("red brick",))
        assert found == set()

    def test_a_term_of_several_words_means_all_of_them(self, engine):
        """`oak-tree` as one term would find every tree."""
        assert self.found(engine, engine.stock(TREES), optional=("oak-tree",)) == {"oak"}

    def test_a_term_without_a_word_asks_for_nothing(self, engine):
        """A stray dash among the required words would hide every result."""
        trees = engine.stock(TREES)
        assert self.found(engine, trees, required=("moss", "--", "!!")) == {"moss"}
        assert self.found(engine, trees, required=("--",), optional=("!",)) == set()

    def test_recent_without_terms_brings_the_newest_first_and_the_undated_last(self, engine):
        """ "What is new" would come in no order, or lose records without a time."""
        result = self.ask(engine, engine.stock(TREES), strategy=Strategy.RECENT)
        assert keys(result) == ["oak", "leaf", "pine", "moss"]
        assert [hit.native for hit in result] == [30.0, 20.0, 10.0, None]

    def test_recent_leaves_out_what_is_excluded(self, engine):
        """A word ruled out would be news."""
        trees = engine.stock(TREES)
        left = self.ask(engine, trees, strategy=Strategy.RECENT, excluded=("broad",))
        assert keys(left) == ["pine", "moss"]

    @pytest.mark.parametrize(
        ("written", "asked"),
        [
            ("COVID-19 wards", "covid 19"),
            ("covid 19 wards", "COVID-19"),
            ("poseidon-1234 deployed", "poseidon-1234"),
            ("see numpy.linspace there", "linspace"),
            ("in src/app/main.py today", "main.py"),
            ("an e-mail came", "e-mail"),
            ("O'Neil wrote", "o\u2019neil"),
            ("timeout -1 error", "timeout -1"),
            ("run --error-on-warnings", "error-on-warnings"),
            ("a cafe\u0301 in town", "café"),
            ("\uff46\uff55\uff4c\uff4c width", "full"),
            ("zero\u200bwidth space", "zerowidth"),
            ("今月の売上", "売上"),
            ("x_train is set", "train"),
        ],
    )
    def test_a_word_is_found_however_it_was_written(self, engine, written, asked):
        """Punctuation, width or composition would decide whether a record can be found."""
        relation = engine.stock([record("it", written), record("other", "nothing of the kind")])
        assert self.found(engine, relation, required=(asked,)) == {"it"}

    # Filters and returned fields.

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

    # Cap and order.

    @pytest.mark.req("E105")
    @pytest.mark.parametrize(("rows", "capped"), [(1, True), (4, True), (5, False), (50, False)])
    def test_no_more_rows_than_the_cap_come_and_it_is_said_whether_there_were_more(
        self, engine, rows, capped
    ):
        """A cap would be a wish, or a complete answer would be called cut."""
        relation = engine.stock([record(str(n), "word") for n in range(5)])
        result = self.ask(engine, relation, optional=("word",), rows=rows)
        assert (len(result), result.capped) == (min(rows, 5), capped)

    @pytest.mark.req("E108")
    def test_equal_scores_come_in_the_order_of_their_keys_bytes(self, engine):
        """Results would change places with the collation of a database."""
        names = [
            "b",
            "A",
            "a",
            "B",
            "_",
            "é",
            "ä",
            "10",
            "9",
            "Z",
            "~",
            "漢",
            "😀",
            "z z",
            "z-z",
            "",
        ]
        relation = engine.stock([record(name, "word") for name in names])
        result = self.ask(engine, relation, optional=("word",))
        assert keys(result) == sorted(names, key=lambda name: name.encode())

    @pytest.mark.req("E107")
    def test_a_better_match_comes_first(self, engine):
        """The cap would cut the best results as soon as the worst."""
        relation = engine.stock(
            [
                record("a", "one red word there"),
                record("z", "red brick red house"),
                record("m", "brick is not wood"),
            ]
        )
        result = self.ask(engine, relation, optional=("red", "brick"))
        scores = [hit.native for hit in result]
        assert keys(result)[0] == "z"
        assert scores == sorted(scores, reverse=True)

    @pytest.mark.req("E109")
    def test_fifty_runs_give_one_answer(self, engine):
        """The same question would be answered differently from one moment to the next."""
        relation = engine.stock(
            [record(f"{n:03}", f"red brick {'red ' * (n % 7)} house {n}") for n in range(300)]
        )
        asked = query(relation, optional=("red", "brick", "house", "7"), rows=20)

        async def often():
            return await asyncio.gather(*[engine.provider.run(asked) for _ in range(50)])

        answers = asyncio.run(often())
        assert len(answers[0]) == 20
        assert all(answer == answers[0] for answer in answers)

    # Hostile content.

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

    # The door.

    @pytest.mark.req("E080", "E081")
    def test_only_a_sealed_query_is_run(self, engine):
        """Something that no validator saw would reach the engine."""
        relation = engine.stock(TREES)
        real = query(relation, optional=("tree",))
        bare = object.__new__(ValidatedQuery)
        unmarked = object.__new__(ValidatedQuery)
        object.__setattr__(unmarked, "_content", content(relation, optional=("tree",)))
        changed = query(relation, optional=("tree",))
        object.__setattr__(changed, "_content", content(relation, optional=("moss",)))
        moved = query(relation, optional=("moss",))
        object.__setattr__(moved, "_tag", real._tag)
        for forged in (
            content(relation, optional=("tree",)),
            bare,
            unmarked,
            changed,
            moved,
            "select 1",
            None,
        ):
            with pytest.raises(NotSealed):
                asyncio.run(engine.provider.run(forged))
        assert len(asyncio.run(engine.provider.run(real))) == 3

    @pytest.mark.req("E080")
    def test_a_sealed_query_cannot_be_multiplied(self, engine):
        """A copy with other content would carry a seal it never got."""
        real = query(engine.stock(TREES), optional=("tree",))
        for attempt in (
            copy.copy,
            copy.deepcopy,
            pickle.dumps,
            replace,
            lambda q: type(q)(),
            lambda q: type("Like", (type(q),), {}),
            lambda q: setattr(q, "_content", None),
        ):
            with pytest.raises((TypeError, AttributeError)):
                attempt(real)

    def test_a_relation_that_is_not_there_is_a_code(self, engine):
        """A renamed table would look like an empty one."""
        relation = replace(engine.stock(TREES), table="nowhere")
        assert self.ask(engine, relation, optional=("tree",)) == Failed(
            code=FailureCode.RELATION_NOT_FOUND
        )

    def test_a_cancelled_caller_gets_his_cancellation(self, engine):
        """A provider that swallows cancellation keeps a closed program alive."""
        relation = engine.stock(TREES)

        async def cancelled():
            task = asyncio.ensure_future(engine.provider.run(query(relation, optional=("tree",))))
            await asyncio.sleep(0)
            task.cancel()
            await task

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancelled())
        assert len(self.ask(engine, relation, optional=("tree",))) == 3

    def test_every_strategy_it_names_it_runs(self, engine):
        """The planner would be told of a strategy that the engine cannot run."""
        trees = engine.stock(TREES)
        for strategy in engine.provider.capabilities.strategies:
            assert self.found(engine, trees, strategy=strategy, required=("moss",)) == {"moss"}
