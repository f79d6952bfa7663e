"""What a crash leaves of a recording's file is gone on with; what may not be kept is not."""

import asyncio
import json
import sqlite3
from contextlib import closing

import pytest

from eval import record
from tests.full import no_more_than
from tests.recording.commands import over
from tests.recording.test_recording import Priced, recorded, traces


def file_of(folder):
    return folder / "traces.jsonl"


@pytest.mark.parametrize(("cut", "left"), [(1, 6), (2, 5), (40, 5)])
def test_a_line_that_was_torn_costs_itself_and_no_other(tmp_path, cut, left):
    """The line after a torn one would be glued to it, and a whole answer be lost with it."""
    recorded(tmp_path, Priced())
    whole = traces(tmp_path)
    data = file_of(tmp_path).read_bytes()
    file_of(tmp_path).write_bytes(data[:-cut])
    # Without its line end alone, the last line still says everything.
    assert len(traces(tmp_path)) == left
    model = Priced()
    went = recorded(tmp_path, model)
    assert (model.seen, went.partial) == ([], False)
    after = traces(tmp_path)
    assert after.keys() == whole.keys()
    assert {query: one["ranking"] for query, one in after.items()} == {
        query: one["ranking"] for query, one in whole.items()
    }
    good = [line for line in file_of(tmp_path).read_bytes().split(b"\n") if usable(line)]
    assert len(good) == 6, "a trace stands there twice"


def test_a_full_disk_is_named_and_costs_no_trace(tmp_path):
    """Whoever makes room would not know where, or would find the recording beyond repair."""
    model = Priced()
    with no_more_than(10_000), pytest.raises(OSError, match="too large") as caught:
        recorded(tmp_path, model, answers=False)
    assert caught.value.filename == str(file_of(tmp_path))
    there = traces(tmp_path)
    assert 0 < len(there) < 6
    went = recorded(tmp_path, Priced(), answers=False)
    assert (went.partial, len(traces(tmp_path))) == (False, 6)
    assert {query: traces(tmp_path)[query] for query in there} == there


def usable(line):
    try:
        return "trace" in json.loads(line)
    except ValueError:
        return False


def test_two_at_once_in_one_folder_pay_once(tmp_path):
    """A second command, started by mistake, would ask the model everything again."""
    first, second = Priced(), Priced()

    async def both():
        one = asyncio.to_thread(recorded, tmp_path, first)
        await asyncio.gather(one, asyncio.to_thread(recorded, tmp_path, second))

    asyncio.run(both())
    assert len(first.seen) + len(second.seen) == 6 * 4
    assert len(file_of(tmp_path).read_bytes().splitlines()) == 6
    assert len(dict(record.lines(file_of(tmp_path)))) == 6


def kept(home):
    path = home / "cache" / "answers.sqlite"
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM answers").fetchone()[0]


@pytest.mark.req("W73")
@pytest.mark.parametrize(
    ("retention", "keeps"), [("keyed_hash", True), ("redacted", False), ("none", False)]
)
def test_answers_are_kept_only_where_retention_allows(place, tmp_path, retention, keeps):
    """A planned query holds the words of its question: they would lie in a cache for good."""
    home, server = place[0], place[3]
    before = kept(home)
    server.asked.clear()
    # A shortlist of its own, so that no answer is kept from another test.
    size = {"keyed_hash": "11", "redacted": "12", "none": "13"}[retention]
    words = ("--rerank", "model", "--shortlist", size, "--retention", retention)
    over(place, *words, "--out", tmp_path / "one")
    assert len(server.asked) == 6
    assert kept(home) - before == (6 if keeps else 0)
    over(place, *words, "--out", tmp_path / "two")
    assert len(server.asked) == (6 if keeps else 12)
    texts = [
        json.loads(line)["text"].encode()
        for line in (home / "words" / "queries.jsonl").read_text("utf-8").splitlines()
    ]
    for folder in (tmp_path, home / "cache", home / "audit"):
        for file in folder.rglob("*"):
            held = file.read_bytes() if file.is_file() else b""
            assert not any(text in held for text in texts), file
