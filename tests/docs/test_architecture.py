"""ARCHITECTURE.md is true: what it names is there, and what it shows runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from eval import demo
from eval.evidence import sealed

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
PROSE = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
STAGES = "scope select plan validate execute normalize aggregate rerank respond"


def named(prose: str) -> list[str]:
    """Words in backticks with a slash or a suffix of ours, whole folders of the root, and links."""
    words = re.findall(r"`([\w./-]+)`", prose)
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()}
    paths = [
        word
        for word in words
        if "/" in word or word in folders or word.endswith((".py", ".md", ".ipynb"))
    ]
    return [*paths, *re.findall(r"\]\(([^)#:]+)\)", prose)]


@pytest.mark.parametrize("path", sorted({path.removeprefix("./") for path in named(PROSE)}))
def test_every_path_exists(path):
    """A newcomer would look for a file that has moved."""
    assert (ROOT / path).exists()


def test_a_planted_path_is_seen():
    """A page could name anything and the test would stay green."""
    assert named("`esra/attic.py`, [x](docs/attic.md), `notebooks`, `share`") == [
        "esra/attic.py",
        "notebooks",
        "docs/attic.md",
    ]
    assert len(named(PROSE)) > 50


def test_the_blocks_run_one_after_the_other(tmp_path):
    """The first thing a newcomer types would fail."""
    assert len(BLOCKS) == 3
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(BLOCKS)], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_ladder_is_the_pipeline():
    """The picture would show stages in an order the pipeline does not have."""
    rungs = re.findall(r"^  (\w+) +\S.*?(pure|await)\b", PAGE, flags=re.MULTILINE)
    assert " ".join(name for name, _ in rungs) == STAGES
    page = (ROOT / "esra" / "pipeline.py").read_text("utf-8")
    body = page[page.index("async def _stages") :]
    awaited = re.findall(r"await (\w+)\(", body)
    assert [name.split("_")[0] for name in awaited] == [n for n, kind in rungs if kind == "await"]
    files = (ROOT / "esra" / "stages").glob("[!_]*.py")
    assert sorted(file.stem for file in files) == sorted(STAGES.split())


def test_every_folder_and_file_of_the_house_is_on_the_page():
    """A newcomer would meet a folder, or a file beside the folders, that nobody explains."""
    rooms = [
        path.relative_to(ROOT).as_posix()
        for house in ("esra", "eval")
        for path in (ROOT / house).iterdir()
        if (path / "__init__.py").exists()
        or (path.suffix == ".py" and not path.name.startswith("__"))
    ]
    words = set(re.findall(r"`([\w./-]+)`", PROSE))
    assert [room for room in rooms if room not in words] == []


def test_no_example_looks_at_a_sealed_question():
    """The page would teach people to look at what must not be looked at."""
    _, _, groups = demo.load()
    for query in re.findall(r'"(known:[^"]+)"', PAGE):
        assert not sealed([groups[query]])[0]
