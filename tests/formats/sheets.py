"""Hostile sheets for the tests of this folder, and what a sheet says whatever its order."""

from __future__ import annotations

from hypothesis import strategies as st

from eval.formats.sheet import Failure, Judgement, Keys, Sheet

NASTY = (
    "0001",
    "1e3",
    "https://x.org/a?b=c,d&e=%20f#g",
    "a|b",
    'an "inch" 24"',
    " edge ",
    "two  words",
    "=1+1",
    "-2",
    "+x",
    "@x",
    "'tis",
    "\ttab",
    "line\nend",
    "line\r\nend",
    "\rreturn",
    "; DROP TABLE",
    "é",
    "e\u0301",
    "a\u2028b",
    "\ufeff",
    "\U0001f600",
)
letters = st.characters(codec="utf-8", exclude_characters="\0")
texts = st.sampled_from(NASTY) | st.text(letters, min_size=1, max_size=6).filter(str.strip)
fractions = st.floats(-900, 900, allow_subnormal=False).map(lambda x: int(x) if x == int(x) else x)
grades = st.integers(-3, 9) | fractions
raters = st.sampled_from(["ada", "Bob; Jr.", "=cmd", "'o", "rating", "docid"])


@st.composite
def sheets(draw, keys=Keys.TEXT, several=False, whole=False, plain=False):
    """A sheet; ``several`` raters, ``whole`` grades, or ``plain``: judged queries only."""
    queries = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    documents = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    judgements, left, failures = [], [], []
    for query in queries:
        for document in documents:
            said = draw(st.sampled_from(["rated", "rated", "open", "away"]))
            if plain and document == documents[0]:
                said = "rated"
            if said == "rated":
                who = (
                    draw(st.lists(raters, min_size=1, max_size=2, unique=True)) if several else [""]
                )
                judgements += [
                    Judgement(
                        query=query,
                        document=document,
                        grade=draw(st.integers(-3, 9) if whole else grades),
                        rater=rater,
                    )
                    for rater in who
                ]
            elif said == "open" and not plain:
                left.append((query, document))
    if several:
        failures = [
            Failure(query=query, document=document, rater="late", why="unrateable")
            for query, document in left[:1]
        ]
        left = left[1:]
    if several and not judgements and not failures:
        return draw(sheets(keys, several, whole, plain))
    return Sheet(
        keys=keys,
        queries=tuple(queries),
        judgements=tuple(judgements),
        open=tuple(left),
        failures=tuple(failures),
    )


def content(sheet: Sheet, *leaving: str) -> dict[str, object]:
    """What a sheet says, whatever order its rows have, ``leaving`` out what a format loses."""
    said = {
        "queries": frozenset(sheet.queries),
        "judgements": frozenset(sheet.judgements),
        "open": frozenset(sheet.open),
        "failures": frozenset(sheet.failures),
        "texts": dict(sheet.texts),
        "needs": dict(sheet.needs),
    }
    return {name: value for name, value in said.items() if name not in leaving}
