"""What people hand over is often broken or odd; what an import makes of it can be used again."""

from __future__ import annotations

import pytest

from eval.dataset.labels import load_labels
from eval.exchange import cli_import
from eval.exchange.formats import carries
from eval.exchange.guess import guess
from eval.exchange.losses import Aspect
from eval.exchange.names import Name
from eval.formats.trec import QrelsForm, Run, read_qrels, read_run, write_qrels, write_run
from tests.full import no_more_than

FILES = ("trec", "quepid", "quepid-raters", "ratings", "rre", "rre-grades", "opensearch")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (None, "is not a file"),
        ("query,docid,rating\n".encode("utf-16"), "is UTF-16: save the file as UTF-8"),
        (b'{"queries": [], "queries": []}', "the key 'queries' stands twice"),
        (b'{"queries": [{"gain": NaN}]}', "NaN is not a JSON number"),
        (b'{"queries": [{"gain": 1e400}]}', "no usable JSON"),
        (b"[" * 10_000 + b"]" * 10_000, "nested too deeply"),
    ],
)
def test_a_broken_file_is_told_from_one_of_unknown_format(run, tmp_path, content, said):
    """A person would try one format after the other on a file that is damaged."""
    path = tmp_path / "x"
    if content is not None:
        path.write_bytes(content)
    code, told, error = run("import", path, "--to", tmp_path / "y")
    assert (code, said in error) == (3, True)
    assert told["error"]["message"].startswith(str(path))
    assert not (tmp_path / "y").exists()


@pytest.mark.parametrize("name", FILES)
def test_a_packed_export_comes_back(folder, run, tmp_path, name):
    """A file that this very command packed could not be read by it."""
    out = tmp_path / "out.gz"
    run("export", folder, "--format", name, "-o", out)
    read, to = name.replace("rre-grades", "rre"), tmp_path / "back"
    code, _, error = run("import", out, "--format", read, "--to", to, "--queries", folder)
    assert (code, out.read_bytes()[:2]) == (0, b"\x1f\x8b"), error
    assert load_labels(to).grades == load_labels(folder).grades


def test_what_is_lost_of_ratings_is_counted(run, tmp_path):
    """Three people's work would go out as one, and the summary say that nothing was lost."""
    path, folder = tmp_path / "q.csv", tmp_path / "set"
    path.write_text(
        "query_id,query,docid,rater,rating,reason,failure\n"
        "q,red,a,ada,3,fits,\nq,red,a,bob,1.5,,\nq,red,b,ada,,,no picture\nq,red,c,,,,\n"
    )
    run("import", path, "--to", folder)
    everything = {
        Aspect.FRACTIONS: 1,
        Aspect.RATERS: 2,
        Aspect.REASONS: 1,
        Aspect.OPEN: 1,
        Aspect.FAILURES: 1,
    }
    for name in FILES:
        _, said, _ = run("export", folder, "--format", name, "-o", tmp_path / name)
        lost = {one["what"]: one["count"] for one in said["lost"]}
        expected = {what: n for what, n in everything.items() if what not in carries(Name(name))}
        assert {what: lost.get(what) for what in everything if what in lost} == expected, name
    assert Aspect.RATERS not in carries(Name.TREC)
    assert Aspect.RATERS in carries(Name.RATINGS)


def test_the_rule_of_ratings_is_named_as_lost(run, tmp_path):
    """Ratings read back without their rule would become other grades, and nobody was told."""
    path, folder = tmp_path / "q.csv", tmp_path / "set"
    path.write_text("query,docid,ada,bob\nq,d,1,3\n")
    for rule, lost in (("mean", False), ("optimistic", True)):
        run("import", path, "--to", folder, "--rule", rule, "--force")
        _, said, _ = run("export", folder, "--format", "ratings", "-o", tmp_path / rule)
        assert (Aspect.RULE in {one["what"] for one in said["lost"]}) is lost


def test_cuts_keep_the_ratings_they_cut(run, tmp_path):
    """Somebody's eights and twos would be gone for good after one import."""
    path, folder = tmp_path / "q.csv", tmp_path / "set"
    path.write_text("query,docid,rating\nq,a,8\nq,b,2\n")
    run("import", path, "--to", folder, "--cuts", "3,6")
    labels = load_labels(folder)
    assert [*labels.grades.values()] == [{"a": 2, "b": 0}]
    assert [one.grade for one in labels.judgements] == [8, 2]
    assert labels.settling.cuts == (3.0, 6.0)


@pytest.mark.parametrize("cuts", ["a,b", "6,3", "1,1", "nan", "1,,2", ""])
def test_cuts_that_are_none_are_a_mistake_of_usage(tmp_path, capsys, cuts):
    """A slip of the keyboard would be reported as a fault of the file."""
    (tmp_path / "q.csv").write_text("query,docid,rating\nq,a,8\n")
    with pytest.raises(SystemExit, match="2"):
        cli_import.main([str(tmp_path / "q.csv"), "--to", str(tmp_path / "x"), "--cuts", cuts])
    assert "is no list of rising numbers" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("q" * 40_000 + ",a,1", "has a text of 40,000 bytes; a question may have 32,768"),
        ("q,a,1\n" + "é" * 20_000 + ",a,1", "has a text of 40,000 bytes"),
    ],
)
def test_a_question_that_cannot_be_asked_makes_no_folder(run, tmp_path, row, said):
    """An import would succeed, and every later command would refuse what it made."""
    (tmp_path / "q.csv").write_text(f"query,docid,rating\n{row}\n", "utf-8")
    code, _, error = run("import", tmp_path / "q.csv", "--to", tmp_path / "x")
    assert (code, said in error) == (3, True)
    assert not (tmp_path / "x").exists()


def tsv(*rows):
    return "".join("\t".join(row) + "\n" for row in rows)


@pytest.mark.req("W01", "W02")
@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("{3F2504E0-4F89-11D3} 0 {9A0C-0305E82C3301} 1\n", Name.TREC),
        ("{3F2504E0-4F89-11D3} Q0 d 1 2.5 bm25\n", Name.TREC_RUN),
        ("[1] Q0 d 1 2.5 bm25\n", Name.TREC_RUN),
        (tsv(("a query of six words", "0", "d", "1")), Name.TREC),
        (tsv(("what is it", "0001", "1")), Name.TREC),
        (tsv(("0001", "Q0", "docid", "1", "0.5", "query")), Name.TREC_RUN),
        ("query-id\tcorpus-id\tscore\n", Name.TREC),
        ("query,docid,rating\n", Name.QUEPID),
    ],
)
def test_ids_that_look_like_another_format_are_not_taken_for_it(tmp_path, content, name):
    """A person with ids in braces, or with blanks, would be told that his file is broken."""
    (tmp_path / "x").write_text(content)
    assert guess(str(tmp_path / "x")) is name


@pytest.mark.req("W01", "W02")
@pytest.mark.parametrize("first", ["\ufeff", "\ufeffx", "\ufeff\ufeffx", "x\ufeff"])
def test_an_id_that_begins_as_a_mark_of_the_file_is_kept(tmp_path, first):
    """The first id of a file would lose its first character, and join nothing."""
    path, judged = tmp_path / "x", {first: {first: 1}, "q": {"d": 0}}
    for form in QrelsForm:
        write_qrels(judged, path, form)
        assert read_qrels(path).judgements == judged
    write_run(Run(tag="t", scores={first: {first: 1.0}}), path)
    assert read_run(path).scores == {first: {first: 1.0}}
    path.write_bytes(b"\xef\xbb\xbfq 0 d 1\n")  # as an editor of Windows saves it
    assert read_qrels(path).judgements == {"q": {"d": 1}}


def test_a_carried_grade_between_odd_ids_stays_marked(tmp_path):
    """A row that reads like the header would be passed over, and a copy be taken for judged."""
    (tmp_path / "queries.jsonl").write_text('{"_id": "query-id", "text": "red"}\n')
    (tmp_path / "qrels.tsv").write_text(tsv(("query-id", "corpus-id", "1")))
    row = ("query-id", "corpus-id", "from-id")
    (tmp_path / "carried.tsv").write_text(tsv(row, row))
    assert load_labels(tmp_path).origins == {"query-id": {"corpus-id": "from-id"}}


def test_a_full_disk_is_told_of_the_file_that_has_no_room(folder, run, tmp_path):
    """Whoever's disk is full would look for what is wrong with the documents he named."""
    large = tmp_path / "large.jsonl"
    large.write_bytes((folder / "corpus.jsonl").read_bytes() + b"\n" * 400_000)
    words = (folder / "qrels.tsv", "--queries", folder / "queries.jsonl", "--corpus", large)
    with no_more_than(200_000):
        code, _, said = run("import", *words, "--to", tmp_path / "made")
    assert code == 3
    assert said.startswith(f"import: {tmp_path / '.made.'}")
    assert "too large" in said
    assert {one.name for one in tmp_path.iterdir()} <= {"set", "large.jsonl", "home"}


@pytest.mark.parametrize("id", ["two\nlines", "a\ttab", "x\r" + "long" * 100])
def test_an_id_that_no_line_can_hold_is_told_with_its_place(run, tmp_path, id):
    """Of a hundred thousand rows somebody would have to find the one by looking."""
    path = tmp_path / "shop.csv"
    path.write_bytes(f'query,docid,rating\nred,0001,1\nred,"{id}",2\n'.encode())
    code, _, said = run("import", path, "--to", tmp_path / "made")
    assert code == 3
    assert said.startswith(f"import: {path}:3: id ")
    assert "--id-map" in said
    assert len(said) < len(str(path)) + 250
    assert not (tmp_path / "made").exists()
    (tmp_path / "ids.csv").write_bytes(f'id,key\n"{id}",0002\n'.encode())
    words = ("--to", tmp_path / "made", "--id-map", tmp_path / "ids.csv")
    assert run("import", path, *words)[0] == 0
