"""A recording that is killed: what is resumed, what is lost, and what is paid twice.

Short form 4 kills at random moments, ``ESRA_LONG=1`` 20. The model is an endpoint on loopback that
counts its requests, so what was paid is known from the other side of the wire.
"""

import asyncio
import hashlib
import hmac
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from eval import record
from tests.llm.double import Asked, completion, running, wise
from tests.recording import library

KILLS = 20 if os.environ.get("ESRA_LONG") else 4
ROOT = Path(__file__).resolve().parents[2]
# Two questions at a time, and a plan asks for both sources at once.
UNDER_WAY = library.PARALLEL * len(library.SOURCES)


def slowly(line, asked: Asked) -> None:
    time.sleep(0.01)
    line.answer(completion(wise(asked)))


def key_of(asked: Asked, identities: dict[str, str]) -> bytes:
    """The key under which the answer is kept, worked out from what came over the wire."""
    data = asked.data
    for place, candidate in enumerate(data["candidates"] if asked.step == "rerank" else ()):
        candidate["resultId"] = place
    told = json.dumps([identities[asked.step], asked.step, 0, data], sort_keys=True)
    return hmac.new(library.SECRET, told.encode(), hashlib.sha256).digest()


def is_whole(asked: Asked) -> bool:
    """Whether the request arrived to its end: one that was cut off by the kill asked nothing."""
    return len(asked.body) == int(asked.headers["content-length"])


def kept(folder: Path) -> set[bytes]:
    path = folder / "answers.sqlite"
    if not path.exists():
        return set()
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
        return (
            {key for (key,) in connection.execute("SELECT key FROM answers")} if tables else set()
        )


def told(folder: Path) -> list[tuple[str, dict]]:
    """The traces without what differs between two recordings of the same: id and seconds."""
    found = []
    for line in (folder / "traces.jsonl").read_text("utf-8").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue  # cut off by a kill
        trace = row["trace"]
        del trace["invocation"]
        for one in (*trace["answers"], *(call["usage"] for call in trace["calls"])):
            one["seconds"] = 0.0
        found.append((row["query"], trace))
    return sorted(found, key=lambda one: one[0])


def test_a_killed_recording_goes_on_and_pays_for_nothing_twice(tmp_path):
    """Whoever's machine goes down in the middle of the night would pay the model again."""
    r = random.Random(KILLS)
    with running() as server:
        server.behaviours = dict.fromkeys(("select", "plan", "rerank"), slowly)
        whole = tmp_path / "whole"
        asyncio.run(library.record_into(whole, server.url))
        once, server.asked = list(server.asked), []
        model = library.language_model(server.url)
        identities = {
            "select": model.selector.identity,
            "plan": model.planner.identity,
            "rerank": model.reranker.identity,
        }
        folder, before, lost, ends = tmp_path / "killed", set(), [], []
        command = [sys.executable, "-m", "tests.recording.library", server.url, str(folder)]
        for number in range(KILLS + 1):
            last = number == KILLS
            child = subprocess.Popen(command, cwd=ROOT)
            _wait_for_requests(server, r.randint(1, len(once) // (KILLS + 1)), child, last)
            if not last:
                time.sleep(r.uniform(0, 0.02))
                child.send_signal(signal.SIGKILL)
            ends.append(child.wait())
            _let_arrive(server)
            asked, server.asked = [one for one in server.asked if is_whole(one)], []
            keys = [key_of(one, identities) for one in asked]
            assert not before & set(keys), "an answer that was kept is paid for again"
            after = kept(folder)
            lost.append(len(keys) - len(after - before))
            before = after
    assert ends == [-signal.SIGKILL] * KILLS + [0], "a child was done before it was killed"
    assert max(lost) <= UNDER_WAY, f"{lost}: more was paid for nothing than was under way"
    assert lost[-1] == 0
    assert len(before) == len({key_of(one, identities) for one in once}) == len(once)
    assert told(folder) == told(whole)
    assert len(dict(record.lines(folder / "traces.jsonl"))) == len(library.questions())


def _let_arrive(server) -> None:
    """What was on the wire when its sender died is counted as its own, not as the next one's."""
    seen = -1
    while seen != len(server.asked):
        seen = len(server.asked)
        time.sleep(0.1)


def _wait_for_requests(server, count: int, child: subprocess.Popen, last: bool) -> None:
    deadline = time.monotonic() + 60
    while child.poll() is None and time.monotonic() < deadline:
        if not last and len(server.asked) >= count:
            return
        time.sleep(0.002)
