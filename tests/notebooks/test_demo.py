"""The recorded example that ships, and how it is made."""

import json
from types import SimpleNamespace

from eval import demo, replay
from eval.demo import build as building
from eval.demo.shipped import TRACES, source_of
from eval.pydocs.labels import Track


def test_every_shipped_trace_echoes():
    """The first picture would show a ranking that the runtime never made."""
    recordings, judgements, groups = demo.load()
    assert len(recordings) == len(judgements) == len(groups) == 72
    assert all(replay.echo(one) for one in recordings)
    assert all(one.reranked and one.asked for one in recordings)


def test_it_is_small_and_has_enough_groups_to_seal_some():
    """A large file would slow every clone; with fewer than 60 groups nothing is ever sealed."""
    assert (demo.FOLDER / TRACES).stat().st_size < 400_000
    _, _, groups = demo.load()
    assert len(set(groups.values())) >= 60


def test_names_of_functions_are_the_only_words_in_it():
    """Texts of other people's documentation, or prompts, would travel with the trace."""
    for line in (demo.FOLDER / TRACES).read_text("utf-8").splitlines():
        trace = json.loads(line)["trace"]
        assert trace["prompt"] is None
        rows = [row for answer in trace["answers"] for row in answer["rows"]]
        assert all(len(row) == 6 and row[0] == "api" and " " not in row[1] for row in rows)


def test_the_judged_documents_are_of_the_source_their_name_says():
    """A judgement would count for a document of another source."""
    _, judgements, _ = demo.load()
    pairs = [pair for grades in judgements.values() for pair in grades]
    assert all(source == source_of(key) for source, key in pairs)
    assert {source for source, _ in pairs} == {"matplotlib", "numpy", "pandas", "scipy", "sklearn"}


def test_it_can_be_made_again(tmp_path, monkeypatch):
    """The shipped file could never be renewed when the trace's format changes."""
    packages = {"numpy": ["append", "zeros"], "scipy": ["fft", "norm"]}
    folders = []
    for package, names in packages.items():
        folder = tmp_path / "known" / package
        folder.mkdir(parents=True)
        keys = [f"{package}.{name}" for name in names]
        _lines(
            folder / "corpus.jsonl",
            [{"_id": key, "title": key.replace(".", " "), "text": f"about {key}"} for key in keys],
        )
        _lines(
            folder / "queries.jsonl",
            [{"_id": f"q:{key}", "text": f"the {key}", "group": key} for key in keys],
        )
        rows = "".join(f"q:{key}\t{key}\t1\n" for key in keys)
        (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + rows, "utf-8")
        folders.append(folder)
    built = SimpleNamespace(tracks={Track.KNOWN: tuple(folders)})
    monkeypatch.setattr(building.pydocs, "build", lambda *args, **kwargs: built)
    monkeypatch.setenv("ESRA_HOME", str(tmp_path / "home"))
    made = [tmp_path / "one", tmp_path / "two"]
    for at, folder in enumerate(made):
        (tmp_path / f"work{at}").mkdir()
        building.build(folder, tmp_path / f"work{at}", say=lambda line: None)
    for name in ("traces.jsonl", "qrels.tsv", "queries.tsv"):
        assert (made[0] / name).read_bytes() == (made[1] / name).read_bytes()
    recordings, judgements, groups = demo.load(made[0])
    assert [one.query for one in recordings] == sorted(groups)
    assert all(replay.echo(one) and one.reranked for one in recordings)
    assert judgements["q:numpy.zeros"] == {("numpy", "numpy.zeros"): 1}


def _lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
