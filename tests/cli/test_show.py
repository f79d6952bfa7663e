"""What a terminal shows of a result's text."""

import pytest

from esra.domain.capability import Revision
from esra.domain.codes import WarningCode
from esra.domain.outcome import Warn
from esra.domain.ranking import OrderedBy
from esra.domain.response import Response
from esra.show import as_text, cut


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one two", "one two"),
        ("one two three", "one two…"),
        ("fours two34 five", "fours…"),
        ("one two34 five", "one two3…"),
        ("one two3 four", "one two3…"),
        ("abcdefghijkl", "abcdefgh…"),
        ("a bcdefghijkl", "a bcdefg…"),
        ("einszwei 3", "einszwei…"),
        ("123456789", "123456789"),
    ],
)
def test_a_text_ends_with_a_whole_word(text, shown):
    """A word cut in two reads as another word, and nothing would say that more follows."""
    assert cut(text, 9) == shown
    assert len(cut(text, 9)) <= 9


def test_what_two_queries_of_a_plan_say_alike_is_shown_once():
    """Whoever asks with an emoji would look for the difference between two equal lines."""
    alike = Warn(code=WarningCode.PLAN_REJECTED, source="pages", detail="NO_SEARCHABLE_TERM")
    other = Warn(code=WarningCode.PLAN_REJECTED, source="notes", detail="NO_SEARCHABLE_TERM")
    response = Response(
        invocation="i",
        results=(),
        warnings=(alike, alike, other),
        notices=(),
        ordered_by=OrderedBy.FINAL,
        configuration=Revision(),
    )
    told = [line for line in as_text(response).splitlines() if "NO_SEARCHABLE_TERM" in line]
    assert told == [
        "  ESRA_PLAN_REJECTED pages NO_SEARCHABLE_TERM",
        "  ESRA_PLAN_REJECTED notes NO_SEARCHABLE_TERM",
    ]
