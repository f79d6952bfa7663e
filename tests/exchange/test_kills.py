"""Labels are replaced as a whole: whoever reads has the old ones or the new ones, kills or not.

The short form kills where a name changes in the file system, ``ESRA_LONG=1`` at every step there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from eval.dataset import load_folder
from eval.dataset.labels import load_labels
from eval.exchange import cli_import
from tests.exchange.killing import TYPED, content

FORM = "long" if os.environ.get("ESRA_LONG") == "1" else "short"
ROOT = Path(__file__).resolve().parents[2]
OLD = "query,docid,ada,bob\nred shoes,0001,3,1\nred shoes,https://x.org/a?b=1,0,0\nvans,0001,,0\n"
NEW = "query,docid,ada\nred shoes,0001,0\nred shoes,copy,2\nanother one, edge ,1\n"


@pytest.fixture
def judged(folder, run, tmp_path):
    """A folder with two raters' work in it and things that are no labels, and a file to import."""
    first = tmp_path / "first"
    first.mkdir()
    (first / "old.csv").write_text(OLD)
    (first / "new.csv").write_text(NEW)
    (folder / "qrels.tsv").unlink()
    folder.rename(first / "set")
    run("import", first / "old.csv", "--format", "quepid-raters", "--to", first / "set")
    (first / "set" / "runs" / "empty").mkdir(parents=True)
    (first / "set" / "runs" / "bm25.run").write_text("q 1\tQ0\t0001\t1\t2\tbm25\n")
    (first / "set" / "notes.md").write_text("my own words\n")
    (first / "set" / "link").symlink_to("runs")
    return first


@pytest.mark.parametrize("how", ["", "plain"])
def test_a_killed_import_leaves_old_labels_or_new_ones(judged, tmp_path, how):
    """Queries of one import and judgements of another would be tuned on, and nobody would know."""
    words = [sys.executable, "-m", "tests.exchange.killing", str(tmp_path), FORM]
    done = subprocess.run(
        [*words, *([how] if how else [])], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    print(json.dumps(found))
    assert found["wrong"] == []
    absent = {"absent until it is read"} if how else set()
    assert set(found["seen"]) == {"there", "old", "new"} | absent


def imported(judged, name, *words):
    to = ["--to", str(judged / "set"), "--force", "--json"]
    return cli_import.main([str(judged / name), *to, *words])


def test_what_is_replaced_is_kept_and_the_rest_stays(judged, capsys):
    """An afternoon of judging would be gone with one word too many on a command line."""
    before = content(judged / "set")
    capsys.readouterr()
    assert imported(judged, "new.csv", "--rule", "optimistic") == 0
    said = json.loads(capsys.readouterr().out)
    kept = judged / "set" / "replaced" / "1"
    assert f"what was replaced is kept in {kept}" in said["notes"]
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == {
        name: before[name] for name in (*TYPED, "carried.tsv")
    }
    after = content(judged / "set")
    for name in ("corpus.jsonl", "notes.md", "runs/bm25.run"):
        assert after[name] == before[name]
    assert (judged / "set" / "runs" / "empty").is_dir()
    assert os.readlink(judged / "set" / "link") == "runs"
    assert [path.name for path in judged.iterdir() if path.name.startswith(".")] == []
    imported(judged, "old.csv", "--format", "quepid-raters")
    assert sorted(path.name for path in kept.parent.iterdir()) == ["1", "2"]


@pytest.mark.parametrize("words", [(), ("--rule", "optimistic")])
def test_who_may_read_and_write_labels_stays(judged, words):
    """Labels that one team alone may see would lie open, or be another's, once they are renewed."""
    folder = judged / "set"
    owner = (12345, 54321) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    for path, mode in ((folder, 0o2750), (folder / "runs", 0o700), (folder / "qrels.tsv", 0o600)):
        os.chown(path, *owner)
        path.chmod(mode)
    assert imported(judged, "new.csv", *words) == 0
    for path, mode in ((folder, 0o2750), (folder / "runs", 0o700), (folder / "qrels.tsv", 0o600)):
        there = path.stat()
        assert (there.st_uid, there.st_gid, there.st_mode & 0o7777) == (*owner, mode)


def test_what_is_written_meanwhile_is_kept(judged, monkeypatch):
    """A judge who saved at that very moment would have judged for nothing."""
    from eval.exchange import whole

    real = whole.swap

    def slow(fresh, target):
        (target / "ratings.csv").write_text("typed just now")
        (target / "new note.md").write_text("and this")
        (target / "notes.md").open("a").write("one more line\n")
        real(fresh, target)

    monkeypatch.setattr(whole, "swap", slow)
    assert imported(judged, "new.csv") == 0
    kept = judged / "set" / "replaced" / "1"
    assert (kept / "ratings.csv.later").read_text() == "typed just now"
    assert (kept / "new note.md").read_text() == "and this"
    assert (judged / "set" / "notes.md").read_text() == "my own words\none more line\n"
    assert not (kept / "notes.md").exists()


def test_a_folder_one_stands_in_is_not_replaced(judged, monkeypatch, capsys):
    """A shell would find itself in a folder that is gone."""
    monkeypatch.chdir(judged / "set")
    before = content(judged / "set")
    assert cli_import.main([str(judged / "new.csv"), "--to", ".", "--force"]) == 2
    assert "call this from another folder" in capsys.readouterr().err
    assert content(judged / "set") == before


@pytest.mark.parametrize("read", [load_labels, load_folder])
def test_who_reads_while_labels_are_replaced_has_one_set(judged, capsys, read):
    """A report would be of the queries of one set and the judgements of another."""
    known = []
    for name, words in (("new.csv", ()), ("old.csv", ("--format", "quepid-raters"))):
        assert imported(judged, name, *words) == 0
        known.append(read(judged / "set").fingerprint)
    assert len(set(known)) == 2
    done, seen, times = threading.Event(), set(), 0

    def write():
        for turn in range(6):
            name, words = (("new.csv", ()), ("old.csv", ("--format", "quepid-raters")))[turn % 2]
            imported(judged, name, *words)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not done.is_set():
        seen.add(read(judged / "set").fingerprint)
        times += 1
    writer.join()
    assert seen <= set(known)
    assert times > 6
