"""What a built data set says of itself: its fingerprint, its sources and its counts."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from eval.pydocs.packages import PACKAGES

NAME = "manifest.json"
CARD = "CARD.md"
# The seal and the sources in numbers, by track: documents, queries, groups and so on.
Counts = Mapping[str, Mapping[str, int]]


class PydocsError(Exception):
    """The data set cannot be built; one line that says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Written last: a folder that has one is complete."""

    fingerprint: str
    versions: Mapping[str, str]
    sources: tuple[str, ...]
    counts: Counts

    def write(self, folder: Path) -> None:
        """Into the folder of the data set."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"
        (folder / NAME).write_text(text, encoding="utf-8")


def load(folder: Path) -> Manifest | None:
    """The manifest of a built data set, or None where there is none that can be read."""
    try:
        said = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return Manifest(**{**said, "sources": tuple(said["sources"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def versions() -> dict[str, str]:
    """The installed version of every package read, without importing one."""
    try:
        return {package.distribution: version(package.distribution) for package in PACKAGES}
    except PackageNotFoundError as absent:
        raise PydocsError(
            f"pydocs is made from the documentation of {absent.name}, which is not installed: "
            "install the workbench's environment, or name a labelled folder with --data",
        ) from absent


def fingerprint(found: Mapping[str, str], questions: int) -> str:
    """Package versions, the builder's own text and the options: the same makes the same bytes."""
    packages = ", ".join(f"{name} {number}" for name, number in found.items())
    return f"pydocs {_builder()}: {packages}; {questions} questions"


def _builder() -> str:
    # A number to raise by hand would be forgotten; the source cannot be.
    own = sorted(Path(__file__).parent.glob("*.py"))
    return sha256(b"".join(path.read_bytes() for path in own)).hexdigest()[:12]
