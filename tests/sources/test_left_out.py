"""Words that no index of a language holds: as the lists say, and as a real server does."""

import psycopg
import pytest

from esra.sources.left_out import left_out
from esra.sources.stoplists import LISTS

SIMPLE_AND_MORE = ("simple", "hindi", "greek", "pg_catalog.english", '"russian"')


@pytest.mark.parametrize(
    ("words", "language", "expected"),
    [
        (("the", "who"), "english", True),
        (("the", "who", "live"), "english", False),
        (("the",), "pg_catalog.english", True),
        (("the",), "ENGLISH", True),
        (("the",), "simple", False),
        (("der", "die", "das"), "german", True),
        (("der",), "english", False),
        # Which language is meant is written in the letters.
        (("the", "\u043d\u0435"), "russian", True),
        (("the",), "public.english", False),
        (("the",), '"English"', False),
        (("the",), "my_own", False),
    ],
)
def test_only_the_servers_own_languages_leave_words_out(words, language, expected):
    """A question would be turned down that a configuration of one's own can answer."""
    assert left_out(words, language) is expected


@pytest.mark.parametrize("language", [*LISTS, *SIMPLE_AND_MORE])
def test_the_server_leaves_out_these_words_and_no_others(database, language):
    """A question would be turned down that finds something, or find nothing and say nothing."""
    every = sorted({word for text in LISTS.values() for word in text.split()} | {"boot", "4"})
    with psycopg.connect(database.url) as connection:
        dropped = connection.execute(
            'SELECT array_agg(word ORDER BY word COLLATE "C") FILTER (WHERE numnode('
            "plainto_tsquery(%s::regconfig, word)) = 0) FROM unnest(%s::text[]) AS word",
            [language, every],
        ).fetchone()
    assert [word for word in every if left_out([word], language)] == (dropped[0] or [])
