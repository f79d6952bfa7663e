"""What no index serves is refused by what the catalogue says, before a command is sent."""

import asyncio
from dataclasses import replace

import pytest

from esra.domain.codes import FailureCode
from esra.domain.described import Column as Named
from esra.domain.described import Kind, Server, Store, Table, TextKey
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.providers.postgres import PostgresProvider
from esra.providers.postgres.verdicts import BELIEVED, NotSearchable, Verdicts
from esra.sources.searchable import has_language, language_parts, refusal
from tests.providers.queries import RELATION, query, record

NOT_INDEXED, UNAVAILABLE = FailureCode.COLUMN_NOT_INDEXED, FailureCode.TEXT_INDEX_UNAVAILABLE
GIN = TextKey(column="lexemes", method="gin")


def server(*keys: TextKey, type: str = "tsvector", kind: Kind = Kind.TABLE, stores=None) -> Server:
    """One relation whose column ``lexemes`` has these index keys."""
    table = Table(
        schema="shelf",
        name="docs",
        kind=kind,
        columns=(Named(name="lexemes", type=type),),
        stores=(Store(name="docs", keys=keys),) if stores is None else stores,
    )
    languages = frozenset({("pg_catalog", "english"), ("shelf", "house")})
    return Server(database="d", role="r", languages=languages, tables=(table,))


@pytest.mark.parametrize(
    ("told", "code"),
    [
        (server(GIN), None),
        (server(replace(GIN, method="gist")), None),
        (server(replace(GIN, method="rum")), None),
        (server(replace(GIN, valid=False), GIN), None),
        (server(), NOT_INDEXED),
        (server(type="text"), NOT_INDEXED),
        (server(replace(GIN, column="other")), NOT_INDEXED),
        (server(replace(GIN, column=None)), NOT_INDEXED),
        (server(replace(GIN, method="btree")), UNAVAILABLE),
        (server(replace(GIN, valid=False)), UNAVAILABLE),
        (server(replace(GIN, partial=True)), UNAVAILABLE),
        (server(kind=Kind.FOREIGN), None),
        (server(kind=Kind.VIEW, stores=()), NOT_INDEXED),
        (server(replace(GIN, column=None), kind=Kind.VIEW), None),
        (server(kind=Kind.PARTITIONED, stores=(Store(name="a", keys=(GIN,)), Store(name="b"))),
         NOT_INDEXED),
        (server(kind=Kind.PARTITIONED, stores=(Store(name="a", keys=(GIN,)),)), None),
        (replace(server(GIN), tables=()), None),
        (server(GIN, type="tsvector", kind=Kind.VIEW), None),
    ],
)  # fmt: skip
def test_the_judgement_of_each_state_of_a_catalogue(told, code):
    """A source would be refused that works, or asked that reads its every row for each question."""
    assert refusal(told, RELATION) == code


@pytest.mark.parametrize(
    ("language", "known"),
    [
        ("english", True),
        ("English", True),
        ("pg_catalog.english", True),
        ('pg_catalog."english"', True),
        ("shelf.house", True),
        ("house", False),
        ('"English"', False),
        ("klingon", False),
        ("a.b.english", False),
        ("english;", False),
        ("", False),
    ],
)
def test_a_language_is_read_as_the_server_reads_it(language, known):
    """A misspelt configuration would be found by the first caller's failed question."""
    assert has_language(server(GIN), language) is known
    expected = None if known else UNAVAILABLE
    assert refusal(server(GIN), replace(RELATION, language=language)) == expected


def test_a_quoted_name_may_hold_anything():
    """A configuration with a quote or a point in its name could not be used."""
    assert language_parts('"a.""b".c') == ('a."b', "c")


def test_a_refusal_is_believed_for_a_while_and_a_pass_for_good():
    """A repaired index would need a restart, or every question would ask the catalogue first."""
    now = [0.0]
    verdicts = Verdicts(lambda: now[0])
    assert not verdicts.is_due(RELATION)
    verdicts.expect([RELATION])
    assert verdicts.is_due(RELATION)
    verdicts.hold(RELATION, NOT_INDEXED)
    assert not verdicts.is_due(RELATION)
    with pytest.raises(NotSearchable):
        verdicts.refuse(RELATION)
    now[0] = BELIEVED
    assert verdicts.is_due(RELATION)
    verdicts.put_off(RELATION)
    assert not verdicts.is_due(RELATION)
    now[0] = 2 * BELIEVED
    assert verdicts.is_due(RELATION)
    verdicts.hold(RELATION, None)
    verdicts.refuse(RELATION)
    now[0] = 9 * BELIEVED
    assert not verdicts.is_due(RELATION)


def learned(shop, relation, role: str = "shop_reader", **given) -> Hits | Failed:
    provider = shop.reading(role)

    async def go():
        try:
            await provider.inspector.learn([relation])
            return await provider.run(query(relation, optional=("word",), **given))
        finally:
            await provider.close()

    return asyncio.run(go())


@pytest.fixture
def stocked(shop):
    """A relation that works, with its index's name."""
    relation = shop.stock([record("a", "word")])
    (index,) = shop.run(
        "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = %s::regclass",
        [f"shelf.{relation.table}"],
    ).fetchone()
    return relation, index


def test_an_indexed_relation_is_searched(shop, stocked):
    """A healthy source would be refused."""
    assert len(learned(shop, stocked[0])) == 1


@pytest.mark.req("E117")
def test_a_column_without_its_index(shop, stocked):
    """Every question would read every row, and nobody would be told why it is slow."""
    relation, index = stocked
    shop.run(f"DROP INDEX {index}")
    assert learned(shop, relation) == Failed(code=NOT_INDEXED)
    assert learned(shop, replace(relation, vector="name")) == Failed(code=NOT_INDEXED)


@pytest.mark.req("E118")
@pytest.mark.parametrize(
    "spoil",
    [
        "DROP INDEX {index}; CREATE INDEX ON shelf.{table} (lexemes)",
        "DROP INDEX {index}; CREATE INDEX ON shelf.{table} USING gin (lexemes) WHERE sold",
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{index}'::regclass",
    ],
)
def test_an_index_that_cannot_serve(shop, stocked, spoil):
    """A half-built or mistaken index would look like a good one until somebody asks."""
    relation, index = stocked
    shop.run(spoil.format(index=index, table=relation.table))
    assert learned(shop, relation) == Failed(code=UNAVAILABLE)


@pytest.mark.req("E118")
def test_a_configuration_that_is_not_there(shop, stocked):
    """A language would be missed by the first caller instead of at the start."""
    relation = replace(stocked[0], language="klingon")
    assert learned(shop, relation) == Failed(code=UNAVAILABLE)


def test_views_and_partitions_are_judged_by_what_holds_their_rows(shop, stocked):
    """Who hides columns behind a view, or splits a table by month, could not search at all."""
    relation, index = stocked
    view = shop.view(f"SELECT * FROM shelf.{relation.table}")
    over = shop.view(f"SELECT * FROM shelf.{view.table}")
    assert len(learned(shop, over)) == 1
    shop.run("DROP TABLE IF EXISTS shelf.months")
    columns = "id text, name text, body text, written timestamptz, lexemes tsvector"
    shop.run(f"CREATE TABLE shelf.months ({columns}) PARTITION BY LIST (id)")
    shop.run("CREATE TABLE shelf.may PARTITION OF shelf.months FOR VALUES IN ('a')")
    shop.run("CREATE TABLE shelf.june PARTITION OF shelf.months FOR VALUES IN ('b')")
    shop.run("CREATE INDEX ON shelf.may USING gin (lexemes)")
    months = shop.offer("months")
    assert learned(shop, months) == Failed(code=NOT_INDEXED)
    shop.run("CREATE INDEX ON shelf.june USING gin (lexemes)")
    assert learned(shop, months) == Hits.of([], capped=False)
    shop.run(f"DROP INDEX {index}")
    assert learned(shop, over) == Failed(code=NOT_INDEXED)


def test_a_refused_search_sends_nothing_and_is_looked_at_again(shop, stocked, monkeypatch):
    """A refusal would cost a connection, or last until somebody restarts the service."""
    relation, index = stocked
    shop.run(f"DROP INDEX {index}")
    provider = shop.reading("shop_reader")
    now = [0.0]
    provider.inspector._verdicts = Verdicts(lambda: now[0])
    taken = []
    real = provider._connections.take

    async def take(seconds):
        taken.append(seconds)
        return await real(seconds)

    monkeypatch.setattr(provider._connections, "take", take)

    async def go():
        ask = query(relation, optional=("word",))
        await provider.inspector.learn([relation])
        first = [await provider.run(ask) for _ in range(5)]
        before = len(taken)
        shop.run(f"CREATE INDEX ON shelf.{relation.table} USING gin (lexemes)")
        now[0] = BELIEVED
        later = await provider.run(ask)
        await provider.close()
        return first, before, later

    first, before, later = asyncio.run(go())
    assert first == [Failed(code=NOT_INDEXED)] * 5
    assert before == 1  # the question to the catalogue
    assert len(later) == 1


def test_a_server_that_was_away_is_asked_by_the_first_search(shop, stocked):
    """What was down when the house opened would be searched unexamined for ever after."""
    relation, index = stocked
    shop.run(f"DROP INDEX {index}")
    away = [True]
    provider = PostgresProvider(lambda: "" if away[0] else shop.database.as_user("shop_reader"))

    async def go():
        await provider.inspector.learn([relation])
        ask = query(relation, optional=("word",))
        first = await provider.run(ask)
        away[0] = False
        second = await provider.run(ask)
        await provider.close()
        return first, second

    first, second = asyncio.run(go())
    assert first == Failed(code=FailureCode.SECRET_UNRESOLVED)
    assert second == Failed(code=NOT_INDEXED)


def test_what_the_engine_refuses_itself_is_left_to_it(shop, stocked):
    """A missing relation or right would hide behind a word about indexes."""
    gone = replace(stocked[0], table="nowhere")
    assert learned(shop, gone) == Failed(code=FailureCode.RELATION_NOT_FOUND)
    missing = replace(stocked[0], vector="nowhere")
    assert learned(shop, missing) == Failed(code=FailureCode.RELATION_NOT_FOUND)
