"""A data set is built whole or not at all, and found again."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from eval.pydocs import PydocsError, build, builder
from eval.pydocs.manifest import Manifest, fingerprint, load, versions


class Child:
    """Stands in for the process that reads the packages; writes a manifest and one file."""

    def __init__(self) -> None:
        self.runs = 0
        self.trouble: Exception | None = None

    def __call__(self, asked: int, say: object, lock: int, folder: Path) -> None:
        self.runs += 1
        (folder / "text").write_text(f"{asked} questions", encoding="utf-8")
        if self.trouble:
            raise self.trouble
        Manifest(
            fingerprint=fingerprint(versions(), asked),
            versions=versions(),
            sources=("p", "q"),
            counts={"known-item": {"documents": 2}},
        ).write(folder)


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> Child:
    """The stand-in, in place."""
    made = Child()
    monkeypatch.setattr(builder, "_run_child", made)
    return made


def test_the_second_call_builds_nothing(tmp_path: Path, child: Child) -> None:
    """Else every start would read the packages again."""
    out = tmp_path / "data" / "pydocs"
    first, second = build(out), build(out)
    assert child.runs == 1
    assert (first.fresh, second.fresh) == (True, False)
    assert (
        first.tracks
        == second.tracks
        == {
            "known-item": (out / "known-item" / "p", out / "known-item" / "q"),
        }
    )
    assert first.counts == {"known-item": {"documents": 2}}


def test_other_options_replace_it(tmp_path: Path, child: Child) -> None:
    """Else fifty questions would be answered with yesterday's thousand."""
    build(tmp_path / "pydocs")
    built = build(tmp_path / "pydocs", queries=50)
    assert built.fresh
    assert "; 50 questions" in built.fingerprint
    assert (tmp_path / "pydocs" / "text").read_text(encoding="utf-8") == "50 questions"
    assert {path.name for path in tmp_path.iterdir()} == {"pydocs", ".pydocs.lock"}


def test_the_fingerprint_names_every_version() -> None:
    """Else an update of a package would go on with texts of the old one."""
    found = versions()
    mark = fingerprint(found, 1000)
    assert all(f"{name} {number}" in mark for name, number in found.items())
    assert set(found) == {"matplotlib", "numpy", "pandas", "scipy", "scikit-learn"}
    assert fingerprint({**found, "numpy": "0"}, 1000) != mark


@pytest.mark.parametrize("trouble", [PydocsError("broken"), KeyboardInterrupt()])
def test_a_build_that_fails_leaves_the_old_one(
    tmp_path: Path,
    child: Child,
    trouble: Exception,
) -> None:
    """Else an interrupted update would cost the data set that was there."""
    build(tmp_path / "pydocs", queries=7)
    child.trouble = trouble
    with pytest.raises(type(trouble)):
        build(tmp_path / "pydocs", queries=8)
    assert build(tmp_path / "pydocs", queries=7).fresh is False
    assert {path.name for path in tmp_path.iterdir()} == {"pydocs", ".pydocs.lock"}


def test_what_a_killed_build_left_is_swept(tmp_path: Path, child: Child) -> None:
    """Else every killed build would keep its megabytes for ever."""
    (tmp_path / ".pydocs.part-killed" / "new").mkdir(parents=True)
    build(tmp_path / "pydocs")
    assert {path.name for path in tmp_path.iterdir()} == {"pydocs", ".pydocs.lock"}


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path, child: Child) -> None:
    """Else a mistyped folder would be lost."""
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(PydocsError, match="name an empty folder"):
        build(tmp_path)
    assert (tmp_path / "thesis.tex").exists()
    assert child.runs == 0


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, child: Child) -> None:
    """Else a wrong folder would end in a page of traceback."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(PydocsError, match="name another folder"):
        build(tmp_path / "file" / "pydocs")


def test_a_builder_that_outlives_its_caller_keeps_the_lock(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the next build would sweep the folder that an orphan is still writing."""
    kept: list[subprocess.Popen[bytes]] = []

    def leave(asked: int, say: object, lock: int, folder: Path) -> None:
        kept.append(subprocess.Popen(["sleep", "60"], pass_fds=(lock,)))
        raise PydocsError("gone")

    monkeypatch.setattr(builder, "_run_child", leave)
    with pytest.raises(PydocsError, match="gone"):
        build(tmp_path / "pydocs")
    with (tmp_path / ".pydocs.lock").open("w") as file:
        with pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        kept[0].kill()
        kept[0].wait()
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize("queries", [0, -1, 1001])
def test_a_number_it_cannot_give_is_refused(tmp_path: Path, child: Child, queries: int) -> None:
    """Else `--queries 0` would tune on nothing."""
    with pytest.raises(PydocsError, match="1 to 1000 questions"):
        build(tmp_path / "pydocs", queries=queries)


def test_the_trouble_of_the_child_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a broken package would end in a page of traceback."""
    broken = tmp_path / "broken" / "matplotlib"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise OSError('no disk')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(broken.parent))
    with pytest.raises(PydocsError) as raised:
        build(tmp_path / "pydocs")
    assert "OSError: no disk" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert load(tmp_path / "pydocs") is None


def test_the_caller_stays_light() -> None:
    """Else `./workbench tune --help` would wait for matplotlib."""
    heavy = "{'matplotlib', 'pandas', 'scipy', 'sklearn'} & set(sys.modules)"
    code = f"import sys; from eval.pydocs import build; print({heavy})"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "set()"
