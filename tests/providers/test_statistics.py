"""Gathering the words of a source: what is read, what is kept, what is refused and why."""

import asyncio
import json
import os
import stat
from dataclasses import replace

import pytest

from esra.domain.codes import FailureCode
from esra.domain.outcome import Failed
from esra.domain.source import Mapping, RowRule, Source
from esra.providers import statistics as room
from esra.providers.memory import MemoryProvider
from esra.providers.postgres import PostgresProvider
from esra.providers.statistics import KEPT, StatisticsFiles, gather
from esra.sources.evidence import Statistics
from tests.providers.asking import TREES
from tests.providers.hostile import KNOWN
from tests.providers.queries import RELATION, record

NOW = 1_000_000_000.0


def source_of(*relations, provider: str = "main", id: str = "trees") -> Source:
    mappings = (
        Mapping(id=f"m{n}", name="M", description="", relation=relation)
        for n, relation in enumerate(relations)
    )
    return Source(id=id, name="Trees", provider=provider, mappings=tuple(mappings))


@pytest.fixture
def files(tmp_path):
    return StatisticsFiles(tmp_path / "kept", version="v1")


def gathered(provider, files, *relations, now: float = NOW, **more):
    made = gather([source_of(*relations)], {"main": provider}, files, now, **more)
    return asyncio.run(made)


def sampled(provider, relation, rows: int = 100, widest: int = 100, seconds: float = 5.0):
    return asyncio.run(provider.sample(relation, rows=rows, widest=widest, seconds=seconds))


class Counting:
    """An engine that counts how often it is read."""

    def __init__(self, texts=("oak leaf", "oak")) -> None:
        self.texts, self.reads = texts, 0

    async def sample(self, relation, *, rows, widest, seconds):
        self.reads += 1
        return self.texts


def test_a_relation_s_words_are_gathered_from_the_server(shop, files):
    """Evidence would rest on other words than the source holds."""
    found = gathered(
        shop.provider, files, shop.stock([record("a", "red brick"), record("b", "red")])
    )
    assert found.refused == {}
    assert found.statistics == {
        "trees": Statistics(records=2, running=3, counts={"red": 2, "brick": 1})
    }


def test_every_engine_chooses_the_same_rows(shop):
    """A source moved to another engine would weigh differently, and so would a reloaded one."""
    records = [record(f"key {n}", f"text {n}", title=f"title {n}") for n in range(50)]
    records += [record(text, "odd key") for text in ("\u00e9t\u00e9", "%s", "'", "\u6f22")]
    memory = MemoryProvider({"docs": records})
    few = sampled(memory, RELATION, rows=7)
    assert len(few) == 7
    assert sampled(shop.provider, shop.stock(records), rows=7) == few
    assert sampled(shop.provider, shop.stock(reversed(records)), rows=7) == few


@pytest.mark.parametrize("widest", [1, 3, 100])
def test_a_long_record_is_read_in_part(shop, widest: int):
    """One enormous document would fill the memory at every start."""
    title, text = "\u00e9toile", "broad leaves"
    records = [record("a", text, title=title)]
    expected = ("\n".join((title[:widest], text[:widest])),)
    assert sampled(shop.provider, shop.stock(records), widest=widest) == expected
    assert sampled(MemoryProvider({"docs": records}), RELATION, widest=widest) == expected


def test_rows_without_title_text_or_key_break_nothing(shop, files):
    """A NULL in a user's own table would leave the source without evidence."""
    relation = shop.view(
        "SELECT * FROM (VALUES ('a', NULL, 'oak'), ('b', 'elm', NULL), (NULL, 'ash', 'ash'))"
        " AS v (id, name, body)"
    )
    counts = gathered(shop.provider, files, relation).statistics["trees"].counts
    assert counts == {"oak": 1, "elm": 1}


def test_the_relations_of_a_source_are_counted_together_and_each_once(shop, files):
    """A source searched through two mappings of one table would count it twice."""
    one, two = shop.stock([record("a", "oak")]), shop.stock([record("b", "oak elm")])
    found = gathered(shop.provider, files, one, two, one)
    assert found.statistics["trees"].counts == {"oak": 2, "elm": 1}


@pytest.mark.req("W80")
def test_a_source_that_hides_rows_is_not_counted(shop, files):
    """How often a word stands in hidden rows would be told by the weight of their source."""
    relation = shop.stock([record("a", "oak")])
    open_one, other = source_of(relation, id="open"), source_of(relation, relation, id="hiding")
    rules = ((RowRule(column="colour", claim="tenant"),),)
    hiding = replace(
        other, mappings=(other.mappings[0], replace(other.mappings[1], record_filter=rules))
    )
    found = asyncio.run(gather([hiding, open_one], {"main": shop.provider}, files, NOW))
    assert (set(found.statistics), found.refused) == ({"open"}, {})


def test_what_cannot_be_read_is_refused_with_its_code_and_the_rest_stays(shop, files):
    """One broken source would keep the service from starting."""
    good = source_of(shop.stock([record("a", "oak")]), id="good")
    half = source_of(shop.stock(TREES), replace(RELATION, table="gone"), id="half")
    found = asyncio.run(gather([good, half], {"main": shop.provider}, files, NOW))
    assert set(found.statistics) == {"good"}
    assert found.refused == {"half": FailureCode.RELATION_NOT_FOUND}


def test_a_relation_that_takes_too_long_is_refused(shop, files):
    """A huge or slow relation would stall a command for ever."""
    slow = shop.view("SELECT 'a' AS id, 'oak' AS name, 'b' || pg_sleep(20)::text AS body")
    found = gathered(shop.provider, files, slow, seconds=0.3)
    assert found.refused == {"trees": FailureCode.TIMEOUT}


def test_an_engine_that_never_answers_is_given_up(files, monkeypatch):
    """A server that swallows packets would stall a command for ever."""

    class Silent:
        async def sample(self, relation, *, rows, widest, seconds):
            await asyncio.sleep(60)

    monkeypatch.setattr(room, "GRACE", 0.05)
    found = gathered(Silent(), files, RELATION, seconds=0.05)
    assert found.refused == {"trees": FailureCode.TIMEOUT}


@pytest.mark.parametrize(
    ("address", "code"),
    [
        (lambda: "postgresql://nobody@127.0.0.1:1/x", FailureCode.CONNECTION_REFUSED),
        (lambda: "", FailureCode.SECRET_UNRESOLVED),
    ],
)
def test_an_engine_that_cannot_be_reached_is_refused(address, code, files):
    """A server that is down would end the start with a driver's exception."""
    assert gathered(PostgresProvider(address), files, RELATION).refused == {"trees": code}


def test_a_large_table_is_read_in_part_and_a_view_of_it_whole(shop):
    """A table of millions would be hashed row by row, or its statistics change at every start."""
    relation = shop.stock([record(f"k{n}", f"text {n}") for n in range(3000)])
    part = sampled(shop.provider, relation, rows=20)
    assert part == sampled(shop.provider, relation, rows=20)
    assert len(part) == 20
    whole = sampled(shop.provider, shop.view(f"SELECT * FROM shelf.{relation.table}"), rows=20)
    assert len(whole) == 20
    # Made from a part of the pages, so that some of the whole choice lies outside.
    assert set(part) != set(whole)


# What the catalog lets through as an identifier.
NAMES = [
    text
    for text in KNOWN
    if 1 <= len(text.encode("utf-8", "replace")) <= 63
    and not any(char < " " or "\ud800" <= char <= "\udfff" for char in text)
]


@pytest.mark.parametrize("name", NAMES)
def test_a_configured_name_is_quoted_whatever_it_is(shop, name: str):
    """A table called as an injection would run as one."""
    hostile = {"schema": name, "table": name, "key": name, "title": name, "text": name}
    answer = sampled(shop.provider, replace(RELATION, **hostile))
    assert answer == Failed(code=FailureCode.RELATION_NOT_FOUND)


def test_a_kept_file_spares_the_reading(files):
    """Every one-shot command would read every source first."""
    engine = Counting()
    first = gathered(engine, files, RELATION)
    again = gathered(engine, files, RELATION, now=NOW + KEPT)
    assert engine.reads == 1
    assert again == first


@pytest.mark.parametrize(
    "now", [NOW + KEPT + 1, NOW - 1], ids=["older than a day", "from tomorrow"]
)
def test_statistics_that_are_too_old_are_gathered_again(files, now: float):
    """Words of documents long gone would go on weighing sources."""
    engine = Counting()
    gathered(engine, files, RELATION)
    gathered(engine, files, RELATION, now=now)
    assert engine.reads == 2


def test_another_catalog_or_relation_finds_nothing_of_this_one(tmp_path):
    """After an edit a source would be weighed by the words of another table."""
    engine = Counting()
    gathered(engine, StatisticsFiles(tmp_path, version="v1"), RELATION)
    gathered(engine, StatisticsFiles(tmp_path, version="v2"), RELATION)
    gathered(engine, StatisticsFiles(tmp_path, version="v1"), replace(RELATION, text="other"))
    assert engine.reads == 3


BROKEN = [
    b"",
    b"{",
    b"\xff",
    b"[]",
    b"null",
    b"[" * 100_000,
    b'{"gathered": 1000000000.0}',
    b'{"gathered": NaN, "records": 1, "running": 1, "counts": {}}',
    b'{"gathered": 1000000000.0, "records": 1, "running": 1, "counts": []}',
    b'{"gathered": 1000000000.0, "records": 1, "running": 1, "counts": {"oak": 2}}',
    b'{"gathered": 1000000000.0, "records": 1, "running": 1, "counts": {"oak": -1}}',
    b'{"gathered": 1000000000.0, "records": 1, "running": Infinity, "counts": {"oak": 1}}',
]


@pytest.mark.parametrize("content", BROKEN)
def test_a_broken_file_is_gathered_again(files, tmp_path, content: bytes):
    """A torn file would end every start until somebody deletes it."""
    engine = Counting()
    first = gathered(engine, files, RELATION)
    (kept,) = (tmp_path / "kept").iterdir()
    kept.write_bytes(content)
    assert gathered(engine, files, RELATION) == first
    assert engine.reads == 2
    assert json.loads(kept.read_text())["counts"] == {"oak": 2, "leaf": 1}


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path):
    """A read-only disk would keep the service from starting."""
    (tmp_path / "file").write_text("in the way")
    found = gathered(Counting(), StatisticsFiles(tmp_path / "file", version="v1"), RELATION)
    assert found.statistics["trees"].counts == {"oak": 2, "leaf": 1}


def test_kept_words_are_their_owner_s_alone(files, tmp_path):
    """Another user of the machine could read which words a private source holds."""
    gathered(Counting(), files, RELATION)
    (kept,) = (tmp_path / "kept").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o700


def test_files_nobody_will_read_again_are_removed_and_no_other(files, tmp_path):
    """Every edit of a catalog would leave its words on the disk for ever."""
    gathered(Counting(), files, RELATION)
    folder = tmp_path / "kept"
    (old,) = folder.iterdir()
    (folder / "mine.txt").write_text("not ours")
    for path in folder.iterdir():
        os.utime(path, (NOW, NOW))
    later = NOW + KEPT + 1
    gathered(Counting(), files, replace(RELATION, table="other"), now=later)
    assert not old.exists()
    assert (folder / "mine.txt").exists()
