"""An item with its documentation read: what the choosing and the writing work on."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from eval.pydocs.docstring import Docstring, parse
from eval.pydocs.walk import Item
from eval.pydocs.words import Phrase, phrase

# A summary of fewer words ("Alias for get_color") names no task.
SHORTEST = 4


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An item and the parts of its documentation string."""

    item: Item
    doc: Docstring

    @property
    def name(self) -> str:
        """The item's main public name; the document's id."""
        return self.item.name

    @cached_property
    def summary(self) -> Phrase:
        """The summary as it is compared; equal summaries ask the same question."""
        return phrase(self.doc.summary)

    @property
    def leaks(self) -> tuple[Phrase, ...]:
        """What no text may hold when the summary is asked for: it, and it without its verb.

        "Return the product of the values" says "The product of the values" again
        under Returns.
        """
        without = self.summary[1:]
        return (self.summary, without) if len(without) >= SHORTEST else (self.summary,)

    @cached_property
    def body(self) -> Phrase:
        """The words below the summary, "See Also" left out."""
        return phrase(self.doc.text)


@dataclass(frozen=True, kw_only=True)
class Question:
    """All entries with one summary, by name: one text cannot ask for only one of them."""

    entries: tuple[Entry, ...]

    @property
    def head(self) -> Entry:
        """The entry the question is named after: the shortest name, then the alphabet."""
        return min(self.entries, key=lambda entry: (entry.name.count("."), entry.name))

    @property
    def summary(self) -> Phrase:
        """The summary all entries share, as it is compared."""
        return self.head.summary

    @property
    def leaks(self) -> tuple[Phrase, ...]:
        """What no text may hold when the question is asked."""
        return self.head.leaks


def read(items: Iterable[Item]) -> list[Entry]:
    """The items whose documentation string has a summary, in their order."""
    entries = (Entry(item=item, doc=parse(item.doc)) for item in items)
    return [entry for entry in entries if entry.summary]


def questions(entries: Iterable[Entry]) -> list[Question]:
    """The entries gathered by their summary, in the order of the first name of each."""
    gathered: Mapping[Phrase, list[Entry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: entry.name):
        gathered[entry.summary].append(entry)
    return [Question(entries=tuple(members)) for members in gathered.values()]
