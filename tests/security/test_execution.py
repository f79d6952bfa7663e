"""Hostile contents on a real server, as a role that could write: nothing there changes.

ESRA_LONG=1 executes 5,000 of them; otherwise 500.
"""

import asyncio
import os
import random
from collections import Counter
from contextlib import nullcontext

import psycopg
import pytest

from esra._stamp import stamp
from esra.domain.codes import FailureCode
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.domain.plan import Value
from esra.domain.source import FieldType
from esra.providers.postgres import fixed
from esra.providers.postgres.render import render
from esra.sealed import QueryContent
from tests.providers.hostile import KNOWN
from tests.providers.queries import record
from tests.security.ground import WRITER
from tests.security.parsed import as_sent, objections
from tests.security.shapes import CELLS, shapes
from tests.security.texts import Texts
from tests.security.witness import LEFT_BEHIND, NOTHING, ServerLog, Sessions, state

COUNT = 5_000 if os.environ.get("ESRA_LONG") == "1" else 500
PART = 100  # as many are run before the log is read, which the server bounds
FRAME = (fixed.BEGIN, fixed.SETTINGS, fixed.COMMIT, fixed.FORGET)
ALLOWED = {as_sent(made.as_string(None)) for made in FRAME} | {LEFT_BEHIND, "ROLLBACK"}
# What a validator lets through at most; above it nothing reaches an engine (RULINGS 16).
MOST_BYTES = 4_096


def fits(text: str) -> bool:
    return "\0" not in text and not any(0xD800 <= ord(char) <= 0xDFFF for char in text)


def certain(asked: QueryContent) -> bool:
    """Whether the server has to answer, whatever the values say."""
    tests = (*asked.filters, *(one for group in asked.visible for one in group))
    return all(_taken(value, FieldType(one.type)) for one in tests for value in one.values)


def _taken(value: Value, kind: FieldType) -> bool:
    match kind:
        case FieldType.TEXT:
            return isinstance(value, str) and fits(value)
        case FieldType.BOOLEAN:
            return isinstance(value, bool)
        case FieldType.NUMBER:
            return not isinstance(value, str)
    return not isinstance(value, str) and abs(value) < 2e11


def contents(count: int, shared, relation) -> list[QueryContent]:
    """``count`` that the server has to answer, and an eighth more as they come; every cell alike.

    All within the bounds of text.
    """
    every: list[QueryContent] = []
    for number, cell in enumerate(CELLS, 1):
        dice = random.Random(f"execution {cell}")
        texts = Texts(f"execution {cell} texts", shared)
        forms = list(shapes(*cell))
        while len(every) < 9 / 8 * count * number / len(CELLS):
            asked = dice.choice(forms).hostile(dice, texts, relation)
            terms = (*asked.required, *asked.optional, *asked.excluded, *asked.phrases)
            size = sum(len(text.encode("utf-8", "replace")) for text in terms)
            if size <= MOST_BYTES and (len(every) % 9 == 0 or certain(asked)):
                every.append(asked)
    return every


@pytest.fixture(scope="module")
def relation(ground):
    """Rows that hold hostile text themselves, in a table that the role could write."""
    texts = [text for text in KNOWN if fits(text)]
    made = ground.stock(
        record(
            f"k{n} {text}",
            f"word {text}",
            title=text,
            colour="red" if n % 2 else text,
            price=1 if n % 3 else n,
            sold=n % 4 > 0,
            seen=float(n % 2),
        )
        for n, text in enumerate(texts * 3)
    )
    ground.decoy()
    return made


async def run_all(ground, every, sessions, log):
    provider = ground.reading(WRITER)
    sessions.watch(provider, lambda: ground.database.as_user(WRITER), most=2)
    answers, logged = [], Counter()
    for start in range(0, len(every), PART):
        running = (provider.run(stamp(asked)) for asked in every[start : start + PART])
        answers += await asyncio.gather(*running)
        await provider.close()
        logged.update(log.taken())
    return answers, logged


@pytest.mark.req("E011", "E096", "E101")
def test_nothing_that_is_asked_changes_anything(ground, relation, hostile, capsys):
    """A question would write to the database that it searches."""
    every = contents(COUNT, hostile, relation)
    log, sessions = ServerLog(ground.run, WRITER), Sessions()
    before = state(ground.run)
    log.taken()
    answers, logged = asyncio.run(run_all(ground, every, sessions, log))
    assert state(ground.run) == before
    assert sessions.seen == {NOTHING}

    texts = {as_sent(render(asked).text.as_string(None)) for asked in every}
    assert set(logged) <= texts | ALLOWED
    assert {why for text in set(logged) & texts for why in objections(text, relation)} == set()
    # The log is whole: each command that was answered stands in it once.
    ran = sum(isinstance(answer, Hits) for answer in answers)
    assert sum(logged[text] for text in texts) == ran >= COUNT

    for asked, answer in zip(every, answers, strict=True):
        refused = answer == Failed(code=FailureCode.SYNTAX_ERROR)
        assert isinstance(answer, Hits) or (refused and not certain(asked)), asked
    found = sum(len(answer) for answer in answers if isinstance(answer, Hits))
    assert found > COUNT / 2  # else it would be about commands that match nothing
    with capsys.disabled() if COUNT > 500 else nullcontext():
        print(f"\n{ran} executed, {len(every) - ran} refused, {len(texts)} texts, {found} rows")


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        ("INSERT INTO decoy.ledger (line) VALUES ('x')", "decoy.ledger"),
        ("SELECT nextval('decoy.ledger_id_seq')", "decoy.ledger_id_seq"),
        ("CREATE TABLE decoy.mine (x int)", "decoy.mine"),
        ("CREATE FUNCTION decoy.f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "function"),
        ("SELECT lo_put(424242, 0, 'other')", "large object"),
        ("SELECT lo_create(0)", "large object"),
        ("SELECT pg_advisory_lock(1)", "advisory lock"),
    ],
)
def test_a_planted_change_is_seen(ground, relation, statement, changed):
    """The sums and the log would be the same whatever happened."""
    ground.decoy()
    log = ServerLog(ground.run, WRITER)
    before = state(ground.run)
    log.taken()
    with psycopg.connect(ground.database.as_user(WRITER), autocommit=True) as connection:
        connection.execute(statement)
        after = state(ground.run)
    assert before.get(changed) != after[changed]
    assert statement in log.taken()
    assert objections(statement, relation)


@pytest.mark.parametrize(
    "statement",
    [
        "LISTEN x",
        "SELECT pg_advisory_lock(1)",
        "SET work_mem = '8MB'",
        "CREATE TEMP TABLE t (x int)",
    ],
)
def test_a_planted_trace_in_a_session_is_seen(ground, relation, statement):
    """A connection would hand something of one caller to the next, unseen."""
    with psycopg.connect(ground.database.as_user(WRITER), autocommit=True) as connection:
        assert connection.execute(LEFT_BEHIND).fetchone() == NOTHING
        connection.execute(statement)
        assert connection.execute(LEFT_BEHIND).fetchone() != NOTHING
