"""How many rows come and in which order, in every engine and by every rank."""

import asyncio

import pytest

from tests.providers.asking import Asking, keys
from tests.providers.queries import query, record


class Order(Asking):
    """The part of the contract; ``engine`` is the subclass's fixture."""

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
