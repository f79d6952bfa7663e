"""The memory provider keeps the contract, and scores by BM25 as it says."""

import asyncio
import math
from dataclasses import replace

import pytest

from esra.domain.codes import FailureCode
from esra.providers.memory import MemoryProvider
from tests.providers.contract import ProviderContract
from tests.providers.queries import RELATION, query, record


class Shelf:
    """Relations of records, each under a name of its own."""

    def __init__(self) -> None:
        self.records = {}
        self.provider = MemoryProvider({})

    def stock(self, records):
        name = f"docs_{len(self.records)}"
        self.records[name] = list(records)
        self.provider = MemoryProvider(self.records)
        return replace(RELATION, table=name)


@pytest.fixture
def engine():
    return Shelf()


class TestMemory(ProviderContract):
    pass


def test_the_native_score_is_bm25(engine):
    """The documented score would not be the one that orders results."""
    relation = engine.stock([record("a", "red red brick"), record("b", "blue"), record("c", "red")])
    hits = asyncio.run(engine.provider.run(query(relation, optional=("red", "brick"))))
    # Three records, 5 words in all; red in two of them, brick in one; k1 = 0.9, b = 0.4.
    red, brick = math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)
    length = 0.9 * (0.6 + 0.4 * 3 / (5 / 3))
    expected = red * 2 * 1.9 / (2 + length) + brick * 1.9 / (1 + length)
    assert hits[0].id.key == "a"
    assert hits[0].native == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        (KeyError("t"), FailureCode.RELATION_NOT_FOUND),
        (TimeoutError(), FailureCode.TIMEOUT),
        (MemoryError(), FailureCode.RESOURCE_EXHAUSTED),
        (ValueError("x"), FailureCode.SYNTAX_ERROR),
        (RecursionError(), FailureCode.UNKNOWN),
        (BaseException(), FailureCode.UNKNOWN),
    ],
)
def test_any_exception_has_a_code(trouble, code):
    """An unexpected exception would leave the provider as it is."""
    assert MemoryProvider({}).classify(trouble) is code
