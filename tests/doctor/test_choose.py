"""Which columns a first mapping names: what a person would have chosen, and never a secret."""

import pytest

from esra.doctor.choose import Choice, Unfit, choose, open_columns
from esra.domain.described import Column, Kind, Store, Table, TextKey

MADE = "to_tsvector('german'::regconfig, ((headline || ' '::text) || body))"
TRIGGER = r"words\000pg_catalog.french\000caption\000"


def table(*columns: str, made: str = "", **told) -> Table:
    """Columns as ``name type``; ``words tsvector`` is made by ``made``."""
    named = [column.rsplit(" ", 1) for column in columns]
    return Table(
        schema="s",
        name=told.pop("name", "t"),
        unique=told.pop("unique", ("id",)),
        columns=tuple(
            Column(name=name, type=type, made=made if type == "tsvector" else "")
            for name, type in named
        ),
        **told,
    )


def chosen(*columns: str, **more) -> Choice:
    found = choose(table("id int4", *columns, "words tsvector", **more))
    assert isinstance(found, Choice)
    return found


@pytest.mark.parametrize(
    ("columns", "title", "text"),
    [
        (("title text", "body text"), "title", "body"),
        (("body text", "title text"), "title", "body"),
        (("sku text", "product_name varchar", "long_description text"),
         "product_name", "long_description"),
        (("note text",), "note", "note"),
        (("name text",), "name", "name"),
        (("a text", "b text"), "b", "a"),
        (("password text", "api_key text", "remark text"), "remark", "remark"),
    ],
)  # fmt: skip
def test_title_and_text_by_their_usual_names(columns, title, text):
    """The first draft would show a part number as the title, or a password."""
    found = chosen(*columns)
    assert (found.title, found.text) == (title, text)


def test_what_the_vector_was_made_of_comes_first():
    """A result would show a column that was never searched."""
    found = chosen("summary text", "headline text", "body text", "other_title text", made=MADE)
    assert (found.title, found.text, found.language) == ("headline", "body", "german")
    found = chosen("body text", "caption text", made=TRIGGER)
    assert (found.text, found.language) == ("caption", "pg_catalog.french")
    quoted = chosen('a"b text', "body text", made="""to_tsvector('x''y'::regconfig, "a""b")""")
    assert (quoted.text, quoted.language) == ('a"b', "x'y")


@pytest.mark.parametrize(
    ("columns", "stamp"),
    [
        ((), None),
        (("born date",), "born"),
        (("created timestamptz", "updated_at timestamp"), "updated_at"),
        (("born date", "published date"), "published"),
        (("updated text",), None),
    ],
)
def test_the_time_of_a_record(columns, stamp):
    """Old records would count as new ones."""
    assert chosen("body text", *columns).timestamp == stamp


def test_a_guess_is_called_one():
    """Somebody would take a guess for something that was looked up."""
    assert chosen("title text", "body text", made=MADE.replace("headline", "title")).guesses == ()
    assert len(chosen("a text", "b text").guesses) == 2
    view = chosen("title text", "body text", unique=(), kind=Kind.VIEW, made=MADE)
    assert view.key == "id"
    assert "key" in view.guesses[0]


@pytest.mark.parametrize(
    ("unfit", "why"),
    [
        (table("id int4", "n int4", "words tsvector"), "text that may be shown"),
        (table("id int4", "body text"), "no text-search column"),
        (table("id int4", "body text", "words tsvector", unique=()), "unique column"),
        (table("body text", "words tsvector", unique=(), kind=Kind.VIEW), "unique column"),
        (table("id int4", "body text", "words tsvector", name="a\nb"), "control characters"),
        (table("id int4", "secret text", "words tsvector"), "text that may be shown"),
    ],
)
def test_what_makes_no_source_says_why(unfit, why):
    """A table would be missing from the draft, and nobody would know what it lacks."""
    found = choose(unfit)
    assert isinstance(found, Unfit)
    assert why in found.why


def test_a_column_that_may_not_be_read_is_not_chosen():
    """Every search of the draft would be refused."""
    columns = (
        Column(name="title", type="text", readable=False),
        Column(name="body", type="text"),
        Column(name="words", type="tsvector"),
        Column(name="id", type="int4"),
    )
    found = choose(Table(schema="s", name="t", columns=columns, unique=("id",)))
    assert isinstance(found, Choice)
    assert found.title == found.text == "body"


def test_of_two_vectors_the_indexed_one():
    """The draft would name a column that no index serves beside one that is served."""
    key = TextKey(column="second", method="gin")
    one = table(
        "id int4", "body text", "first tsvector", "second tsvector",
        stores=(Store(name="t", keys=(key,)),),
    )  # fmt: skip
    found = choose(one)
    assert isinstance(found, Choice)
    assert found.vector == "second"


def test_no_secret_is_offered_as_a_field():
    """Taking a # away would publish a password."""
    one = table(
        "id int4", "title text", "body text", "price numeric", "pwd text", "card_no text",
        "data jsonb", "words tsvector",
    )  # fmt: skip
    found = choose(one)
    assert isinstance(found, Choice)
    assert [c.name for c in open_columns(one, found)] == ["title", "price"]
