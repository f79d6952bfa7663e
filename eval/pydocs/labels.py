"""What the two tracks are made of, and the rules both follow. Pure: entries in, records out."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from eval.pydocs.entries import SHORTEST, Entry, Question, questions
from eval.pydocs.groups import name_groups
from eval.pydocs.order import in_turns
from eval.pydocs.related import Relations
from eval.pydocs.words import phrase

# A longer summary is no line any more.
SUMMARY_WORDS = range(SHORTEST, 26)
# Fewer words below the summary are nothing to search in.
BODY_WORDS = 15
# A summary that more documents share ("Set output container") asks for none of them.
SHARED_BY = 5


class Track(StrEnum):
    """The two sets of labels, each a federation of its own."""

    KNOWN = "known-item"
    RELATED = "related-item"


# Questions at most, and documents of a source, in each track. Together under 4,000
# texts: a small embedding model reads that many in about 100 seconds.
QUESTIONS = {Track.KNOWN: 1000, Track.RELATED: 200}
DOCUMENTS = {Track.KNOWN: 520, Track.RELATED: 240}


def shares(questions: int) -> dict[Track, int]:
    """How many of each track's questions are written when so many known-item ones are asked for."""
    ratio = QUESTIONS[Track.KNOWN] // QUESTIONS[Track.RELATED]
    return {Track.KNOWN: questions, Track.RELATED: -(-questions // ratio)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """An entry and the text of it that is indexed in this track."""

    entry: Entry
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """An entry whose summary is the query, its group, the names of the right documents."""

    entry: Entry
    group: str
    right: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """A track: documents by name, queries in the fixed order, what was dropped and how often."""

    track: Track
    documents: Mapping[str, Document]
    queries: tuple[Query, ...]
    dropped: Mapping[str, int]


def groups_of(entries: Iterable[Entry], relations: Relations) -> dict[str, str]:
    """The group of every entry; all of the documentation decides, not the sample."""
    entries = tuple(entries)
    ties = [(name, other) for name, others in relations.targets.items() for other in others]
    for question in questions(entries):
        if len(question.entries) <= SHARED_BY:
            ties += pairwise(entry.name for entry in question.entries)
    return name_groups({entry.name: entry.item.holder for entry in entries}, ties)


def asking(entries: Iterable[Entry], dropped: Counter[str]) -> list[Question]:
    """The questions that can be asked, in the order in which they are taken."""
    gathered = questions(entries)
    shared = [question for question in gathered if len(question.entries) <= SHARED_BY]
    fit = [question for question in shared if len(question.summary) in SUMMARY_WORDS]
    dropped["summaries shared by too many documents"] += len(gathered) - len(shared)
    dropped["summaries too short or too long"] += len(shared) - len(fit)
    return in_turns(fit, lambda question: question.head.name)


def documents(
    track: Track,
    wanted: Iterable[Entry],
    rest: Iterable[Entry],
    read: Callable[[Entry], str],
) -> dict[str, Document]:
    """All wanted entries, and of the rest so many that every source has its share.

    `read` gives the text to index; an entry it leaves too little of is no document.
    """
    left = {entry.name: entry for entry in rest}
    found: dict[str, Document] = {}
    size: Counter[str] = Counter()

    def take(entry: Entry) -> None:
        text = read(entry)
        if len(phrase(text)) >= BODY_WORDS:
            found[entry.name] = Document(entry=entry, text=text)
            size[entry.item.package] += 1

    for entry in wanted:
        if entry.name not in found:
            take(entry)
    for entry in in_turns(left.values(), lambda entry: entry.name):
        if entry.name not in found and size[entry.item.package] < DOCUMENTS[track]:
            take(entry)
    return dict(sorted(found.items()))
