"""What is asked to tell hidden from gone: who can see that it was asked, and how it stays quick."""

import asyncio
import time
from dataclasses import replace

import pytest
from psycopg import sql

from esra.domain.source import Limits, RowRule
from eval import record
from eval.misses.known import write
from eval.record import CALLER, Question
from eval.recording.as_of import as_of
from eval.recording.looked import looked
from eval.runfolder import TRACES
from tests.misses.shelf import (
    ASKED,
    READER,
    SCHEMA,
    Memory,
    Postgres,
    Scene,
    doc,
    housed,
    play,
)

TEAM = RowRule(column="colour", claim="team")


@pytest.fixture(scope="module")
def postgres(database):
    made = Postgres(database)
    yield made
    made.owner.close()


@pytest.mark.req("W57")
def test_two_callers_are_told_of_their_own_hidden_documents_alone(tmp_path):
    """One team's recording would tell which documents another team has."""
    memory = Memory()
    stock = [doc(f"{colour}{n}", "a wing", colour) for colour in ("red", "blue") for n in range(4)]
    scene = Scene(
        relation=memory.stock([*stock, doc("unlabelled", "a wing", "blue")]),
        source={"limits": Limits(rows=2)},
        mapping={"record_filter": ((TEAM,),)},
    )
    question = Question(id="q", text=scene.question)
    judged = {"q": {("news", one.key): 1 for one in stock}}

    async def go(team):
        house, caller = housed(memory, scene), replace(CALLER, claims=(("team", (team,)),))
        folder = tmp_path / team
        await record.record([question], ASKED, house, folder / TRACES, caller=caller)
        known = await looked(house, ASKED, [question], folder, judged, caller=caller)
        write(folder, known)
        return known, house.audit.records

    for team, other in (("red", "blue"), ("blue", "red")):
        known, audit = asyncio.run(go(team))
        assert known.hidden == {("news", f"{other}{n}") for n in range(4)}
        assert all(key.startswith(team) for _, key in known.matched["q"])
        kept = "".join(file.read_text("utf-8") for file in (tmp_path / team).iterdir())
        assert "unlabelled" not in kept
        assert "a wing" not in kept
        # What was asked without the filter stands in the audit as that, and once.
        asked = [row["configuration"] for row in audit if "configuration" in row]
        assert [one.endswith("without record filter") for one in asked].count(True) == 1


@pytest.mark.req("W57")
def test_of_a_hidden_document_no_date_is_told(tmp_path):
    """A caller could ask from day to day when a document was written that he may not see."""
    memory, late = Memory(), 86_400.0
    stock = [replace(doc(colour, "a wing", colour), timestamp=late) for colour in ("red", "blue")]
    scene = Scene(relation=memory.stock(stock), mapping={"record_filter": ((TEAM,),)})
    question = Question(id="q", text=scene.question, now=late / 2)
    judged = {"q": {("news", one.key): 1 for one in stock}}
    caller = replace(CALLER, claims=(("team", ("red",)),))

    async def go():
        house = housed(memory, scene)
        await record.record(
            [question], ASKED, house, tmp_path / TRACES, caller=caller, around=as_of
        )
        return await looked(house, ASKED, [question], tmp_path, judged, as_of=True, caller=caller)

    known = asyncio.run(go())
    assert known.hidden == {("news", "blue")}
    assert known.later == {"q": {("news", "red")}}


@pytest.mark.req("W57")
def test_an_index_over_the_key_as_text_serves_any_key(postgres):
    """A table of millions of rows would be read from end to end for every thousand keys, run out of
    time, and be told as one that could not say."""
    relation = postgres.stock([doc(str(n), "a wing") for n in range(200)])
    table = f"{SCHEMA}.{relation.table}"
    postgres.run(f"ALTER TABLE {table} ALTER COLUMN id TYPE bigint USING id::bigint")
    postgres.run(f'CREATE INDEX {relation.table}_key ON {table} ((id::text COLLATE "C"))')
    postgres.run(f"ANALYZE {table}")
    role = sql.Identifier(READER)
    # So few rows are read whole otherwise.
    postgres.owner.execute(sql.SQL("ALTER ROLE {} SET enable_seqscan = off").format(role))
    try:
        _, known = play(postgres, Scene(relation=relation), "7", "07", "1000")
    finally:
        postgres.owner.execute(sql.SQL("ALTER ROLE {} RESET enable_seqscan").format(role))
    assert known.absent == {("news", "07"), ("news", "1000")}
    assert scans(postgres, relation.table)


def scans(postgres, table):
    """How often the server read the index by the key; it counts when a connection ends."""
    ask = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = %s"
    for _ in range(100):
        (found,) = postgres.run(ask, [f"{table}_key"]).fetchone()
        if found:
            break
        time.sleep(0.05)
    return found
