"""The known-item track: a summary asks for the item it was cut from.

Right are the item, its exact twins and every other item with the same
summary, for the words cannot tell them apart. No document of the track keeps
its summary, asked for or not: a target must not stand out by lacking one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from eval.pydocs.entries import Entry, questions
from eval.pydocs.labels import (
    BODY_WORDS,
    QUESTIONS,
    SHARED_BY,
    Labels,
    Query,
    Track,
    asking,
    documents,
)
from eval.pydocs.words import Cutter


def known_item(entries: Iterable[Entry], groups: Mapping[str, str]) -> Labels:
    """The labels of the track; `groups` holds the group of every entry."""
    entries = tuple(entries)
    dropped: Counter[str] = Counter()
    long = [entry for entry in entries if len(entry.body) >= BODY_WORDS]
    dropped["items with too little below the summary"] = len(entries) - len(long)
    asked = asking(long, dropped)[: QUESTIONS[Track.KNOWN]]
    cutter = Cutter(leak for question in asked for leak in question.leaks)
    # What many items share word for word is boilerplate, no distractor either.
    rest = [q for q in questions(long) if len(q.entries) <= SHARED_BY]
    found = documents(
        Track.KNOWN,
        [entry for question in asked for entry in question.entries],
        [entry for question in rest for entry in question.entries],
        lambda entry: cutter.cut(entry.doc.text),
    )
    queries = []
    for question in asked:
        right = tuple(entry.name for entry in question.entries if entry.name in found)
        if right:
            queries.append(
                Query(entry=question.head, group=groups[question.head.name], right=right),
            )
    dropped["questions without a document left"] = len(asked) - len(queries)
    return Labels(track=Track.KNOWN, documents=found, queries=tuple(queries), dropped=dropped)
