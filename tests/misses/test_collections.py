"""The table over two public collections beside a second opinion that shares no code with it.

The second opinion splits words by a rule of its own and asks the server for lexemes itself. Short
form: 20 questions; ``ESRA_LONG=1``: all 255, and every one of their misses.
"""

import json
import os
import re
from collections import Counter

import psycopg
import pytest
from psycopg import sql

from tests.recording.commands import READER, run
from tests.schemas import role

LONG = os.environ.get("ESRA_LONG") == "1"
FEW = () if LONG else ("--queries", "20")
NAMES = ("cranfield", "medline")
LEXEMES = "SELECT array_agg(lexeme) FROM unnest(to_tsvector('english', %s))"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, database, shared):
    home = tmp_path_factory.mktemp("home")
    with psycopg.connect(database.url, autocommit=True) as owner:
        role(owner, READER)
    folders = [shared / "data" / name for name in NAMES]
    words = ("record", "--name", "papers", "--data", *folders, "--rerank", "none", *FEW)
    run(home, database.url, *words, "--out", home / "run")
    (arm,) = run(home, database.url, "measure", home / "run")[0]["arms"]
    texts = {}
    for folder in folders:
        for line in (folder / "queries.jsonl").read_text("utf-8").splitlines():
            query = json.loads(line)
            texts[folder.name, query["_id"]] = query["text"]
    return home / "run", arm["misses"], texts


@pytest.mark.req("W57")
def test_a_second_opinion_finds_the_same_causes(recorded, database):
    """A cause would be a matter of opinion."""
    folder, misses, texts = recorded
    labels = json.loads((folder / "labels.json").read_text("utf-8"))["judgements"]
    lines = (folder / "traces.jsonl").read_text("utf-8").splitlines()
    traces = {row["query"]: row["trace"] for row in map(json.loads, lines)}
    found = Counter()
    with psycopg.connect(database.url) as server:
        for query, rows in labels.items():
            asked = lexemes(server, text_of(query, texts))
            found.update(
                opinion(server, traces[query], asked, source, key)
                for source, key, grade in rows
                if grade > 0
            )
    shown = found.pop("shown")
    assert (shown, shown + sum(found.values())) == (misses["shown"], misses["right"])
    assert found == {row["cause"]: row["lost"] for row in misses["causes"]}
    assert set(found) == {"no term matched", "matched below the row cap", "ranked below k"}


def text_of(query, texts):
    """Ids that two collections have alike stand behind the collection's name."""
    name, slash, id = query.partition("/")
    if slash:
        return texts[name, id]
    return next(text for (_, own), text in texts.items() if own == query)


def opinion(server, trace, asked, source, key):
    order = [(row[0], row[2]) for row in trace["ranking"]]
    if (source, key) in order:
        return "shown" if order.index((source, key)) < 10 else "ranked below k"
    table = sql.Identifier("esra_papers", source)
    row = server.execute(
        sql.SQL("SELECT title || ' ' || text FROM {} WHERE key = %s").format(table), [key]
    ).fetchone()
    if not asked & lexemes(server, row[0]):
        return "no term matched"
    capped = any(one["capped"] for one in trace["answers"] if one["source"] == source)
    return "matched below the row cap" if capped else "matched, and yet not there"


def lexemes(server, text):
    plain = re.sub("[^a-z0-9]+", " ", text.lower())
    return set(server.execute(LEXEMES, [plain]).fetchone()[0] or ())
