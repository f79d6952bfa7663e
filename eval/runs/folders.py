"""Which runs there are, and which one somebody means.

A run is a folder ``<home>/runs/<capability>/<recording>`` that `tune` wrote. Its id is
``<capability>/<recording>``; a beginning of it or of the recording alone will do where it is the
only one, and a capability alone means its latest run. A program that asks over a wire gets ids and
never a path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from eval.runfolder import LABELS, TRACES

ABOUT = "run.json"
NAMED = 5  # runs that an ambiguous name is told with
_PART = re.compile(r"[a-z0-9_]{1,64}")


class NoSuchRun(ValueError):
    """Nothing, or more than one run, goes by this name; the message says what there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFolder:
    """One run's folder. ``written``: seconds since the epoch; ``traced``: it can be replayed."""

    id: str
    path: Path
    written: float

    @property
    def capability(self) -> str:
        return self.id.partition("/")[0]

    @property
    def recording(self) -> str:
        return self.id.partition("/")[2]

    @property
    def traced(self) -> bool:
        return (self.path / LABELS).exists() and (self.path / TRACES).exists()


def runs_folder(base: Path) -> Path:
    """Where `tune` keeps its runs, in esra's home ``base``."""
    return base / "runs"


def all_runs(base: Path) -> list[RunFolder]:
    """Every run, the latest first; of two written at once, by id."""
    found = [_run(folder) for folder in _candidates(runs_folder(base))]
    return sorted(found, key=lambda run: (-run.written, run.id))


def find_run(base: Path, name: str) -> RunFolder:
    """The run that an id, its beginning, or a capability names. Never follows a path.

    NoSuchRun says which runs there are.
    """
    capability, slash, recording = name.partition("/")
    if not _PART.fullmatch(capability) or (slash and not _PART.fullmatch(recording)):
        raise NoSuchRun(f"{name!r} is no run's id; `runs list` shows them")
    found = {run.id: run for run in all_runs(base)}
    ids = meant(found, name)
    if not ids:
        raise NoSuchRun(f"no run {name!r}; `runs list` shows those there are")
    return found[ids[0]]


def meant(ids: Iterable[str], name: str) -> list[str]:
    """The ids that a name means, in their order: all of a capability or its tool, or the one that
    it is or begins, whole or behind its slash, or none. NoSuchRun where it begins several.
    """
    ids = list(ids)
    for capability in (name, name.removeprefix("esra_")):
        if own := [id for id in ids if id.startswith(f"{capability}/")]:
            return own
    if name in ids:
        return [name]
    begun = [id for id in ids if (id if "/" in name else id.partition("/")[2]).startswith(name)]
    if len(begun) > 1:
        named = ", ".join([*sorted(begun)[:NAMED], *(["..."] if len(begun) > NAMED else [])])
        raise NoSuchRun(f"{name!r} begins {len(begun)} runs, {named}; name more of it")
    return begun


def named_run(base: Path, name: str) -> RunFolder:
    """For a person at a terminal: an id as for ``find_run``, or the path of a run's folder."""
    folder = Path(name).expanduser()
    if folder.is_dir() and _is_run(folder):
        return _run(folder.resolve())
    return find_run(base, name)


def folder_of(base: Path, name: str) -> Path:
    """As ``named_run``, for commands that read any folder there is and say what it lacks."""
    folder = Path(name).expanduser()
    if folder.is_dir() and not _is_run(folder):
        # A folder of labels often has its capability's name, and lies where the command is typed.
        with suppress(NoSuchRun):
            return find_run(base, name).path
    return folder if folder.is_dir() else find_run(base, name).path


def _candidates(root: Path) -> Iterator[Path]:
    for folder in root.glob("*/*"):
        named = _PART.fullmatch(folder.parent.name) and _PART.fullmatch(folder.name)
        # A link could lead a reader over the wire out of the runs.
        linked = folder.is_symlink() or folder.parent.is_symlink()
        if named and not linked and _is_run(folder):
            yield folder


def _is_run(folder: Path) -> bool:
    return (folder / LABELS).is_file() or (folder / ABOUT).is_file()


def _run(folder: Path) -> RunFolder:
    files = [folder / name for name in (ABOUT, LABELS, TRACES)]
    return RunFolder(
        id=f"{folder.parent.name}/{folder.name}",
        path=folder,
        written=max(file.stat().st_mtime for file in files if file.exists()),
    )
