"""Folders become sources under names of their own, and their queries meet where they are one."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from eval.dataset import DatasetError, load_federation
from eval.dataset.names import source_names

NONE = "query-id\tcorpus-id\tscore\n"


def test_equal_queries_are_one_and_their_judgements_come_together(folder):
    """A question with right answers in two sources would be measured as two easier ones."""
    shared = {"_id": "q1", "text": "which?"}
    one = folder("one", queries=[shared], qrels="q1\td1\t2\n")
    two = folder("two", queries=[shared, {"_id": "q2", "text": "other"}], qrels="q1\td1\t1\n")
    found = load_federation([one, two])
    assert [(query.id, query.sources) for query in found.queries] == [
        ("q1", ("one", "two")),
        ("q2", ("two",)),
    ]
    assert found.judgements == {"q1": {("one", "d1"): 2, ("two", "d1"): 1}}
    assert found.unjudged == ("q2",)


def test_equal_ids_of_other_texts_are_kept_apart(folder):
    """Labels of one question would be applied to another."""
    paths = [
        folder(name, queries=[{"_id": "q1", "text": text}], qrels=f"q1\td1\t{grade}\n")
        for name, text, grade in (("en", "first", 1), ("es", "primero", 2), ("us", "first", 3))
    ]
    taken = {"_id": "es/q1", "text": "in the way"}
    paths.append(folder("odd", queries=[taken], qrels="es/q1\td2\t4\n"))
    found = load_federation(paths)
    assert found.judgements == {
        "en/q1": {("en", "d1"): 1, ("us", "d1"): 3},
        "es/es/q1": {("es", "d1"): 2},
        "es/q1": {("odd", "d2"): 4},
    }
    assert {query.id for query in found.queries} == set(found.judgements)


def test_a_folder_that_judges_anothers_query_is_about_that_very_query(folder):
    """Its judgements would be of a question of their own, with half of them each, and the group
    and the date of the one who asks would depend on which folder is named first.
    """
    asked = {"_id": "q1", "text": "second", "group": "g", "date": "2020-01-01", "tags": ["t"]}
    here = [{"_id": "q1", "text": "first"}, {"_id": "b/q1", "text": "second"}]
    paths = [
        folder("a", queries=here, qrels="q1\td1\t1\nb/q1\td1\t2\n"),
        folder("b", queries=[asked], qrels="q1\td2\t3\n"),
    ]
    for given in (paths, paths[::-1]):
        found = load_federation(given)
        assert found.judgements == {
            "a/q1": {("a", "d1"): 1},
            "b/q1": {("a", "d1"): 2, ("b", "d2"): 3},
        }
        (query,) = (one for one in found.queries if one.id == "b/q1")
        assert (query.group, query.date.year, query.tags) == ("g", 2020, ("t",))
        assert query.sources == ("b", "a"), "the first is the source that it is counted for"
        assert found.own == {"a": {"a/q1": "q1", "b/q1": "b/q1"}, "b": {"b/q1": "q1"}}
        assert found.findings == ()
    (paths[1] / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "second"}))
    assert load_federation(paths).queries[1].sources == ("b", "a")
    other = [{"_id": "q1", "text": "first"}, {"_id": "b/q1", "text": "third"}]
    (paths[0] / "queries.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in other))
    found = load_federation(paths)
    assert {query.id: query.text for query in found.queries} == {
        "a/q1": "first",
        "b/q1": "third",
        "b/b/q1": "second",
    }


def test_two_questions_never_come_under_one_id(folder):
    """One question would be asked for both, and the other's judgements be held against it."""
    # b's q1 would be b/q1, which is an id of either folder, so b/b/q1: as b's own b/q1 would be.
    a = folder("a", queries=[{"_id": "q1", "text": "x"}, {"_id": "b/q1", "text": "y"}], qrels=NONE)
    own = [{"_id": "q1", "text": "y"}, {"_id": "b/q1", "text": "x"}]
    found = load_federation([a, folder("b", queries=own, qrels="q1\td1\t1\n")])
    assert {query.id: query.text for query in found.queries} == {
        "a/b/q1": "y",
        "a/q1": "x",
        "b/b/b/q1": "y",
        "b/b/q1": "x",
    }


@pytest.mark.parametrize("seed", range(40))
def test_whatever_ids_folders_have_each_question_keeps_its_words_and_its_judgements(folder, seed):
    """Ids would mean another question from one recording to the next."""
    dice = random.Random(seed)
    asked: dict[str, dict[str, str]] = {}
    for name in "abc":
        ids = dice.sample(["1", "2", "a/1", "b/1", "c/1", "a/a/1", "b/b/1"], 4)
        asked[name] = {id: dice.choice("xyz") for id in ids}
    paths = [
        folder(
            f"{seed}/{name}",
            queries=[{"_id": id, "text": text} for id, text in own.items()],
            qrels="".join(f"{id}\td1\t1\n" for id in own),
        )
        for name, own in asked.items()
    ]
    found, turned = load_federation(paths), load_federation(paths[::-1])
    words = {query.id: query.text for query in found.queries}
    assert len(words) == len(found.queries)
    for name, own in asked.items():
        assert {id: words[joined] for joined, id in found.own[name].items()} == own
        assert {query for query in words if (name, "d1") in found.judgements[query]} == set(
            found.own[name]
        )
    assert turned.judgements == found.judgements
    assert {query.id: query.text for query in turned.queries} == words


def test_a_query_that_two_folders_date_otherwise_is_counted(folder):
    """One folder's idea of now would be used for the other without a word."""
    queries = [{"_id": "q1", "text": "t", "date": day} for day in ("2020-01-01", "2021-01-01")]
    paths = [folder(f"f{day['date'][:4]}", queries=[day], qrels="q1 d1 1\n") for day in queries]
    found = load_federation(paths)
    assert found.queries[0].date.year == 2020
    (only,) = found.findings
    assert "another group or date than in f2020, which is kept: 1, namely 'q1'" in only.message


def test_findings_of_every_folder_come_together(folder):
    """The flaws of the second folder would show only after the first was mended."""
    one, two = folder("one", corpus="x\n"), folder("two", qrels="y\n")
    with pytest.raises(DatasetError) as caught:
        load_federation([one, two])
    assert [Path(found.file).parent.name for found in caught.value.findings] == ["one", "two"]
    good = folder("good", qrels="q1\td1\t1\nq1\td1\t1\n")
    assert [found.count for found in load_federation([good]).findings] == [1]


HEADER = "query-id\tcorpus-id\tscore\n"
BARE = {
    "a header alone": {"queries": "", "qrels": HEADER},
    "queries nobody judged": {"qrels": HEADER},
    "empty files": {"queries": "", "qrels": ""},
    "no files": {"queries": None, "qrels": None},
    "no queries": {"queries": None, "qrels": HEADER},
    "nothing right": {"qrels": "q1\td1\t0\n"},
}


@pytest.fixture
def bare(folder):
    """``bare(name, queries=, qrels=)``: a folder without the files that are None."""

    def build(name, **files):
        path = folder(name, **{key: rows for key, rows in files.items() if rows is not None})
        for key, file in (("queries", "queries.jsonl"), ("qrels", "qrels.tsv")):
            if key in files and files[key] is None:
                (path / file).unlink()
        return path

    return build


@pytest.mark.parametrize("files", BARE.values(), ids=BARE)
def test_a_source_in_which_nothing_is_relevant_is_searched_too(folder, bare, files):
    """A federation could be tuned only if each of its sources had the answer to something."""
    found = load_federation([folder("full"), bare("noise", **files)])
    assert [(source.name, len(source.documents)) for source in found.sources] == [
        ("full", 2),
        ("noise", 2),
    ]
    assert {query.id for query in found.queries} == {"q1", "q2"}
    assert set(found.judgements) == {"q1", "q2"}
    (told,) = found.findings
    assert told.file.endswith("noise/qrels.tsv")
    assert told.message.startswith("names no relevant document (grade 1 or more)")


@pytest.mark.parametrize("files", BARE.values(), ids=BARE)
def test_a_federation_in_which_nothing_is_relevant_is_refused(bare, files):
    """A set that can measure nothing would be recorded and tuned."""
    paths = [bare("one", **files), bare("two", **files)]
    with pytest.raises(DatasetError, match=r"one: neither this folder nor another one names"):
        load_federation(paths)
    with pytest.raises(DatasetError, match=r"is missing|is empty|names no relevant document"):
        load_federation(paths[:1])


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"queries": None}, r"queries\.jsonl: is missing"),
        ({"queries": ""}, r"queries\.jsonl: is empty"),
        ({"qrels": None}, r"qrels\.tsv: is missing"),
        ({"qrels": "q9\td1\t1\n"}, r"qrels\.tsv: every judgement dangles"),
        ({"corpus": "", "queries": "", "qrels": ""}, r"corpus\.jsonl: is empty"),
    ],
)
def test_half_a_labelled_folder_is_no_source_without_labels(folder, bare, files, said):
    """A misnamed file would cost a source its labels without a word."""
    with pytest.raises(DatasetError, match=f"half/{said}"):
        load_federation([folder("full"), bare("half", **files)])


def test_a_folder_given_twice_is_refused(folder, tmp_path):
    """Every document would have a twin that competes with it."""
    one = folder("one")
    (tmp_path / "link").symlink_to(one)
    for paths in ([one, one], [one, tmp_path / "link"], [one, one / ".." / "one"]):
        with pytest.raises(DatasetError, match="given twice"):
            load_federation(paths)
    with pytest.raises(DatasetError, match="at least one folder"):
        load_federation([])


def test_the_fingerprint_follows_any_source(folder):
    """Changed data would pass for the data a configuration was tuned on."""
    one, two = folder("one"), folder("two")
    before = load_federation([one, two]).fingerprint
    assert load_federation([two, one]).fingerprint == before
    (two / "qrels.tsv").write_text("q1\td1\t1\n")
    assert load_federation([one, two]).fingerprint != before
    assert load_federation([one]).fingerprint != before


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["/d/tb01", "/d/tb02"], ["tb01", "tb02"]),
        (["/d/cranfield/v1", "/d/medline/v1"], ["cranfield_v1", "medline_v1"]),
        (["/d/cranfield/v1", "/d/cranfield/v2"], ["v1", "v2"]),
        (["/d/My Set!", "/d/my-set"], ["d_my_set", "d_my_set_2"]),
        (["/a", "/A"], ["a", "a_2"]),
        (["/x/a/b", "/y/a/b", "/z/b"], ["x_a_b", "y_a_b", "z_b"]),
        (["/d/2022a"], ["s_2022a"]),
        (["/d/Köln-Ärzte"], ["koln_arzte"]),
        (["/"], ["root"]),
    ],
)
def test_names_are_safe_and_tell_folders_apart(paths, names):
    """Two sources would share a table, or a name would break the catalog."""
    assert source_names([Path(path) for path in paths]) == names


@pytest.mark.parametrize("name", ["数据", "x" * 200, "'; DROP TABLE x;--", "--", "\udcff"])
def test_any_folder_name_gives_a_safe_name(name):
    """A folder's name would reach a command as text."""
    (found,) = source_names([Path("/d") / name])
    assert found.isascii()
    assert found.isidentifier()
    assert found == found.lower()
    assert len(found) <= 42
    (other,) = source_names([Path("/d") / f"{name}y"])
    assert other != found
