"""What `tune` leaves in a run's folder, read back as anybody with a spreadsheet would."""

import contextlib
import csv
import io
import json
from hashlib import sha256

import pytest

from eval import plot
from eval.evidence import sealed
from eval.tune import cli
from eval.tune.runs import need_of
from tests.runs.asked import plain, runs

QUERIES = [f"=q{number:03}" for number in range(70)]


@pytest.fixture
def titles(monkeypatch):
    """What stands above each curve that is drawn."""
    drawn, own = [], plot.curve
    monkeypatch.setattr(plot, "curve", lambda *a, **k: drawn.append(k["title"]) or own(*a, **k))
    return drawn


@pytest.fixture
def kept(home, tmp_path, titles):
    """The folder of a run over two TREC runs whose query ids are formulas."""
    lexical, semantic, qrels = ([], [], [])
    for query in QUERIES:
        for rank, key in enumerate(("a", "b", "c")):
            lexical.append(f"{query} Q0 {key} {rank + 1} {3 - rank} words")
            semantic.append(f"{query} Q0 {key} {rank + 1} {0.2 + 0.3 * rank:.1f} meaning")
        qrels.append(f"{query} 0 c 1")
    for name, lines in (("l.run", lexical), ("s.run", semantic), ("q.txt", qrels)):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    words = ["--runs", tmp_path / "l.run", tmp_path / "s.run", "--qrels", tmp_path / "q.txt"]
    with contextlib.redirect_stdout(io.StringIO()):
        assert cli.main([*map(str, words), "--explore", "--quiet"]) == 0
    (folder,) = (home / "runs" / "runs").iterdir()
    return folder


@pytest.mark.req("W61", "W64")
def test_a_run_folder_says_what_it_was_made_of_and_what_came_of_it(kept, home, titles):
    """Else a figure in a slide could not be traced to what made it."""
    about = json.loads((kept / "run.json").read_text())
    assert about["parameters"]["today"] == 0.7
    assert about["figures"]["queries"] == 70
    assert about["figures"]["measure"] == "nDCG@10"
    assert about["promoted"] is False
    config = json.loads((kept / "result.json").read_text())["config"]
    with open(config, "rb") as file:
        assert about["hashes"]["configuration"] == sha256(file.read()).hexdigest()
    assert len(about["hashes"]["data"]) == 64
    (line,) = (kept / "log.txt").read_text().splitlines()
    assert line.split()[1] == "today-stays:"
    free = len((kept / "queries.csv").read_text().splitlines()) - 1
    (row,) = plain("list")["runs"]
    assert (row["queries"], row["part"]) == (70, "development")
    # `measure` and `compare` have the mean of all 70, which is another figure.
    assert "70 queries, nDCG@10 1.0000 to 1.0000 on the development part" in runs("list")[0]
    part = f"  means of the development part, {free} queries; {70 - free} are sealed:\n"
    assert part in (kept / "report.txt").read_text()
    assert titles == [f"runs: {free} queries, development part"]
    assert about["hashes"]["data"] in runs("show", "runs")[0]
    assert str(home) not in runs("show", "runs", "--json")[0]


@pytest.mark.req("W61")
def test_the_table_of_queries_holds_no_sealed_one_and_no_formula(kept):
    """Else the table would show what must not be looked at, or run what a query says."""
    rows = list(csv.DictReader((kept / "queries.csv").open()))
    shut = sealed([need_of(query, {"c": 1}) for query in QUERIES])
    free = [query for query, held in zip(QUERIES, shut, strict=True) if not held]
    assert [row["query"] for row in rows] == [f"'{query}" for query in free]
    # Words put c last of three: nDCG 1/2. At share .7 c has .7 x .8 + .3 x 0, a .7 x .2 + .3.
    assert {row["no model nDCG@10"] for row in rows} == {"0.500000"}
    assert {row["today nDCG@10"] for row in rows} == {"1.000000"}
    assert {row["judged@10"] for row in rows} == {"0.333333"}
    # These queries chose the candidate, and whoever adds up a column has to see that.
    assert [name for name in rows[0] if "candidate" in name or "difference" in name] == [
        "candidate nDCG@10 in sample", "difference in sample",
    ]  # fmt: skip
