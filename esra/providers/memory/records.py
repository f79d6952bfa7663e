"""Records and their index: who holds which word, how often, in which order. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from esra.sources.relation import stored_spellings, words

K1 = 0.9
B = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """``timestamp`` in seconds since the epoch; ``fields`` by physical column name."""

    key: str
    title: str = ""
    text: str = ""
    timestamp: float | None = None
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A record with its words: counted, and in a row with a space at either end."""

    record: Record
    counts: Counter[str]
    row: str
    length: int

    def holds(self, wanted: Sequence[str]) -> bool:
        return all(word in self.counts for word in wanted)

    def holds_in_order(self, wanted: Sequence[str]) -> bool:
        return f" {' '.join(wanted)} " in self.row


class Index:
    """Entries, and BM25 over all of them."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self._holders = Counter(word for entry in self.entries for word in entry.counts)
        lengths = sum(entry.length for entry in self.entries)
        self._mean = lengths / len(self.entries) if lengths else 1.0

    @classmethod
    def of_records(cls, records: Iterable[Record]) -> "Index":
        return cls(_entry(record) for record in records)

    def score(self, entry: Entry, positive: Iterable[str]) -> float:
        """BM25 of distinct words, added up in the words' own order so that it is one float."""
        return math.fsum(self._score(entry, word) for word in sorted(set(positive)))

    def _score(self, entry: Entry, word: str) -> float:
        count = entry.counts[word]
        holders = self._holders[word]
        rarity = math.log(1 + (len(self.entries) - holders + 0.5) / (holders + 0.5))
        return rarity * count * (K1 + 1) / (count + K1 * (1 - B + B * entry.length / self._mean))


def _entry(record: Record) -> Entry:
    # A border between title and text, so that no phrase runs from one into the other.
    title, text = words(record.title), words(record.text)
    also = stored_spellings(f"{record.title}\n{record.text}")
    return Entry(
        record=record,
        counts=Counter(title + text + also),
        row=f" {' '.join(title)} \n {' '.join(text)} ",
        length=len(title) + len(text),
    )
