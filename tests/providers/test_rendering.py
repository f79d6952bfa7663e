"""A command's text is decided by configuration; content is in its parameters, exactly."""

from dataclasses import replace
from itertools import product

import pytest
from psycopg import sql

from esra.domain.plan import Strategy
from esra.domain.source import Field, FieldType, Operator, Rank
from esra.providers.memory import command as memory
from esra.providers.postgres.render import render
from esra.sealed import BoundFilter
from tests.providers.hostile import KNOWN, generated, listed
from tests.providers.queries import RELATION, content, only, where
from tests.providers.rendering import CELLS, ROLES, Cell, faults

NAMES = [f"{cell.strategy.value}-{cell.operator.value}" for cell in CELLS]


def postgres_text(asked) -> bytes:
    return render(asked).text.as_bytes(None)


def postgres_values(asked) -> dict[str, object]:
    values = render(asked).values
    terms = {role: [text.split() for text in values[role]] for role in ROLES}
    return {"filter": values["filter_0"], **terms}


def memory_text(asked) -> bytes:
    return memory.compile_query(asked).text.encode()


def memory_values(asked) -> dict[str, object]:
    values = memory.compile_query(asked).values
    one = asked.filters[0].operator is not Operator.IN
    filter = values.filters[0][0] if one else list(values.filters[0])
    # A term without words is gone in memory; in SQL it is an empty text.
    return {"filter": filter, **{role: getattr(values, role) or ((),) for role in ROLES}}


ENGINES = {"postgres": (postgres_text, postgres_values), "memory": (memory_text, memory_values)}


@pytest.mark.req("E099", "E100", "E101", "E110")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cell", CELLS, ids=NAMES)
def test_text_never_varies_with_content(engine, cell, shared):
    """What a user types, or a claim of his, would become part of a command."""
    texts = [
        *KNOWN,
        *generated(40, seed=CELLS.index(cell)),
        *listed(shared)[CELLS.index(cell) :: 42],
    ]
    assert len(texts) >= 60
    assert faults(cell, texts, *ENGINES[engine]) == []


@pytest.mark.req("E100", "E101", "W80")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("strategy", list(Strategy))
def test_text_never_varies_with_a_claim(engine, strategy, shared):
    """A claim would become part of a command, or its text would tell how many a caller has."""
    text_of = ENGINES[engine][0]
    texts = [*KNOWN, *generated(40, seed=3), *listed(shared)[::42]]
    kinds = (FieldType.TEXT, FieldType.NUMBER, FieldType.BOOLEAN)
    plain = content(strategy=strategy, visible=(tuple(map(only, kinds)), (only(FieldType.TEXT),)))
    for text in texts:
        claims = (text, "x", text[::-1])
        asked = replace(
            plain,
            visible=(
                (
                    only(FieldType.TEXT, *claims),
                    only(FieldType.NUMBER, *range(len(text))),
                    only(FieldType.BOOLEAN, True),
                ),
                (only(FieldType.TEXT, text),),
            ),
        )
        assert text_of(asked) == text_of(plain)
        if engine == "postgres":
            assert render(asked).values["visible_0_0"] == list(claims)
            assert render(asked).values["visible_1_0"] == [text]


@pytest.mark.parametrize("cell", CELLS[:3], ids=NAMES[:3])
def test_a_renderer_that_writes_a_value_into_the_text_is_caught(cell):
    """The check above would pass whatever the renderer did."""

    def careless(asked) -> bytes:
        return postgres_text(asked) + repr(asked.optional[:1]).encode("utf-8", "replace")

    def counting(asked) -> bytes:
        return postgres_text(asked) + b"," * len(asked.optional)

    def cutting(asked) -> dict[str, object]:
        values = postgres_values(asked)
        bound = values["filter"]
        cut = [text.strip() for text in bound] if isinstance(bound, list) else bound.strip()
        return values | {"filter": cut}

    assert faults(cell, KNOWN, careless, postgres_values)
    assert faults(cell, KNOWN, counting, postgres_values)
    assert faults(cell, KNOWN, postgres_text, cutting)


@pytest.mark.req("E110")
@pytest.mark.parametrize(("kind", "operator"), list(product(FieldType, Operator)))
def test_text_does_not_vary_with_a_value_of_any_type(kind, operator):
    """A number or a time would be written where a parameter belongs."""
    values = {
        FieldType.TEXT: ("a", "'"),
        FieldType.NUMBER: (0, -1, 0.1, 2**52, 1e300, float("inf"), float("nan")),
        FieldType.BOOLEAN: (True, False),
        FieldType.TIMESTAMP: (0.0, -1.5, 2e9, 1e300, float("nan"), "2026-01-01"),
    }[kind]
    texts = {postgres_text(content(filters=where(kind, operator, value))) for value in values}
    assert len(texts) == 1


@pytest.mark.req("E099")
def test_every_placeholder_is_bound_and_every_value_is_used():
    """A command would fail at run time, or a value would be left behind unread."""
    for strategy, rank in product(Strategy, Rank):
        command = render(
            content(
                replace(RELATION, rank=rank),
                strategy=strategy,
                filters=where(FieldType.NUMBER, Operator.IN, 1, 2),
            )
        )
        text = command.text.as_string(None)
        assert all(f"%({name})s" in text for name in command.values)
        assert text.count("%(") == sum(text.count(f"%({name})s") for name in command.values)


@pytest.mark.req("E104")
@pytest.mark.parametrize(
    "name", ['quo"te', "two words", "UPPER", "select", "50%", "a%(x)s", "é;--"]
)
def test_identifiers_are_quoted(name, shop):
    """A configured name would be cut, folded, or read as SQL."""
    relation = replace(RELATION, table=name, schema="shelf", key=name, vector=f"{name} v")
    shop.run(sql.SQL("DROP TABLE IF EXISTS shelf.{}").format(sql.Identifier(name)))
    shop.run(
        sql.SQL(
            "CREATE TABLE shelf.{} AS SELECT 'k'::text AS {}, 't'::text AS name, 'b'::text AS body,"
            " now() AS written, to_tsvector('simple', 'word') AS {}, 1 AS {}"
        ).format(*map(sql.Identifier, (name, name, f"{name} v", f"{name} f")))
    )
    asked = content(
        relation,
        optional=("word",),
        filters=(
            BoundFilter(column=f"{name} f", type="number", operator=Operator.EQ, values=(1,)),
        ),
        projection=(Field(name="f", column=f"{name} f", type=FieldType.NUMBER),),
    )
    command = render(asked)
    rows = shop.run(command.text, command.values).fetchall()
    assert [(row[0], row[6]) for row in rows] == [("k", 1)]


@pytest.mark.req("E102", "E103")
def test_physical_names_come_from_the_relation_and_the_bound_filter():
    """A name that a plan made up would reach the engine."""
    text = render(content(required=("shelf.secret",), phrases=("colour",))).text.as_string(None)
    assert '"shelf"."docs"' in text
    assert "secret" not in text
    assert "colour" not in text


@pytest.mark.req("E105", "E106", "E108")
def test_cap_and_order_are_part_of_the_command():
    """Rows over the cap would be read and thrown away, in an order of the database's own."""
    text = render(content(rows=7)).text.as_string(None)
    end = "ORDER BY score DESC NULLS LAST, key ASC LIMIT %(rows)s::int"
    assert text.endswith(end)
    assert '"id"::text COLLATE "C" AS key' in text


@pytest.mark.parametrize("seconds", [0.1, 1 / 3, 1e9, -62_135_596_800.0])
def test_a_time_keeps_its_instant(seconds):
    """A filter on a time would compare with another one."""
    asked = content(filters=where(FieldType.TIMESTAMP, Operator.GTE, seconds))
    value = render(asked).values["filter_0"]
    assert memory.comparable(value, FieldType.TIMESTAMP) == pytest.approx(seconds, abs=5e-7)


def test_a_number_is_bound_exactly():
    """0.1 would become 0.1000000000000000055 on its way, or a large integer its neighbour."""
    for value in (0.1, 2**53 - 1, 10**20, -1.5e-300):
        asked = content(filters=where(FieldType.NUMBER, Operator.EQ, value))
        assert str(render(asked).values["filter_0"]).lower().replace("+", "") == repr(
            value
        ).replace("+", "")


def test_a_cell_without_text_is_the_same_text():
    """The benign query of a shape would be another shape."""
    cell = Cell(strategy=Strategy.RECENT, operator=Operator.IN)
    assert postgres_text(cell.holding()) == postgres_text(cell.holding("x", "y"))


def test_two_shapes_never_share_a_text():
    """A text that is kept for the next query would be kept for another one."""
    text, number = only(FieldType.TEXT, "a"), only(FieldType.NUMBER, 1)
    shapes = [
        content(),
        content(strategy=Strategy.PHRASE),
        content(replace(RELATION, rank=Rank.RARITY)),
        content(replace(RELATION, table="other")),
        content(filters=(text,)),
        content(filters=(replace(text, operator=Operator.EQ),)),
        content(filters=(replace(text, type="number"),)),
        content(filters=(replace(text, column="other"),)),
        content(filters=(text, number)),
        content(visible=((text,),)),
        content(visible=((text, number),)),
        content(visible=((text,), (number,))),
        content(visible=((text,),), filters=(number,)),
        content(projection=(Field(name="f", column="colour"),)),
        content(projection=(Field(name="f", column="colour", type=FieldType.NUMBER),)),
    ]
    for _ in range(2):
        assert len({postgres_text(asked) for asked in shapes}) == len(shapes)
    for asked in shapes:
        made = render(asked).text
        assert made.as_bytes(None).decode() == made.as_string(None)
