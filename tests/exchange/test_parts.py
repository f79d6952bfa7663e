"""Id maps, runs, samples, public data sets: each by itself, as its command uses it."""

from __future__ import annotations

import json
import random
import sys
from types import ModuleType, SimpleNamespace

import pytest

from eval.dataset import load_folder
from eval.dataset.labels import load_labels
from eval.formats.trec import read_run

CSV = "query,docid,rating\nred shoes,shop/0001,3\nred shoes,shop/9,1\nred shoes,shop/two,2\n"


@pytest.fixture
def table(tmp_path):
    """A file of judgements under the ids of a shop."""
    (tmp_path / "q.csv").write_text(CSV)
    return tmp_path / "q.csv"


def test_a_template_gives_the_key(table, folder, run, tmp_path):
    """Judgements under the addresses of a shop would join no record."""
    words = ["--queries", folder, "--corpus", folder, "--id-map", "shop/{key}"]
    code, said, _ = run("import", table, "--to", tmp_path / "new", *words, "--strict")
    assert (code, said["documents"]["found"]) == (1, 1)
    assert said["documents"]["missing"] == {"count": 2, "first": ["shop/9", "shop/two"]}
    grades = load_labels(tmp_path / "new").grades["q 1"]
    assert grades == {"0001": 3, "copy": 3, "shop/9": 1, "shop/two": 2}


def test_a_table_gives_the_key_and_says_where_it_cannot(table, folder, run, tmp_path):
    """A judgement of one of two records would be given to either."""
    rows = "id,key\nshop/0001,0001\nshop/two, edge \nshop/two,copy\n"
    (tmp_path / "map.csv").write_text(rows)
    words = ["--queries", folder, "--corpus", folder, "--id-map", tmp_path / "map.csv"]
    _, said, _ = run("import", table, "--to", tmp_path / "new", *words, "--no-carry")
    assert said["documents"] == {
        "found": 1,
        "missing": {"count": 1, "first": ["shop/9"]},
        "ambiguous": {"count": 1, "first": ["shop/two"]},
    }
    assert load_labels(tmp_path / "new").grades["q 1"] == {"0001": 3, "shop/9": 1}


def test_two_ids_of_one_record_that_differ_are_refused(table, folder, run, tmp_path):
    """Whichever of two judgements stood first would decide."""
    (tmp_path / "map.csv").write_text("id,key\nshop/0001,0001\nshop/9,0001\n")
    words = ["--queries", folder, "--corpus", folder, "--id-map", tmp_path / "map.csv"]
    code, said, _ = run("import", table, "--to", tmp_path / "new", *words)
    assert (code, "grade 1 here, 3 in line 2" in said["error"]["message"]) == (3, True)
    code, _, _ = run("import", table, "--to", tmp_path / "new", *words, "--on-conflict", "min")
    assert load_labels(tmp_path / "new").grades["q 1"]["0001"] == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{key}", "and something beside it"),
        ("{key}/{key}", "once"),
        ("nowhere.csv", "is no file that is there"),
        ("https://shop.example/p/{id}", "no template, which holds {key}"),
        ("id,key\n,x\n", "blank id or key"),
        ("a,b\nx,y\n", "needs the columns id and key"),
    ],
)
def test_a_map_that_maps_nothing_is_refused(table, run, tmp_path, given, said):
    """Every id would be missing, and nobody would know why."""
    if "\n" in given:
        (tmp_path / "map.csv").write_text(given)
        given = tmp_path / "map.csv"
    code, told, _ = run("import", table, "--to", tmp_path / "new", "--id-map", given)
    assert (code, said in told["error"]["message"]) == (3, True)


@pytest.mark.req("W02")
def test_a_run_comes_in_under_our_keys_and_goes_out(folder, run, tmp_path):
    """Another system's lists could not be laid beside ours."""
    results = [("q 1", "shop/0001", "2.5"), ("q 1", "shop/x", "1e-3"), ("q8", "shop/0001", "1")]
    rows = "".join(f"{query}\tQ0\t{key}\t1\t{score}\tbm 25\n" for query, key, score in results)
    (tmp_path / "a.run").write_text(rows)
    code, said, _ = run("import", tmp_path / "a.run", "--to", folder, "--id-map", "shop/{key}")
    assert (code, said["queries"]["missing"]["first"], said["documents"]["missing"]["first"]) == (
        0,
        ["q8"],
        ["shop/x"],
    )
    assert "ties by document id descending" in said["notes"][0]
    run("export", folder, "--format", "trec-run", "-o", tmp_path / "out.run")
    found = read_run(tmp_path / "out.run")
    assert (found.tag, found.scores["q 1"]) == ("bm 25", {"0001": 2.5, "shop/x": 0.001})
    assert load_folder(folder).judgements
    code, said, _ = run(
        "export", folder, "--format", "trec-run", "-o", tmp_path / "x", "--run", "z"
    )
    assert (code, "bm_25" in said["error"]["message"]) == (3, True)


@pytest.mark.req("W20")
def test_a_sample_is_a_file_of_queries(run, tmp_path):
    """A sample could be drawn and nothing be done with it."""
    path = tmp_path / "t.csv"
    path.write_text('query,traffic\nboots,50\n=cmd,20\n"9"" nail",10\nboots,10\nrare,1\n')
    _, said, _ = run("sample", path, "-o", tmp_path / "queries.jsonl", "--size", 2, "--by", "top")
    found = [json.loads(line) for line in (tmp_path / "queries.jsonl").read_text().splitlines()]
    assert [(one["text"], one["tags"], one["traffic"], one["chance"]) for one in found] == [
        ("boots", ["head"], 60, 1.0),
        ("=cmd", ["torso"], 20, 1.0),
    ]
    assert said["counts"] == {
        "queries": 2,
        "in the traffic": 4,
        "head queries": 1,
        "torso queries": 1,
        "tail queries": 0,
    }
    assert said["notes"] == ["80 of 91 requests are for these queries"]
    code, _, _ = run("sample", path, "-o", tmp_path / "queries.jsonl", "--size", 2)
    assert code == 2
    for by in ("random", "traffic"):
        texts = []
        for name, seed in (("a", 3), ("b", 3)):
            run(
                "sample",
                path,
                "-o",
                tmp_path / f"{by}{name}",
                "--size",
                2,
                "--by",
                by,
                "--seed",
                seed,
            )
            texts.append((tmp_path / f"{by}{name}").read_text())
        assert texts[0] == texts[1]


@pytest.mark.req("W20")
@pytest.mark.parametrize("by", ["random", "top", "traffic"])
@pytest.mark.parametrize("ids", [False, True])
def test_shuffling_the_rows_of_a_traffic_file_changes_nothing(run, tmp_path, by, ids):
    """Whoever sorts the log could draw until the sample pleases."""
    rows = [f"query {n % 40},{(n * 7) % 11}" for n in range(60)]  # ties, zeros, queries given twice
    rows = [f"{row},{int(row.split()[1].split(',')[0]):03}" if ids else row for row in rows]
    drawn = set()
    for turn in range(4):
        random.Random(turn).shuffle(rows)
        path, out = tmp_path / f"{turn}.csv", tmp_path / f"{turn}.jsonl"
        path.write_text("\n".join(["query,traffic,query_id" if ids else "query,traffic", *rows]))
        words = ["-o", out, "--size", 7, "--by", by, "--seed", 5]
        code, said, _ = run("sample", path, *words)
        assert (code, said["counts"]["queries"]) == (0, 7)
        drawn.add(out.read_bytes())
    assert len(drawn) == 1
    run("sample", path, "-o", tmp_path / "x", *words[2:-1], 6)
    assert ((tmp_path / "x").read_bytes() in drawn) is (by == "top")


@pytest.mark.parametrize("row", ["boots,x", "boots,-1", " ,3", "boots,1.5"])
def test_traffic_that_is_no_count_is_refused(run, tmp_path, row):
    """A query would be drawn by a number nobody counted."""
    (tmp_path / "t.csv").write_text(f"query,traffic\nok,1\n{row}\n")
    code, said, _ = run("sample", tmp_path / "t.csv", "-o", tmp_path / "o", "--size", 1)
    assert (code, "t.csv:3: " in said["error"]["message"]) == (3, True)


def test_traffic_in_which_nothing_was_asked_gives_no_sample(run, tmp_path):
    """An empty set of queries would be written, and called a sample."""
    (tmp_path / "t.csv").write_text("query,traffic\nboots,0\nshoes,0\n")
    out = tmp_path / "o"
    code, said, _ = run("sample", tmp_path / "t.csv", "-o", out, "--size", 1)
    assert (code, "no query was ever asked" in said["error"]["message"]) == (3, True)
    assert not out.exists()
    code, said, _ = run("sample", tmp_path / "t.csv", "-o", out, "--size", 1, "--by", "random")
    assert (code, said["counts"]["queries"]) == (0, 1)


class Data:
    """A data set as `ir-datasets` 0.5 and later hands it out."""

    def has_docs(self):
        return True

    has_queries = has_qrels = has_docs

    def docs_iter(self):
        yield SimpleNamespace(doc_id="0001", title="T", text="body")
        yield SimpleNamespace(doc_id="2", default_text=lambda: "plain")

    def queries_iter(self):
        yield SimpleNamespace(query_id="1", text="old style")
        yield SimpleNamespace(query_id="2", default_text=lambda: "new style")

    def qrels_iter(self):
        yield SimpleNamespace(query_id="1", doc_id="0001", relevance=2, iteration="0")
        yield SimpleNamespace(query_id="2", doc_id="2", relevance=0, iteration="0")


def test_a_public_set_comes_in_by_its_id(run, tmp_path, monkeypatch):
    """A benchmark everybody has could not be tuned on."""
    package = ModuleType("ir_datasets")
    package.load = {"toy": Data()}.__getitem__
    monkeypatch.setitem(sys.modules, "ir_datasets", package)
    code, said, _ = run("import", "irds:toy", "--to", tmp_path / "new")
    assert (code, said["format"]) == (0, "ir-datasets")
    found = load_folder(tmp_path / "new")
    assert [(one.key, one.title, one.text) for one in found.documents] == [
        ("0001", "T", "body"),
        ("2", "", "plain"),
    ]
    assert [one.text for one in found.queries] == ["old style", "new style"]
    assert found.judgements == {"1": {"0001": 2}, "2": {"2": 0}}
    code, said, _ = run("import", "irds:other", "--to", tmp_path / "x")
    assert (code, "knows no 'other'" in said["error"]["message"]) == (4, True)


def test_without_the_package_it_is_said_what_to_do(run, tmp_path, monkeypatch):
    """A stack trace would stand where one line helps."""
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    code, said, _ = run("import", "irds:toy", "--to", tmp_path / "x")
    assert (code, "ir-datasets is not installed here" in said["error"]["message"]) == (4, True)
