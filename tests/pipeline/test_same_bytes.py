"""The same inputs give the same bytes, ids and times aside, in any process and finishing order."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import json, sys
from esra.domain.capability import Forms, RerankForm
from esra.llm.scripted import Scripted
from esra.show import as_json
from tests.house import FakeEngine, ask, catalog, hit, house, source

names = ["a", "b", "c", "d", "e"]
script = {
    n: ([hit(f"k{i}", float(i % 3), source=n) for i in range(9)], [hit("k1", 1.0, source=n)])
    for n in names
}
order = sys.argv[1]
engine = FakeEngine(script, delay=lambda source: 0.002 * order.index(source))
model = Scripted(lambda b: json.dumps([
    {"resultId": c.resultId, "score": len(c.title) % 7 / 7} for c in b.candidates
]))
known = catalog(*(source(n) for n in names), forms=Forms(rerank=RerankForm.MODEL))
plain = as_json(ask(house(known, engine=engine, rerankers={"model": model}), limit=40))
del plain["invocation"]
for result in plain["results"]:
    del result["id"]
print(json.dumps(plain))
"""


def test_hash_seeds_and_finishing_orders_change_no_byte():
    """Else two instances of one service would answer one question in two ways (RULINGS 46)."""
    seen = set()
    for seed, order in [("0", "abcde"), ("1", "edcba"), ("2", "cdaeb"), ("3", "badec")]:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, order],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(done.stdout)
    assert len(seen) == 1
    assert '"results": [{' in seen.pop()
