"""Impressions and clicks as judgements: clicks over expected clicks (COEC).

For a query q and a document d, with i(q,d,p) impressions at place p:

    COEC(q,d) = clicks(q,d) / sum over p of i(q,d,p) * CTR(p)
    CTR(p)    = clicks at p / impressions at p, over all queries and documents

as Zhang and Jones define it (Comparing click logs and editorial labels for training query
rewriting, 2007): every impression counts at the place where it happened. (OpenSearch's own model
counts all of them at the best place.) 1 is what the place alone explains. Where no click was to be
expected there is no judgement, and not the grade 0. A search shows a document once: repeated
impressions and clicks of one ``query_id`` count once, a click at the place of its impression.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from eval.formats.events import Event, Seen, Shown, read_events
from eval.formats.findings import Findings, quoted
from eval.formats.sheet import Judgement, Keys, Pair, Sheet

RATER = "clicks"


def coec(shown: Iterable[Shown]) -> dict[Pair, float]:
    """COEC of each (query, document) for which a click was to be expected at all."""
    rows = tuple(shown)
    impressions, clicks = Counter[int](), Counter[int]()
    for row in rows:
        impressions[row.place] += row.impressions
        clicks[row.place] += row.clicks
    expected: dict[Pair, float] = {}
    given = Counter[Pair]()
    for row in rows:
        pair = (row.query, row.document)
        rate = clicks[row.place] / impressions[row.place] if impressions[row.place] else 0.0
        expected[pair] = expected.get(pair, 0.0) + row.impressions * rate
        given[pair] += row.clicks
    return {pair: given[pair] / hoped for pair, hoped in expected.items() if hoped > 0}


def read_clicks(path: Path, deepest: int | None = None) -> Sheet:
    """The sheet of a file of UBI events (JSON lines or CSV) or of counts (CSV).

    ``deepest`` leaves out what happened below that place. Raises FormatError.
    """
    findings = Findings()
    seen = read_events(path, findings)
    rows = [*seen.counts, *_counted(path, seen, findings)] if not findings.refused else []
    kept = [row for row in rows if deepest is None or row.place <= deepest]
    if not kept and not findings.refused:
        findings.refuse(path, 0, "holds no impression")
    findings.check()
    # In an order of their own: a sum of floats depends on it, and a file's rows may be shuffled.
    shown = sorted(
        kept, key=lambda row: (row.query, row.document, row.place, row.impressions, row.clicks)
    )
    graded = coec(shown)
    pairs = dict.fromkeys((row.query, row.document) for row in shown)
    silent = [pair for pair in pairs if pair not in graded]
    for query, document in silent:
        kind = "pair at places where nobody ever clicked, not judged"
        findings.count(kind, path, 0, f"{quoted(query)} {quoted(document)}")
    return Sheet(
        keys=Keys.TEXT,
        queries=tuple(dict.fromkeys(query for query, _ in pairs)),
        judgements=tuple(
            Judgement(query=query, document=document, grade=_plain(value), rater=RATER)
            for (query, document), value in graded.items()
        ),
        open=tuple(silent),
        findings=findings.tolerated(),
    )


def _plain(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _counted(path: Path, seen: Seen, findings: Findings) -> list[Shown]:
    """Events as counts: once a search and document, a click at its impression's place."""
    impressions: dict[Pair, Event] = {}
    clicks: dict[Pair, Event] = {}
    for event in seen.events:
        known = clicks if event.click else impressions
        if known.setdefault((event.search, event.document), event) is not event:
            kind = f"further {'click' if event.click else 'impression'} of one search, not counted"
            findings.count(kind, path, event.line, quoted(event.document))
    for pair, event in clicks.items():
        if pair not in impressions:
            kind = "click without an impression, left out"
            findings.count(kind, path, event.line, quoted(event.document))
    shown, clicked = Counter[tuple[str, str, int]](), Counter[tuple[str, str, int]]()
    for pair, event in impressions.items():
        key = (seen.texts[event.search], event.document, event.place)
        shown[key] += 1
        clicked[key] += pair in clicks
    return [
        Shown(query=query, document=document, place=place, impressions=n, clicks=clicked[key])
        for key, n in shown.items()
        for query, document, place in [key]
    ]
