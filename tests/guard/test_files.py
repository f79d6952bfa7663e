"""What the repository may hold: no machine's path, no index's address, no missing file's name."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping

import pytest

from tests.guard.house import ROOT

PAGES = (
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "locks/README.md",
    "docs/not-built.md",
    "docs/audit.md",
)

# Written so that this file does not hold what it looks for.
FOREIGN = re.compile(
    r"/(?:work|root)/|/home/[a-z]|/(?:Users)/[a-z]|"
    r"[a-z]\.pythonhosted\.org|\bpypi\.org|npmjs\.(?:org|com)|debian\.org/|"
    r"-{2}(?:index-url|find-links)[ =]|https?://[^ )\"'>]+/(?:simple|packages)/"
)
# The rows came from outside; the others name what they scrub or refuse.
QUOTED = (
    "tests/requirements.md",
    "tests/guard/test_files.py",
    "tests/notebooks/test_scrub.py",
    "tests/notebooks/test_check.py",
)

# A word in backticks that looks like a path of the checkout.
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)*/?)`")
SUFFIXES = (".md", ".py", ".toml", ".txt", ".ipynb", ".csv", ".jsonl")


def tracked() -> dict[str, str]:
    """Every text file that git keeps, by its path."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    texts = {}
    for name in filter(None, listed.stdout.split("\0")):
        content = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b"\0"
        if b"\0" not in content[:8000]:
            texts[name] = content.decode("utf-8", "replace")
    return texts


def foreign(files: Mapping[str, str]) -> list[str]:
    """Lines that hold a path of somebody's machine or the address of a package index."""
    return [
        f"{name}:{number}: {match.group()}"
        for name, text in files.items()
        if name not in QUOTED
        for number, line in enumerate(text.splitlines(), 1)
        for match in FOREIGN.finditer(line)
    ]


def missing(pages: Mapping[str, str], links: bool = True) -> list[str]:
    """Paths that a page names and the checkout does not have."""
    found = []
    for name, text in pages.items():
        prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        named = [
            word
            for word in PATH.findall(prose)
            if "/" in word.strip("/") or word.endswith((*SUFFIXES, "/"))
        ]
        named += [link for link in re.findall(r"\]\(([^)#:]+)\)", prose) if links]
        here = (ROOT / name).parent
        found += [
            f"{name}: {path}"
            for path in named
            if not (here / path).exists() and not (ROOT / path).exists()
        ]
    return found


def test_no_tracked_file_holds_a_machine_or_an_index():
    """Such a line works on one machine and fails, or tells too much, on every other."""
    assert foreign(tracked()) == []


@pytest.mark.parametrize(
    "line",
    [
        "sys.path.insert(0, '/ro" + "ot/lib')",
        "see /wo" + "rk/shared/x.md",
        "C = '/ho" + "me/ann/x'",
        "pip install --index" + "-url x",
        "https://files.python" + "hosted.org/a.whl",
        "url = 'https://py" + "pi.org/p'",
        "https://mirror.example/sim" + "ple/numpy",
    ],
)
def test_a_planted_address_is_found(line: str):
    """The guard must see the address wherever it stands in a line."""
    assert foreign({"eval/x.py": f"a\n{line}\n"}) != []


def test_ordinary_lines_are_left_alone():
    """A guard that cries at a home-made example would be switched off."""
    assert (
        foreign({"README.md": "`~/data`, /tmp, https://example.org/home, --no-emit-index-url\n"})
        == []
    )


@pytest.mark.parametrize("page", [page for page in PAGES if (ROOT / page).exists()])
def test_every_path_a_page_names_exists(page: str):
    """A reader who looks for the file finds it."""
    assert missing({page: (ROOT / page).read_text("utf-8")}) == []


def test_a_planted_path_is_found():
    """Prose, folder and link alike; what stands in a code block is somebody's own."""
    prose = "`esra/attic.py` `attic/` [x](docs/attic.md) `esra/scoring.py` `not a path`"
    text = f"{prose}\n```\n`my/own.csv`\n```"
    assert missing({"README.md": text}) == [
        "README.md: esra/attic.py",
        "README.md: attic/",
        "README.md: docs/attic.md",
    ]
