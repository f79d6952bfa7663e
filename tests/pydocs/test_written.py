"""What a build writes can be read by anyone who reads labelled folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.dataset import load_federation
from eval.pydocs import child
from eval.pydocs.labels import shares
from eval.pydocs.manifest import load
from eval.pydocs.packages import Package
from eval.pydocs.write import title

BODY = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
PARTS = ("red", "green", "blue", "white", "black", "grey", "pink", "brown")


def _text(color: str, note: str = "") -> str:
    return f"""Paint the {color} side of a thing.\n\n{color} {BODY}{note}"""


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Package, ...]:
    """Two packages of eight functions each; `shade.red` and `paint.red` ask one question."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    for name, note in (("paint", ""), ("shade", " sixteen")):
        functions = [
            f"def {color}():\n    {_text(color if color == 'red' else name + color, note)!r}\n"
            for color in PARTS
        ]
        (site / f"{name}.py").write_text("\n".join(functions), encoding="utf-8")
    made = tuple(
        # The version of numpy stands for one of its own: the package is not installed.
        Package(name=name, distribution="numpy", licence="none", modules=("",))
        for name in ("paint", "shade")
    )
    for module in ("eval.pydocs.child", "eval.pydocs.manifest", "eval.pydocs.card"):
        monkeypatch.setattr(f"{module}.PACKAGES", made)
    return made


def _queries(folder: Path) -> list[str]:
    return [json.loads(line)["_id"] for line in folder.read_text(encoding="utf-8").splitlines()]


def test_a_question_of_two_sources_stands_in_both(
    tmp_path: Path,
    packages: tuple[Package, ...],
) -> None:
    """Else a right document of another source would be an unjudged one."""
    (tmp_path / "out").mkdir()
    child.main(tmp_path / "out", 1000)
    known = tmp_path / "out" / "known-item"
    row = {
        "_id": "known:paint.red",
        "text": "Paint the red side of a thing",
        "track": "known-item",
        "package": "paint",
    }
    for name in ("paint", "shade"):
        lines = (known / name / "queries.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        (found,) = [one for one in rows if one["_id"] == row["_id"]]
        assert found == {**row, "group": found["group"]}
        assert f"known:paint.red\t{name}.red\t1" in (known / name / "qrels.tsv").read_text()
    built = load(tmp_path / "out")
    assert built is not None
    # Eight and eight, one question in common; nothing refers to anything: each is a group.
    numbers = dict(built.counts["known-item"])
    assert 0 < numbers.pop("sealed groups") < 15
    assert numbers == {
        "documents": 16,
        "queries": 15,
        "judgements": 16,
        "queries with several right documents": 1,
        "groups": 15,
        "queries in the largest group": 1,
    }


def test_a_track_without_a_question_is_left_out_with_a_word(
    tmp_path: Path,
    packages: tuple[Package, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Else a run would end at a federation in which there is nothing to find."""
    child.main(tmp_path, 1000)
    built = load(tmp_path)
    assert built is not None
    assert list(built.counts) == ["known-item"]
    assert not (tmp_path / "related-item").exists()
    assert "related-item: left out, these packages give no question" in capsys.readouterr().out
    assert "related-item: left out" in (tmp_path / "CARD.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", [1, 2, 5, 20])
def test_any_number_of_questions_gives_a_federation(
    tmp_path: Path,
    packages: tuple[Package, ...],
    number: int,
) -> None:
    """Else a short run would end at a source whose turn to be asked had not come."""
    child.main(tmp_path, number)
    built = load(tmp_path)
    assert built is not None
    for track, counts in built.counts.items():
        found = load_federation([tmp_path / track / source for source in built.sources])
        assert len(found.judgements) == counts["queries"] == min(number, 15)
        assert [source.name for source in found.sources] == ["paint", "shade"]


def test_fewer_questions_are_a_prefix_and_keep_the_documents(
    tmp_path: Path,
    packages: tuple[Package, ...],
) -> None:
    """Else every other number of questions would be another data set to embed."""
    for number in (4, 1000):
        (tmp_path / str(number)).mkdir()
        child.main(tmp_path / str(number), number)
    asked = set()
    for name in ("paint", "shade"):
        few, full = (tmp_path / number / "known-item" / name for number in ("4", "1000"))
        assert (few / "corpus.jsonl").read_bytes() == (full / "corpus.jsonl").read_bytes()
        part, whole = _queries(few / "queries.jsonl"), _queries(full / "queries.jsonl")
        # The packages take turns: each has its share, in the same order.
        assert len(part) >= 2
        assert part == whole[: len(part)]
        asked |= set(part)
    assert len(asked) == 4


def test_a_title_is_the_name_in_words() -> None:
    """Else a text search would take the name for a host and see nothing in it."""
    assert title("sklearn.metrics.accuracy_score") == "sklearn metrics accuracy score"
    assert title("sklearn.svm.LinearSVC.fit") == "sklearn svm Linear SVC fit"


def test_a_fifth_of_the_questions_is_related() -> None:
    """Else a short run would show the second track with no question at all."""
    assert shares(1000) == {"known-item": 1000, "related-item": 200}
    assert shares(1) == {"known-item": 1, "related-item": 1}
