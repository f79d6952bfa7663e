"""The ids of other people's tools come back from us as they came to us (RULINGS 48)."""

from __future__ import annotations

import csv
import json

import pytest

from eval.dataset.labels import load_labels
from eval.exchange.names import Name
from eval.formats.ratings import read_ratings
from eval.formats.trec import read_qrels, read_run
from tests.exchange.conftest import DOCUMENTS

FORMATS = ("trec", "quepid", "quepid-raters", "ratings", "rre", "rre-grades", "opensearch", "beir")
TEMPLATE = "https://shop.example/p/{key}?ref=a|b"
KEYS = [str(one["_id"]) for one in DOCUMENTS if one["_id"] != "copy"]


def named(key):
    return TEMPLATE.replace("{key}", key)


@pytest.fixture
def maps(tmp_path):
    """The template, and a table in which the ids have nothing in common with the keys."""
    path = tmp_path / "map.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "key"])
        rows.writerows([f"00{place} =id", key] for place, key in enumerate(KEYS))
    ids = {key: f"00{place} =id" for place, key in enumerate(KEYS)}
    return {
        "template": (TEMPLATE, {key: named(key) for key in KEYS}),
        "table": (path, ids),
    }


@pytest.mark.req("W01", "W03", "W04", "W05", "W07")
@pytest.mark.parametrize("kind", ["template", "table"])
@pytest.mark.parametrize("name", FORMATS)
def test_the_ids_of_a_tool_come_back_to_it(folder, run, tmp_path, maps, kind, name):
    """The shop's own list would come back under ids that the shop has never heard of."""
    given, ids = maps[kind]
    first, again = tmp_path / "first", tmp_path / "again"
    code, said, _ = run("export", folder, "--format", name, "-o", first, "--id-map", given)
    assert (code, said["documents"]["missing"]["count"], said["documents"]["found"]) == (0, 0, 4)
    written = first if first.is_file() else first / "qrels" / "test.tsv"
    for key, id in ids.items():
        for text, there in ((id, True), (key, key in id)):
            quoted = json.dumps(text)[1:-1] if name.startswith(("rre", "open")) else text
            cell = quoted.replace('"', '""') if "quepid" in name or name == "ratings" else quoted
            assert (cell in written.read_text()) is there, (name, text)
    read = name.replace("rre-grades", "rre")
    words = ["--queries", folder, "--corpus", folder, "--no-carry", "--strict"]
    code, said, _ = run(
        "import", first, "--format", read, "--to", tmp_path / "b", *words, "--id-map", given
    )
    assert (code, load_labels(tmp_path / "b").grades) == (0, load_labels(folder).grades)
    run("export", tmp_path / "b", "--format", name, "-o", again, "--id-map", given)
    files = [path.relative_to(first) for path in first.rglob("*")] if first.is_dir() else [""]
    for one in files:
        if (first / one).is_file() and str(one) != "corpus.jsonl":
            before, after = (path / one if one else path for path in (first, again))
            assert _rows(after) == _rows(before)


def _rows(path):
    """A file's lines; the name of a list, which is the folder's, apart."""
    lines = path.read_text().splitlines()
    return sorted(line for line in lines if not line.lstrip().startswith(('"name"', '"index"')))


def test_a_beir_folder_goes_out_whole_under_the_ids(folder, run, tmp_path):
    """The judgements of a folder would name documents that its own corpus does not have."""
    run("export", folder, "--format", "beir", "-o", tmp_path / "out", "--id-map", "p/{key}")
    lines = (tmp_path / "out" / "corpus.jsonl").read_text().splitlines()
    assert [json.loads(line)["_id"] for line in lines] == [f"p/{one['_id']}" for one in DOCUMENTS]
    code, said, _ = run("import", tmp_path / "out", "--to", tmp_path / "x", "--strict")
    assert (code, said["documents"]["found"]) == (0, 4)


def table(path, *rows):
    path.write_text("".join(f"{row}\n" for row in ("id,key", *rows)))
    return path


def test_what_a_table_does_not_say_is_named_and_kept(folder, run, tmp_path):
    """Judgements of records that the map forgot would be gone, or stand under another's id."""
    with (folder / "qrels.tsv").open("a") as file:
        file.write("".join(f"q 1\tnew{n}\t1\n" for n in range(12)))
    given = table(
        tmp_path / "m.csv", "A1,0001", "A2,0001", "B,https://x.org/a?b=1", "B, edge ", "C, edge "
    )
    words = ["--format", "trec", "-o", tmp_path / "out", "--id-map", given]
    code, said, _ = run("export", folder, *words, "--strict")
    found = said["documents"]
    assert code == 1
    # 0001 has two ids; the address has one, and the edge has it as well, beside one of its own.
    assert found["ambiguous"] == {"count": 2, "first": ["0001", "https://x.org/a?b=1"]}
    assert found["missing"]["count"] == 13
    assert found["missing"]["first"] == [*(f"new{n}" for n in range(10))]
    notes = " ".join(said["notes"])
    assert "record of several ids in --id-map, written under each: 1, namely '0001'" in notes
    assert "whose id is another's too, kept under its key: 1, namely 'https://x.org/a?b=1'" in notes
    assert "record without an id in --id-map, kept under its key: 1, namely '9\" nail" in notes
    rows = read_qrels(tmp_path / "out").judgements
    assert rows["q 1"] == {"A1": 3, "A2": 3, "https://x.org/a?b=1": 0} | {
        f"new{n}": 1 for n in range(12)
    }
    assert rows["0002"] == {'9" nail, long': 2, "C": -1}
    words = ["--queries", folder, "--corpus", folder, "--id-map", given, "--no-carry"]
    run("import", tmp_path / "out", "--to", tmp_path / "back", *words)
    assert load_labels(tmp_path / "back").grades == load_labels(folder).grades


@pytest.mark.parametrize("kind", ["template", "table"])
def test_ids_that_no_record_has_come_back_as_they_were(folder, run, tmp_path, kind):
    """What the shop calls its withdrawn articles would come back as something else."""
    ids = ("p/0001", "p/gone", "withdrawn", "p/x/p/y", "https://x.org/a?b=1")
    path = tmp_path / "a.qrels"
    path.write_text("".join(f"q 1\t0\t{id}\t{grade}\n" for grade, id in enumerate(ids)))
    rows = ("p/0001,0001", "p/gone,gone", "p/x/p/y,x/p/y")
    given = "p/{key}" if kind == "template" else table(tmp_path / "m.csv", *rows)
    words = ["--queries", folder, "--corpus", folder, "--no-carry", "--id-map", given]
    _, said, _ = run("import", path, "--to", tmp_path / "mine", *words)
    assert said["documents"]["missing"]["first"] == ["p/gone", "withdrawn", "p/x/p/y"]
    assert load_labels(tmp_path / "mine").grades["q 1"]["0001"] == 0
    out = ["--format", "trec", "-o", tmp_path / "out.qrels", "--id-map", given]
    if kind == "template":
        # A record's own key was judged, which the template has another id for.
        ids = (*ids[:-1], "p/https://x.org/a?b=1")
    code, said, _ = run("export", tmp_path / "mine", *out)
    assert (code, said["documents"]["missing"]["count"]) == (0, 3 + (kind == "table"))
    assert list(read_qrels(tmp_path / "out.qrels").judgements["q 1"]) == list(ids)


def test_two_keys_that_would_go_out_as_one_are_refused(folder, run, tmp_path):
    """Of two judgements of one id the other tool would take either."""
    with (folder / "qrels.tsv").open("a") as file:
        file.write("q 1\tp/0001\t1\n")  # left as it was while there was no record 0001
    out = tmp_path / "out"
    code, said, _ = run("export", folder, "--format", "trec", "-o", out, "--id-map", "p/{key}")
    assert (code, "'0001' and 'p/0001' both go out as" in said["error"]["message"]) == (3, True)
    assert not out.exists()


@pytest.mark.parametrize("name", ["trec", "beir"])
def test_a_key_that_is_another_records_id_is_refused(folder, run, tmp_path, name):
    """Read back with the same map, a judgement of one record would become one of another."""
    given = table(tmp_path / "m.csv", "0001, edge ")
    words = ["--format", name, "-o", tmp_path / "out", "--id-map", given]
    code, said, _ = run("export", folder, *words)
    assert (code, "key '0001' has no id in --id-map" in said["error"]["message"]) == (3, True)
    assert not (tmp_path / "out").exists()


def test_raters_and_open_pairs_go_out_under_the_ids(run, tmp_path):
    """What waits for a judge would be asked of a document nobody can open."""
    path = tmp_path / "r.csv"
    path.write_text(
        "query_id,query,docid,rater,rating,reason,failure\n"
        "q,red,p/a,ada,3,fits,\nq,red,p/a,bob,1.5,,\nq,red,p/b,ada,,,no picture\nq,red,p/c,,,,\n"
    )
    words = ["--format", "ratings", "--id-map", "p/{key}"]
    run("import", path, "--to", tmp_path / "set", *words)
    assert [one[1] for one in load_labels(tmp_path / "set").open] == ["c"]
    run("export", tmp_path / "set", "-o", tmp_path / "out.csv", *words)
    before, after = read_ratings(path), read_ratings(tmp_path / "out.csv")
    assert (after.judgements, after.open) == (before.judgements, before.open)
    assert after.failures == before.failures


def test_a_run_goes_out_under_the_first_of_several_ids(folder, run, tmp_path):
    """One record in two places would push a right one below the depth that is looked at."""
    (tmp_path / "a.run").write_text("q 1\tQ0\tA\t1\t2\tt\nq 1\tQ0\tB\t2\t1\tt\n")
    given = table(tmp_path / "m.csv", "A,0001", "A2,0001", "B,copy")
    run("import", tmp_path / "a.run", "--to", folder, "--id-map", given)
    words = ["--format", Name.TREC_RUN, "-o", tmp_path / "out.run", "--id-map", given]
    code, said, _ = run("export", folder, *words)
    assert (code, said["documents"]["ambiguous"]["first"]) == (0, ["0001"])
    assert read_run(tmp_path / "out.run").scores == {"q 1": {"A": 2.0, "B": 1.0}}
