"""Which of the judged ids and queries are ours: found, missing, ambiguous.

What is missing stays as it is, so that nothing is lost; what is ambiguous is left out, since a
judgement of one of two records is a judgement of neither.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from eval.exchange.idmap import IdMap
from eval.formats.findings import Findings
from eval.formats.gather import Gathered, OnConflict
from eval.formats.sheet import Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Names as the file has them, each once, in its order."""

    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()


def match_documents(
    sheet: Sheet, mapped: IdMap | None, keys: Collection[str] | None
) -> tuple[Match, dict[str, str]]:
    """The match of all judged ids, and the key of each that has one.

    Without ``keys`` any key counts as found, as nobody can tell. An id of no record stays what it
    is, so that it goes out again as it came in.
    """
    found, missing, ambiguous = [], [], []
    names: dict[str, str] = {}
    for judged in documents_of(sheet):
        given = mapped.keys(judged) if mapped else (judged,)
        there = [key for key in given if keys is None or key in keys]
        if not there and keys is not None and judged in keys:
            there = [judged]
        if len(there) == 1:
            found.append(judged)
            names[judged] = there[0]
        elif len(there) > 1:
            ambiguous.append(judged)
        else:
            missing.append(judged)
            names[judged] = judged
    return Match(found=tuple(found), missing=tuple(missing), ambiguous=tuple(ambiguous)), names


def match_texts(queries: Iterable[str], known: Mapping[str, tuple[str, ...]]) -> Match:
    """The match of query texts with ``known[text]``, the ids of the queries that ask it."""
    found, missing, ambiguous = [], [], []
    for text in queries:
        ids = known.get(text, ())
        (found if len(ids) == 1 else ambiguous if ids else missing).append(text)
    return Match(found=tuple(found), missing=tuple(missing), ambiguous=tuple(ambiguous))


def renamed(
    sheet: Sheet,
    query: Callable[[str], str | None],
    document: Callable[[str], str | None],
    on_conflict: OnConflict,
    path: Path,
    findings: Findings,
) -> Sheet:
    """The sheet in other names; what has none is left out.

    Two ids of one key give one judgement; where they differ, ``on_conflict`` decides.
    """
    gathered = Gathered(path, findings, on_conflict)
    for one in sheet.judgements:
        asked, key = query(one.query), document(one.document)
        if asked is not None and key is not None:
            gathered.add(replace(one, query=asked, document=key))
    rated = {(one.query, one.document) for one in gathered.judgements}
    pairs = [(query(asked), document(key)) for asked, key in sheet.open]
    failures = [
        replace(one, query=asked, document=key)
        for one in sheet.failures
        if (asked := query(one.query)) is not None and (key := document(one.document)) is not None
    ]
    names = [query(one) for one in sheet.queries]
    return replace(
        sheet,
        queries=tuple(dict.fromkeys(one for one in names if one is not None)),
        judgements=gathered.judgements,
        open=tuple(
            dict.fromkeys(
                (asked, key)
                for asked, key in pairs
                if asked is not None and key is not None and (asked, key) not in rated
            )
        ),
        failures=tuple(dict.fromkeys(failures)),
    )


def documents_of(sheet: Sheet) -> list[str]:
    """Every document the sheet names, once, in its order."""
    named = [one.document for one in sheet.judgements]
    named += [one.document for one in sheet.failures]
    return list(dict.fromkeys([*named, *(document for _, document in sheet.open)]))
