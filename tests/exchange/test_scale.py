"""All ratings of a large set go through every format: none missing, in bounded time and memory.

The short form has 200 queries of 37 ratings; with ``ESRA_LONG=1`` it is 5,000.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from eval.exchange.formats import FORMATS, How
from eval.formats.sheet import Judgement, Keys, Sheet

LONG = os.environ.get("ESRA_LONG") == "1"
QUERIES = 5000 if LONG else 200
RATINGS = 37
# The promise for the long form, for each format there and back; in seconds of one core, as others
# may be at work on the machine.
SECONDS = 60
BYTES = 1024**3

WORK = r"""
import json, resource, sys, time
from pathlib import Path
from eval.dataset.labels import load_labels
from eval.exchange import cli_export, cli_import

def own_peak():
    # ru_maxrss starts at what the process weighed that started this one.
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

folder, queries, ratings = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
said, sys.stdout = sys.stdout, open("/dev/null", "w")
base = folder / "set"
base.mkdir()
with (base / "corpus.jsonl").open("w") as file:
    for n in range(2000):
        row = {"_id": f"https://x.org/{n:05}?a=b", "title": f"t {n}", "text": f"x {n}"}
        print(json.dumps(row), file=file)
with (base / "queries.jsonl").open("w") as file:
    for n in range(queries + 10):
        print(json.dumps({"_id": f"{n:06}", "text": f'=query "{n}", long'}), file=file)
with (base / "ratings.csv").open("w") as file:
    print("query_id,docid,rater,rating,reason", file=file)
    for n in range(queries):
        for m in range(ratings - 2):
            document = f"https://x.org/{(n * 31 + m * 7) % 2000:05}?a=b"
            # ada grades every pair but the last, which waits; bob three of them as well.
            grade = "" if m == ratings - 3 else (n + m) % 4
            print(f"{n:06},{document},ada,{grade},", file=file)
            if m < 3:
                print(f"{n:06},{document},bob,{(n + m * 2) % 4},", file=file)
from eval.dataset.settling import plain
from eval.labels.settle import Settling, settle
from eval.dataset.store import QRELS
from eval.formats.qrels import QrelsForm, write_qrels
labels = load_labels(base)
write_qrels(settle(labels.judgements, Settling()), base / QRELS, QrelsForm.BEIR)
labels = load_labels(base)
first = {(j.query, j.document, j.rater): j.grade for j in labels.judgements}
times, same = {}, {}
for name in sys.argv[4:]:
    start = time.process_time()
    out, back = folder / f"{name}.out", folder / f"{name}.back"
    assert cli_export.main([str(base), "--format", name, "-o", str(out), "--strict"]) == 0
    words = ["--to", str(back), "--queries", str(base), "--corpus", str(base), "--strict"]
    read = "rre" if name == "rre-grades" else name
    assert cli_import.main([str(out), "--format", read, *words]) == 0
    times[name] = time.process_time() - start
    found = load_labels(back)
    ratings_same = True
    if name in ("quepid-raters", "ratings"):
        ratings_same = {(j.query, j.document, j.rater): j.grade for j in found.judgements} == first
        ratings_same = ratings_same and set(found.open) == set(labels.open)
    same[name] = (
        found.grades == labels.grades and ratings_same and found.queries == labels.queries
    )
said.write(json.dumps({
    "pairs": sum(map(len, labels.grades.values())), "ratings": len(first), "open": len(labels.open),
    "times": times, "same": same,
    "bytes": own_peak(),
}))
"""
NAMES = ("trec", "beir", "quepid", "quepid-raters", "ratings", "rre", "rre-grades", "opensearch")


@pytest.mark.req("W01", "W03", "W04", "W05", "W07", "W10")
@pytest.mark.timeout(900)
def test_every_rating_survives_every_format(tmp_path):
    """An export would hold the first ratings of each query, and nobody would count the others."""
    done = subprocess.run(
        [sys.executable, "-c", WORK, str(tmp_path), str(QUERIES), str(RATINGS), *NAMES],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    print(json.dumps(found))
    assert found["ratings"] == QUERIES * RATINGS
    assert (found["pairs"], found["open"]) == (QUERIES * (RATINGS - 3), QUERIES)
    assert found["same"] == dict.fromkeys(NAMES, True)
    assert found["bytes"] < BYTES
    for name, seconds in found["times"].items():
        assert seconds < SECONDS, name


@pytest.mark.req("W01", "W03", "W04", "W07")
def test_all_formats_together_take_no_minute(tmp_path):
    """Reading and writing would be the slow part of a nightly run."""
    judgements = tuple(
        Judgement(query=f"{n:06}", document=f"https://x.org/{m * 7:05}?a=b", grade=(n + m) % 4)
        for n in range(QUERIES)
        for m in range(RATINGS)
    )
    sheet = Sheet(
        keys=Keys.ID,
        queries=tuple(f"{n:06}" for n in range(QUERIES)),
        judgements=judgements,
        texts={f"{n:06}": "t" for n in range(QUERIES)},
    )
    start = time.process_time()
    for name, one in FORMATS.items():
        if one.write is not None:
            one.write(sheet, tmp_path / name, How())
            assert set(one.read(tmp_path / name, How()).judgements) == set(judgements), name
    assert time.process_time() - start < SECONDS
