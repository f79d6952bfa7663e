"""The related-item track: a summary asks for what its item's "See Also" names.

The item itself, and all that share its summary, are not in the collection: a
search would find them first and they are not what is asked for. Exact twins
are one document. Nobody judged the rest: unjudged is not irrelevant here.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from eval.pydocs.entries import Entry, Question
from eval.pydocs.labels import BODY_WORDS, QUESTIONS, Labels, Query, Track, asking, documents
from eval.pydocs.related import Relations
from eval.pydocs.words import Cutter, Phrase


def related_item(
    entries: Iterable[Entry],
    relations: Relations,
    groups: Mapping[str, str],
) -> Labels:
    """The labels of the track; `groups` holds the group of every entry."""
    entries = tuple(entries)
    dropped: Counter[str] = Counter()
    long = [entry for entry in entries if len(entry.summary + entry.body) >= BODY_WORDS]
    dropped["items with too little text"] = len(entries) - len(long)
    kept = collapse(long)
    pool = {entry.name: entry for entry in long if kept[entry.name] == entry.name}
    dropped["exact twins collapsed"] = len(long) - len(pool)
    asked = _choose(asking(long, dropped), relations, kept, dropped)
    held_out = {entry.name for question, _ in asked for entry in question.entries}
    cutter = Cutter(leak for question, _ in asked for leak in question.leaks)
    found = documents(
        Track.RELATED,
        [pool[name] for _, targets in asked for name in targets],
        [entry for name, entry in pool.items() if name not in held_out],
        lambda entry: cutter.cut(entry.doc.whole),
    )
    queries = []
    for question, targets in asked:
        right = tuple(name for name in targets if name in found)
        if right:
            queries.append(
                Query(entry=question.head, group=groups[question.head.name], right=right),
            )
    dropped["questions without a document left"] = len(asked) - len(queries)
    return Labels(track=Track.RELATED, documents=found, queries=tuple(queries), dropped=dropped)


def collapse(entries: Iterable[Entry]) -> dict[str, str]:
    """Which entry stands for each: exact twins have one, the first in the alphabet."""
    first: dict[tuple[Phrase, Phrase], str] = {}
    ordered = sorted(entries, key=lambda entry: entry.name)
    return {
        entry.name: first.setdefault((entry.summary, entry.body), entry.name) for entry in ordered
    }


def _choose(
    candidates: Iterable[Question],
    relations: Relations,
    kept: Mapping[str, str],
    dropped: Counter[str],
) -> list[tuple[Question, tuple[str, ...]]]:
    """Questions in order with their targets; none of them is another one's target."""
    asked: list[tuple[Question, tuple[str, ...]]] = []
    dropped.update({"questions without a target": 0, "questions that are another one's target": 0})
    held_out: set[str] = set()
    wanted: set[str] = set()
    for question in candidates:
        if len(asked) == QUESTIONS[Track.RELATED]:
            break
        own = {name for entry in question.entries for name in (entry.name, kept[entry.name])}
        targets = _targets(question, relations, kept) - own - held_out
        if not targets:
            dropped["questions without a target"] += 1
        elif own & wanted:
            dropped["questions that are another one's target"] += 1
        else:
            held_out |= own
            wanted |= targets
            asked.append((question, tuple(sorted(targets))))
    return asked


def _targets(question: Question, relations: Relations, kept: Mapping[str, str]) -> set[str]:
    return {
        kept[target]
        for entry in question.entries
        for target in relations.targets[entry.name]
        if target in kept
    }
