"""Events of User Behavior Insights (UBI), and counts of them, as files hold them.

JSON lines: ``action_name`` (impression or click), ``query_id``, ``user_query``, and
``event_attributes`` with ``object.object_id`` and ``position.ordinal``; a line of ``ubi_queries``
among them gives the text of its ``query_id``; a hit's ``_source`` is unwrapped. CSV: the same as
columns ``action_name, query_id, user_query, object_id, position``, or counts as ``query, docid,
position, impressions, clicks``. Other actions are counted and left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from eval.formats.csvtable import read_table
from eval.formats.findings import Findings, quoted
from eval.formats.lines import numbered_lines
from eval.formats.strict import Unusable, parsed

IMPRESSION, CLICK = "impression", "click"
_OF_EVENTS = ("action_name", "query_id", "user_query", "object_id", "position")
_COLUMNS = (*_OF_EVENTS, "query", "docid", "impressions", "clicks")
DEEPEST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One impression or click. ``place`` is the position as the file counts it."""

    search: str
    document: str
    place: int
    click: bool
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """How often a document of a query was shown at one place, and clicked there."""

    query: str
    document: str
    place: int
    impressions: int
    clicks: int


@dataclass(slots=True)
class Seen:
    """``texts`` is the text of each search, by its ``query_id``."""

    events: list[Event] = field(default_factory=list)
    counts: list[Shown] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)


def read_events(path: Path, findings: Findings) -> Seen:
    """What the file holds; what is wrong goes to ``findings``."""
    seen = Seen()
    first = next((text for _, text in numbered_lines(path, Findings())), "")
    if first.lstrip().startswith("{"):
        _gather(_objects(path, findings), path, seen, findings)
    else:
        table = read_table(path, findings)
        names = table.places({name: (name,) for name in _COLUMNS}, path, findings)
        rows = (
            (row.line, {name: row.cells[at] for name, at in names.items()}) for row in table.rows
        )
        if "impressions" in names:
            _counts(rows, path, seen, findings)
        elif "action_name" in names:
            _gather(rows, path, seen, findings)
        elif not findings.refused:
            findings.refuse(path, 1, "names neither impressions nor action_name in its first line")
    for event in seen.events:
        if not seen.texts.get(event.search):
            said = (
                f"the search {quoted(event.search)} has no user_query: add its line of ubi_queries"
            )
            findings.refuse(path, event.line, said)
    return seen


def _objects(path: Path, findings: Findings) -> Iterator[tuple[int, dict[str, object]]]:
    for line, text in numbered_lines(path, findings):
        try:
            value, _ = parsed(text)
        except Unusable as trouble:
            findings.refuse(path, line, str(trouble))
            continue
        if isinstance(value, dict):
            inner = value.get("_source")
            yield line, _flat(inner if isinstance(inner, dict) else value)
        else:
            findings.refuse(path, line, "is not a JSON object: write one event a line")


def _flat(value: dict[str, object]) -> dict[str, object]:
    about = value.get("event_attributes")
    about = about if isinstance(about, dict) else {}
    thing, place = about.get("object"), about.get("position")
    return {
        **value,
        "object_id": thing.get("object_id") if isinstance(thing, dict) else None,
        "position": place.get("ordinal") if isinstance(place, dict) else None,
    }


def _gather(
    rows: Iterator[tuple[int, dict[str, object]]], path: Path, seen: Seen, findings: Findings
) -> None:
    for line, row in rows:
        search, text = row.get("query_id"), row.get("user_query")
        if not isinstance(search, str) or not search.strip():
            findings.refuse(path, line, "has no query_id: which search was it?")
            continue
        asked = isinstance(text, str) and text.strip()
        if asked and seen.texts.setdefault(search, str(text)) != text:
            said = f"query_id {quoted(search)} has another user_query than before"
            findings.refuse(path, line, f"{said}: keep one")
        action = row.get("action_name")
        if action is None:
            continue  # a line of ubi_queries
        name = str(action).strip().casefold()
        if name not in (IMPRESSION, CLICK):
            findings.count("event of another action, left out", path, line, quoted(action))
            continue
        document, place = row.get("object_id"), _whole(row.get("position"))
        if isinstance(document, int) and not isinstance(document, bool):
            findings.count("whole number as id, read as text", path, line, str(document))
            document = str(document)
        if not isinstance(document, str) or not document.strip():
            findings.refuse(path, line, "names no object_id: what was shown?")
        elif place is None and name == IMPRESSION:
            said = f"has the position {quoted(row.get('position'))}"
            findings.refuse(path, line, f"{said}: write a whole number, 0 or more")
        else:
            seen.events.append(
                Event(
                    search=search,
                    document=document,
                    place=place or 0,
                    click=name == CLICK,
                    line=line,
                )
            )


def _counts(
    rows: Iterator[tuple[int, dict[str, object]]], path: Path, seen: Seen, findings: Findings
) -> None:
    for line, row in rows:
        query, document = str(row.get("query", "")), str(row.get("docid", ""))
        numbers = [_whole(row.get(name)) for name in ("position", "impressions", "clicks")]
        place, impressions, clicks = numbers
        if not query.strip() or not document.strip():
            findings.refuse(path, line, "names no query or no docid: fill both cells")
        elif place is None or impressions is None or clicks is None:
            findings.refuse(path, line, "needs whole numbers as position, impressions and clicks")
        elif clicks > impressions:
            said = f"has {clicks} clicks on {impressions} impressions: count a search once"
            findings.refuse(path, line, said)
        else:
            seen.counts.append(
                Shown(
                    query=query,
                    document=document,
                    place=place,
                    impressions=impressions,
                    clicks=clicks,
                )
            )


def _whole(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdecimal():
        value = int(value) if len(value.strip()) <= 12 else None
    return value if type(value) is int and 0 <= value < 10**12 else None
