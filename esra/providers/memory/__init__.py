"""A provider over lists of records: for tests, notebooks and a first look. Public and complete.

It keeps the contract of every provider (strategies, filters, projection, cap, order, fragments).
Its native score is BM25 over ``sources.relation.words`` of title and text (Robertson and Zaragoza
2009, k1 = 0.9, b = 0.4), without stemming and without stop words: rarity stands in for them.
"""

from esra.providers.memory.provider import MemoryProvider
from esra.providers.memory.records import Record

__all__ = ["MemoryProvider", "Record"]
