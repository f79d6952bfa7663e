"""PostgreSQL keeps the contract, with each of its three rank functions."""

from dataclasses import replace

import pytest

from esra.domain.source import Rank
from tests.providers.contract import ProviderContract


class Ranked:
    """A shop whose relations are ranked one way."""

    def __init__(self, shop, rank: Rank) -> None:
        self.shop, self.rank, self.provider = shop, rank, shop.provider

    def stock(self, records):
        return replace(self.shop.stock(records), rank=self.rank)


@pytest.fixture
def engine(request, shop):
    return Ranked(shop, request.cls.rank)


class TestCoverage(ProviderContract):
    rank = Rank.COVERAGE


class TestDensity(ProviderContract):
    rank = Rank.DENSITY


class TestRarity(ProviderContract):
    rank = Rank.RARITY
