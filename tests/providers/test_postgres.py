"""PostgreSQL keeps the contract, and orders by each of its three rank functions."""

import asyncio
import math
from dataclasses import replace

import pytest

from esra.domain.source import FieldType, Operator, Rank
from tests.providers.contract import Order, ProviderContract
from tests.providers.queries import query, record, where


class Ranked:
    """A shop whose relations are ranked one way."""

    def __init__(self, shop, rank: Rank) -> None:
        self.shop, self.rank, self.provider = shop, rank, shop.provider

    def stock(self, records):
        return replace(self.shop.stock(records), rank=self.rank)


@pytest.fixture
def engine(request, shop):
    return Ranked(shop, request.cls.rank)


class TestPostgres(ProviderContract):
    rank = Rank.RARITY


class TestCoverage(Order):
    rank = Rank.COVERAGE


class TestDensity(Order):
    rank = Rank.DENSITY


def test_rarity_is_bm25_over_what_the_query_may_see(shop):
    """The documented score would not be the one that orders results."""
    records = [
        record("a", "red red brick wall", price=1),
        record("b", "red brick house there", price=1),
        record("c", "blue glass", price=1),
        record("d", "brick brick brick", price=2),
    ]
    relation = replace(shop.stock(records), rank=Rank.RARITY)
    hits = asyncio.run(
        shop.provider.run(
            query(
                relation,
                optional=("red", "brick"),
                filters=where(FieldType.NUMBER, Operator.EQ, 1),
            )
        )
    )
    # Of three rows two hold each word. Distinct words but stop words: a has 3, b has 3.
    rarity = math.log(1 + 1.5 / 2.5)
    once, twice = rarity * 2.2 / (1 + 1.2), rarity * 2 * 2.2 / (2 + 1.2)
    assert [hit.id.key for hit in hits] == ["a", "b"]
    assert [hit.native for hit in hits] == pytest.approx([twice + once, once + once], rel=1e-12)


def test_a_word_is_counted_exactly_however_often_it_stands(shop):
    """A count read back from a rank would be off by one for a long record."""
    records = [record(f"{n:03}", "red " * n + "blue") for n in range(1, 256, 7)]
    relation = replace(shop.stock([*records, record("none", "blue")]), rank=Rank.RARITY)
    hits = asyncio.run(shop.provider.run(query(relation, required=("red",), rows=100)))
    rarity = math.log(1 + (len(records) + 1 - len(records) + 0.5) / (len(records) + 0.5))
    for hit in hits:
        count = int(hit.id.key)
        # Every match has the same two distinct words, so length takes no part.
        assert hit.native == pytest.approx(rarity * 2.2 * count / (count + 1.2), rel=1e-12)
    assert len(hits) == len(records)
