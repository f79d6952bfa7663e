"""What a terminal shows of a result's text."""

import pytest

from esra.show import cut


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
