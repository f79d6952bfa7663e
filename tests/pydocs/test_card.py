"""The card a person reads says what the builder does."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.pydocs.entries import SHORTEST
from eval.pydocs.groups import WHOLE
from eval.pydocs.labels import (
    BODY_WORDS,
    DOCUMENTS,
    QUESTIONS,
    SHARED_BY,
    SUMMARY_WORDS,
    Track,
    shares,
)
from eval.pydocs.packages import PACKAGES, Package

CARD = Path(__file__).parents[2] / "datasets" / "pydocs" / "CARD.md"


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_every_source_stands_there_with_its_terms(package: Package) -> None:
    """Else texts would be used without anybody knowing on which terms."""
    row = f"| `{package.name}` | {package.distribution} | {package.licence} |"
    assert row in CARD.read_text(encoding="utf-8")


def test_the_numbers_are_the_builders() -> None:
    """Else the card would describe a set that nobody builds."""
    text = CARD.read_text(encoding="utf-8")
    known, related = Track.KNOWN, Track.RELATED
    for said in (
        f"**known-item** ({QUESTIONS[known]:,} questions",
        f"**related-item** ({QUESTIONS[related]:,} questions",
        f"Summaries of {SHORTEST} to {SUMMARY_WORDS[-1]} words; at least {BODY_WORDS} words",
        f"shared by more than {SHARED_BY} documents",
        f"{DOCUMENTS[known]} documents a source in the known-item track, {DOCUMENTS[related]} in",
        f"components of more than {WHOLE} items are split",
    ):
        assert said in text
    assert shares(QUESTIONS[known]) == QUESTIONS
