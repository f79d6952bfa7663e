"""A run of `tune` says which queries it asked and what they are, and no more than may be kept."""

import json
from dataclasses import replace

import pytest

from eval import runfolder
from eval.dataset import load_federation
from eval.evidence import sealed
from eval.recording import about
from eval.tune.order import tags_of
from tests.tune import labelled
from tests.tune.commands import command, tune

SECRET = "Zephyrine's overdue invoice"  # a question that nobody else may read


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Labels with tags and traffic, one of whose questions is confidential."""
    made = labelled.write(tmp_path_factory.mktemp("data") / "things")
    rows = [json.loads(line) for line in (made / "queries.jsonl").read_text().splitlines()]
    for place, row in enumerate(rows):
        row |= {"tags": ["language:en" if place % 2 else "language:de"], "traffic": 100 - place}
    rows[0]["text"] = SECRET
    (made / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return made


@pytest.fixture(scope="module")
def home(folder, tmp_path_factory):
    base = tmp_path_factory.mktemp("home")
    tune(base, "things", folder)
    return base


@pytest.fixture
def run(home):
    (found,) = (home / "runs" / "things").glob("*/")
    return found


@pytest.mark.req("W48")
def test_the_tables_by_segment_are_there_without_another_recording(run, home):
    """Whoever tuned would have to record again to see which language it serves."""
    told = about.read(run)
    assert len(told.queries) == 84
    assert told.queries["q000"].tags == ("language:de",)
    assert told.queries["q000"].traffic == 100
    assert told.queries["q000"].right == ("things",)
    assert told.sources["things"].documents == 98
    done = command(home, "eval", "measure", str(run), "--json")
    report = json.loads(done.stdout)
    assert "language" in json.dumps(report)
    assert "head" in json.dumps(report)


def telling(folder, texts):
    """The files of a folder in which one of the texts stands, whatever its case."""
    contents = {
        path.name: path.read_bytes().decode("utf-8", "replace").casefold()
        for path in folder.rglob("*")
        if path.is_file()
    }
    return {name for name, told in contents.items() if any(t.casefold() in told for t in texts)}


def test_under_a_keyed_hash_no_question_is_anywhere_in_the_run_folder(run, folder):
    """A folder that is handed on to show a curve would tell what somebody asked."""
    texts = [json.loads(line)["text"] for line in (folder / "queries.jsonl").open()]
    assert SECRET in texts
    made = {path.name for path in run.iterdir()}
    assert {"labels.json", "about.json", "traces.jsonl", "result.json"} <= made
    assert telling(run, texts) == set()


def test_a_question_that_was_kept_would_be_found(run, folder, tmp_path):
    """The test above would pass over a folder that keeps everything."""
    kept = runfolder.read(run)
    known = {query.id: query.group for query in load_federation([folder]).queries}
    runfolder.write(tmp_path, replace(kept, groups=known))
    assert telling(tmp_path, [SECRET]) == {"labels.json"}


@pytest.mark.req("W48")
def test_a_report_lists_every_segment_of_the_opened_part(run):
    """A person would hear of a segment only when it is too late, or never of a small one."""
    told = (run / "report.txt").read_text()
    for segment in ("language:de", "language:en", "part:head", "part:torso", "part:tail"):
        assert f"    {segment}  0." in told
    # 30 queries are sealed here, so that no segment holds as many.
    assert told.count("queries, too few to block)") == 5


def test_a_masked_group_stays_on_its_own_side_of_the_seal(run, folder):
    """Whoever explores the folder would look at queries that are kept for promotions."""
    known = {query.id: query.group for query in load_federation([folder]).queries}
    kept = runfolder.read(run).groups
    for query, group in known.items():
        assert sealed([group]).tolist() == sealed([kept[query]]).tolist()


@pytest.mark.req("W48")
def test_head_and_tail_go_by_traffic_unless_somebody_said(folder):
    """A sample of the head alone would be cut into a head, a torso and a tail of its own."""
    queries = list(load_federation([folder]).queries)
    found = tags_of(queries)
    assert found["q000"] == ("language:de", "part:head")
    assert found["q135"] == ("language:en", "part:tail")
    said = [type(one)(id=one.id, text="x", group="x", tags=("head",), extra=one.extra)
            for one in queries]  # fmt: skip
    assert set(tags_of(said).values()) == {("head",)}
