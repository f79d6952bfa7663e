"""Whatever is asked, a command is the text of its shape, and what was asked is in its parameters.

ESRA_LONG=1 renders 50,000 hostile contents over all the shapes there are; otherwise 5,000.
"""

import os
from contextlib import nullcontext
from dataclasses import replace

import pytest
from psycopg import sql

from esra.domain.plan import Strategy
from esra.domain.source import FieldType, Operator, Rank
from esra.providers.postgres import render as postgres
from tests.providers.queries import RELATION
from tests.security.campaign import campaign
from tests.security.engines import MEMORY, POSTGRES
from tests.security.parsed import objections
from tests.security.shapes import CELLS, shapes
from tests.security.texts import Texts

LONG = os.environ.get("ESRA_LONG") == "1"
# Of an engine, of a cell at least, and shapes a cell.
RENDERS, LEAST, FORMS = (25_000, 250, 288) if LONG else (2_500, 59, 6)
ENGINES = (POSTGRES, MEMORY)


@pytest.mark.req("E099", "E100", "E101", "E110")
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_a_command_is_its_shape_and_its_values(engine, hostile, capsys):
    """Something a person typed, or a claim of his, would become part of a command."""
    report = campaign(engine, hostile, renders=RENDERS, forms=FORMS)
    with capsys.disabled() if LONG else nullcontext():
        print(f"\n{report.table(engine.name)}")
    assert report.faults[:5] == []
    assert report.cells.total() >= RENDERS
    assert min(report.cells[cell] for cell in CELLS) >= LEAST
    assert len(set(report.distinct.values())) == len(report.distinct)


@pytest.mark.req("E110")
def test_each_text_is_one_select_of_listed_parts(hostile):
    """A command could write, lock, or call something, and be the same text every time."""
    texts = campaign(POSTGRES, hostile, renders=len(CELLS) * FORMS, forms=FORMS).distinct.values()
    assert {why for text in texts for why in objections(text.decode(), RELATION)} == set()
    assert len(texts) > 100


def test_the_texts_hold_what_they_should():
    """The campaign would be about harmless strings."""
    every = Texts("what is in it", None, rare=50)
    texts = [every.one() for _ in range(4_000)]
    wanted = (
        "'",
        "$1",
        "%s",
        "%%",
        "{}",
        "\0",
        "\ud800",
        "\u202e",
        "/*",
        "--",
        "<->",
        ":*",
        "\u200b",
    )
    assert [mark for mark in wanted if not any(mark in text for text in texts)] == []
    assert max(len(text.encode("utf-8", "surrogatepass")) for text in texts) > 60_000
    assert len(set(texts)) > 2_000


PLANTED = {
    "a literal": lambda value: sql.SQL(" AND ") + sql.Literal(value),
    "an f-string": lambda value: sql.SQL(f" AND '{value}' <> ''"),
    "an identifier": lambda value: sql.SQL(" IS ") + sql.Identifier(value[:9]),
    "an escaped value": lambda value: sql.SQL(" = '" + value.replace("'", "''") + "'"),
    "its length": lambda value: sql.SQL(" " * (len(value) % 3)),
}


@pytest.mark.req("E110")
@pytest.mark.parametrize("write", PLANTED.values(), ids=PLANTED)
def test_a_planted_renderer_turns_the_campaign_red(write):
    """The campaign would be green whatever the renderer did."""

    def careless(asked):
        command = postgres.render(asked)
        return replace(command, text=command.text + write(str(asked.filters[0].values[0])))

    report = campaign(replace(POSTGRES, render=careless), None, renders=420, forms=2)
    assert any("the text varies" in fault for fault in report.faults)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda values: values | {"filter_0": str(values["filter_0"]).strip()},
        lambda values: values | {"optional": values["optional"][:1]},
        lambda values: values | {"rows": 50},
        lambda values: values | {"another": 1},
        lambda values: {name: value for name, value in values.items() if name != "excluded"},
    ],
)
def test_a_value_that_is_lost_or_changed_turns_it_red(spoil):
    """A renderer could bind something else than what was asked."""

    def render(asked):
        command = postgres.render(asked)
        return replace(command, values=spoil(command.values))

    assert campaign(replace(POSTGRES, render=render), None, renders=420, forms=2).faults


GOOD = "SELECT left(name, %(x)s::int) FROM shelf.docs"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (GOOD, None),
        (f"{GOOD}; {GOOD}", "2 statements"),
        (f"{GOOD}; COMMIT", "2 statements"),
        ("SELECT 1 FROM shelf.docs", "nothing is bound"),
        (f"{GOOD} FOR UPDATE", "it stores or locks"),
        ("SELECT %(x)s::text INTO shelf.other", "it stores or locks"),
        (f"WITH w AS (DELETE FROM shelf.docs RETURNING 1) {GOOD}", "DeleteStmt"),
        ("INSERT INTO shelf.docs VALUES (%(x)s)", "InsertStmt"),
        ("COPY shelf.docs TO PROGRAM 'x'", "CopyStmt"),
        ("SELECT pg_sleep(%(x)s)", "function pg_sleep"),
        ("SELECT public.left(%(x)s)", "function public.left"),
        ("SELECT lo_create(%(x)s)", "function lo_create"),
        ("SELECT %(x)s FROM shelf.salaries", "relation shelf.salaries"),
        ("SELECT %(x)s FROM docs", "relation None.docs"),
        ("SELECT %(x)s::regclass", "type regclass"),
        ("SELECT '", "no SQL"),
    ],
)
def test_the_parser_objects_to_anything_else(text, why):
    """A text that is always the same could do whatever it liked."""
    found = objections(text, RELATION)
    assert found == [] if why is None else any(one.startswith(why) for one in found)


@pytest.mark.req("E099")
def test_strategies_and_ranks_are_all_in_the_campaign():
    """A new strategy or rank would be rendered and never tried."""
    assert set(CELLS) == {(way, sign) for way in Strategy for sign in Operator}
    assert {shape.rank for shape in shapes(*CELLS[0])} == set(Rank)
    assert {shape.filters[0][0] for shape in shapes(*CELLS[0])} == set(FieldType)
