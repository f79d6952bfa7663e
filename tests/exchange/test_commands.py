"""``import`` and ``export`` say what was found, missing and lost, and overwrite nothing unasked."""

from __future__ import annotations

import json

import pytest

from eval.dataset import load_folder
from eval.dataset.labels import load_labels
from eval.exchange import cli_import, names
from eval.exchange.formats import FORMATS, carries
from eval.exchange.losses import Aspect
from eval.exchange.names import Name

WRITTEN = ("trec", "quepid", "quepid-raters", "ratings", "rre", "rre-grades", "opensearch", "beir")


@pytest.mark.req("W01", "W03", "W04", "W05", "W07")
@pytest.mark.parametrize("name", WRITTEN)
def test_a_folder_goes_out_and_comes_back(folder, run, tmp_path, name):
    """Ids with quotes, blanks, addresses or leading zeros would come back as others."""
    out = tmp_path / "out"
    code, said, _ = run("export", folder, "--format", name, "-o", out)
    assert (code, said["documents"]["found"]) == (0, 4)
    read = name.replace("rre-grades", "rre")
    code, said, _ = run(
        "import",
        out,
        "--format",
        read,
        "--to",
        tmp_path / "back",
        "--queries",
        folder,
        "--corpus",
        folder,
        "--no-carry",
    )
    assert (code, said["queries"]["missing"]["count"]) == (0, 0)
    found = load_folder(tmp_path / "back")
    expected = load_folder(folder)
    assert found.judgements == expected.judgements
    assert found.queries == expected.queries
    assert found.fingerprint == expected.fingerprint


@pytest.mark.parametrize("name", [name for name in WRITTEN if "raters" not in name])
def test_the_format_of_an_export_is_guessed(folder, run, tmp_path, name):
    """A person would have to know the name of a format to use it."""
    out = tmp_path / "out"
    run("export", folder, "--format", name, "-o", out)
    _, said, _ = run("import", out, "--to", tmp_path / "back", "--queries", folder)
    assert said["format"] == name.replace("rre-grades", "rre")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("query,docid,rating,ada\nq,d,1,2\n", "takes each for a rater"),
        ("one two\n", "name one with --format"),
        ('{"a": 1}', "name one with --format"),
    ],
)
def test_a_format_in_doubt_is_asked_for(run, tmp_path, content, said):
    """A file would be read as something it is not."""
    (tmp_path / "x").write_text(content)
    code, told, error = run("import", tmp_path / "x", "--to", tmp_path / "y")
    assert (code, said in told["error"]["message"], said in error) == (2, True, True)
    assert not (tmp_path / "y").exists()


def test_what_a_format_loses_is_named(folder, run, tmp_path):
    """Somebody would delete the folder and keep a file that holds half of it."""
    (folder / "source_qrels.tsv").write_text("q 1\tshop\t1\n")
    (folder / "GUIDELINES.md").write_text("# How to judge\n")
    expected = {
        "trec": ["query texts", "queries without a judgement", "information needs", "groups"],
        "quepid": ["query ids", "information needs", "groups"],
        "ratings": ["groups"],
        "opensearch": ["query ids", "queries without a judgement", "information needs", "groups"],
        "beir": [],
    }
    for name, lost in expected.items():
        _, said, _ = run("export", folder, "--format", name, "-o", tmp_path / name)
        found = [one["what"].split(",")[0] for one in said["lost"]]
        rest = ["right sources", "guidelines", *([] if name == "beir" else ["documents"])]
        assert found == [*lost, *rest], name
    counts = {one["what"].split(",")[0]: one["count"] for one in said["lost"]}
    assert counts == {"right sources": 1, "guidelines": 1}


@pytest.mark.req("W24")
def test_ids_that_are_no_longer_there_are_listed(folder, run, tmp_path):
    """A deleted document would stay the right answer, and nobody could ever find it."""
    rows = "".join(f"q 1\tgone{n}\t1\n" for n in range(12))
    with (folder / "qrels.tsv").open("a") as file:
        file.write(rows)
    for strict, code in ((False, 0), (True, 1)):
        words = ["--strict"] if strict else []
        found = run("export", folder, "--format", "trec", "-o", tmp_path / f"{strict}", *words)
        assert found[0] == code
    missing = found[1]["documents"]["missing"]
    assert (missing["count"], missing["first"]) == (12, [f"gone{n}" for n in range(10)])
    code, said, _ = run("import", folder, "--to", tmp_path / "new", "--strict")
    assert (code, said["documents"]["missing"]["count"]) == (1, 12)
    assert "gone11" in (tmp_path / "new" / "qrels.tsv").read_text()


def test_nothing_is_overwritten_unasked(folder, run, tmp_path):
    """An afternoon of judging would be replaced by an older file."""
    (tmp_path / "q.csv").write_text("query,docid,rating\nred shoes,0001,1\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    code, said, _ = run("import", tmp_path / "q.csv", "--to", folder)
    assert (code, "qrels.tsv" in said["error"]["message"]) == (2, True)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    (tmp_path / "taken").write_text("mine")
    code, said, _ = run("export", folder, "--format", "trec", "-o", tmp_path / "taken")
    assert (code, (tmp_path / "taken").read_text()) == (2, "mine")
    code, said, _ = run("import", tmp_path / "q.csv", "--to", folder, "--force")
    assert code == 0
    assert load_labels(folder).grades == {"q 1": {"0001": 1, "copy": 1}}
    assert (folder / "queries.jsonl").read_bytes() == before["queries.jsonl"]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.req("W25")
def test_copies_are_judged_and_marked(folder, run, tmp_path):
    """The copy of a right document would count as a miss, or nobody would know who judged it."""
    _, said, _ = run("import", folder, "--to", tmp_path / "new")
    assert said["counts"]["carried over to copies"] == 2
    labels = load_labels(tmp_path / "new")
    assert labels.grades["q 1"]["copy"] == 3
    assert labels.origins == {"q 1": {"copy": "0001"}, "q3": {"copy": "0001"}}
    run("import", folder, "--to", tmp_path / "bare", "--no-carry")
    assert "copy" not in load_labels(tmp_path / "bare").grades["q 1"]
    assert labels.fingerprint == said["fingerprint"]


def test_texts_are_matched_with_known_queries(folder, run, tmp_path):
    """Judgements of two queries of one text would be given to either."""
    with (folder / "queries.jsonl").open("a") as file:
        file.write('{"_id": "q9", "text": "vans"}\n')
    (tmp_path / "q.csv").write_text(
        "query,docid,rating\nred shoes,0001,1\nvans,0001,0\nnew one,0001,2\n"
    )
    code, said, _ = run(
        "import", tmp_path / "q.csv", "--to", tmp_path / "new", "--queries", folder, "--strict"
    )
    assert code == 1
    assert said["queries"] == {
        "found": 1,
        "missing": {"count": 1, "first": ["new one"]},
        "ambiguous": {"count": 1, "first": ["vans"]},
    }
    labels = load_labels(tmp_path / "new")
    (made,) = {one.id for one in labels.queries if one.text == "new one"}
    assert labels.grades == {"q 1": {"0001": 1}, made: {"0001": 2}}


def test_ids_of_texts_are_keyed(run, tmp_path):
    """Whoever guesses a prompt could look its id up, or each import would name it anew."""
    (tmp_path / "q.csv").write_text("query,docid,rating\nwho am i,d,1\n")
    (tmp_path / "key").write_bytes(b"0123456789abcdef")
    ids = []
    for name, words in (("a", []), ("b", []), ("c", ["--id-key", tmp_path / "key"])):
        run("import", tmp_path / "q.csv", "--to", tmp_path / name, *words)
        ids.append(load_labels(tmp_path / name).queries[0].id)
    assert ids[0] == ids[1] != ids[2]
    # RFC 2104 by hand: hmac(key, text, sha256)[:10] in base 32.
    assert ids[2] == "q-" + _keyed(b"0123456789abcdef", b"who am i")
    assert ((tmp_path / "home" / "secrets" / "query-ids.key").stat().st_mode & 0o777) == 0o600


def _keyed(key, text):
    import base64
    import hashlib

    padded = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(x ^ 0x36 for x in padded) + text).digest()
    outer = hashlib.sha256(bytes(x ^ 0x5C for x in padded) + inner).digest()
    return base64.b32encode(outer[:10]).decode().lower()


@pytest.mark.req("W10")
def test_several_raters_are_settled_and_kept(run, tmp_path):
    """The average would be all that is left of three people's work."""
    (tmp_path / "q.csv").write_text("query,docid,ada,bob\nq,a,3,1\nq,b,0,0\nq,c,,unrateable\n")
    grades = {"mean": 2, "optimistic": 3, "pessimistic": 1, "majority": 1}
    for rule, grade in grades.items():
        to = tmp_path / rule
        _, said, _ = run("import", tmp_path / "q.csv", "--to", to, "--rule", rule)
        labels = load_labels(to)
        (own,) = labels.grades.values()
        assert own == {"a": grade, "b": 0}
        assert labels.settling.rule == rule
        assert [(one.rater, one.grade) for one in labels.judgements][:2] == [("ada", 3), ("bob", 1)]
        assert [(one.document, one.why) for one in labels.failures] == [("c", "unrateable")]
        assert said["counts"]["disputed pairs"] == 1
        assert said["agreement"][0]["raters"] == ["ada", "bob"]
        assert said["agreement"][0]["pairs"] == 2
        assert said["fingerprint"] == labels.fingerprint


def test_differing_lines_are_settled_by_a_rule_or_refused(run, tmp_path):
    """One line written twice would fail a whole evaluation."""
    path = tmp_path / "q.csv"
    path.write_text("query,docid,rating\nq,a,3\nq,a,1\n")
    code, said, _ = run("import", path, "--to", tmp_path / "x")
    assert code == 3
    assert f"{path}:3: judges 'q' 'a' a second time" in said["error"]["message"]
    assert "--on-conflict decides for you" in said["error"]["message"]
    code, said, _ = run("import", path, "--to", tmp_path / "x", "--on-conflict", "max")
    assert (code, list(load_labels(tmp_path / "x").grades.values())) == (0, [{"a": 3}])


@pytest.mark.req("W19")
def test_clicks_become_a_folder_of_grades(run, tmp_path):
    """Who has traffic and no judges would have nothing to tune on."""
    path = tmp_path / "clicks.csv"
    path.write_text(
        "query,docid,position,impressions,clicks\nshoes,a,1,6,4\nshoes,a,2,4,1\n"
        "shoes,b,1,4,1\nshoes,b,2,6,1\nshoes,c,3,4,0\n"
    )
    run("import", path, "--to", tmp_path / "new")
    labels = load_labels(tmp_path / "new")
    # 5 / 3.8 is above what the place explains, 2 / 3.2 under it; c waits for a judge.
    assert list(labels.grades.values()) == [{"a": 2, "b": 1}]
    assert [one[1] for one in labels.open] == ["c"]
    assert {one.rater for one in labels.judgements} == {"clicks"}
    run("export", tmp_path / "new", "--format", "opensearch", "-o", tmp_path / "o.json")
    (told,) = json.loads((tmp_path / "o.json").read_text())["judgmentRatings"]
    assert [float(one["rating"]) for one in told["ratings"]] == pytest.approx([5 / 3.8, 2 / 3.2])


def test_a_spreadsheet_gets_no_formula_and_gives_all_back(folder, run, tmp_path):
    """A query that somebody typed would run as a formula, or come back with a sign too much."""
    out = tmp_path / "q.csv"
    run("export", folder, "--format", "quepid", "-o", out, "--for-spreadsheet")
    assert "'=cmd nail" in out.read_text()
    run("import", out, "--to", tmp_path / "a", "--queries", folder, "--from-spreadsheet")
    assert load_labels(tmp_path / "a").grades == load_labels(folder).grades
    _, said, _ = run("import", out, "--to", tmp_path / "b", "--queries", folder)
    assert "--from-spreadsheet" in " ".join(said["notes"])
    code, _, _ = run(
        "export", folder, "--format", "trec", "-o", tmp_path / "t", "--for-spreadsheet"
    )
    assert code == 2


def test_judgements_without_query_texts_need_them(run, tmp_path):
    """A folder would be made that nobody can ask anything of."""
    (tmp_path / "x.qrels").write_text("q1 0 d1 1\n")
    code, said, _ = run("import", tmp_path / "x.qrels", "--to", tmp_path / "y")
    assert (code, "name them with --queries" in said["error"]["message"]) == (3, True)
    (tmp_path / "topics.tsv").write_text("id\ttext\nq1\twhat is it?\n")
    code, _, _ = run(
        "import", tmp_path / "x.qrels", "--to", tmp_path / "y", "--queries", tmp_path / "topics.tsv"
    )
    assert (code, load_labels(tmp_path / "y").queries[0].text) == (0, "what is it?")


def test_the_formats_of_the_command_line_are_those_there_are():
    """A format would be offered that nothing reads, or be hidden from everybody."""
    elsewhere = {"beir", "trec-run"}  # folders and runs, which are no sheets of judgements
    assert set(names.READ) == {*FORMATS, *elsewhere, "ir-datasets"} - {"rre-grades"}
    assert set(names.WRITTEN) == {name for name, one in FORMATS.items() if one.write} | elsewhere
    for name in (*FORMATS, Name.BEIR):
        assert carries(name) <= set(Aspect)


def test_a_person_reads_the_same_summary(folder, tmp_path, capsys):
    """Who does not read JSON would not learn what is missing."""
    with (folder / "qrels.tsv").open("a") as file:
        file.write("q 1\tgone\t1\n")
    assert cli_import.main([str(folder), "--to", str(tmp_path / "new")]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith(f"imported {folder} (beir): 4 queries, 6 ratings, 8 grades")
    assert "  missing: 1, namely 'gone'" in told
