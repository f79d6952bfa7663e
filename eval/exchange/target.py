"""Puts finished files where a person wants them: nothing half, nothing over what is there unasked.

All files are made beside the target first. A new folder appears by one rename. Where more than
one file of a folder changes, the folder is replaced as a whole, in one step, by one that has the
new files beside all the others: whoever reads finds all old labels or all new ones, whenever this
is killed.
"""

from __future__ import annotations

import filecmp
import os
import tempfile
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from eval.exchange.whole import like, replace_whole
from eval.formats.swap import restored, synced


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """``names`` are new or changed; ``kept``: where in the folder the old ones lie, "" if none."""

    names: tuple[str, ...]
    kept: str = ""


class InTheWay(RuntimeError):
    """Something is there that would change; the message names it and the leave it needs."""


def fill(
    target: Path,
    make: Callable[[Path], None],
    owned: Iterable[str],
    force: bool,
    keep: Collection[str] = (),
) -> Filled:
    """Lets ``make`` fill a folder and moves it to ``target``.

    ``owned`` are the files that belong together: one that is no longer made goes. Of ``keep``, what
    goes or is replaced stays in the folder, under ``replaced/``. Raises InTheWay.
    """
    named, target = target, Path(os.path.realpath(target))
    target.parent.mkdir(parents=True, exist_ok=True)
    restored(target)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as beside:
        fresh = Path(beside) / "new"
        fresh.mkdir()
        make(fresh)
        made = sorted(
            path.relative_to(fresh).as_posix() for path in fresh.rglob("*") if path.is_file()
        )
        _write_down(fresh)
        if not target.exists():
            os.rename(fresh, target)
            synced(target.parent)
            return Filled(names=tuple(made))
        if not target.is_dir():
            raise InTheWay(f"{named} is not a folder: name another one with --to")
        changed = [name for name in made if not _same(fresh / name, target / name)]
        stale = [name for name in owned if (target / name).exists() and name not in made]
        taken = [name for name in changed if (target / name).exists()] + stale
        if taken and not force:
            raise InTheWay(
                f"{named} holds other labels ({', '.join(taken)}): "
                "name another folder, or replace them with --force"
            )
        for name in changed:
            if (target / name).exists():
                like(target / name, fresh / name)
        kept = [name for name in taken if name in keep]
        place = ""
        if len(changed) + len(stale) == 1 and not kept:
            _one(fresh, target, changed, stale)
        elif changed or stale:
            _refuse_standing(target, named)
            place = replace_whole(Path(beside), target, changed, stale, kept)
        return Filled(names=tuple(changed), kept=place)


def put(target: Path, make: Callable[[Path], None], force: bool) -> None:
    """Lets ``make`` write one file and moves it to ``target``. Raises InTheWay."""
    if target.is_dir():
        raise InTheWay(f"{target} is a folder: name a file")
    if target.exists() and not force:
        raise InTheWay(f"{target} exists: name another file, or replace it with --force")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as beside:
        fresh = Path(beside) / target.name
        make(fresh)
        synced(fresh)
        os.replace(fresh, target)
        synced(target.parent)


def _one(fresh: Path, target: Path, changed: list[str], stale: list[str]) -> None:
    """One file is whole by itself."""
    for name in changed:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(fresh / name, target / name)
    for name in stale:
        (target / name).unlink()
    synced(target)


def _refuse_standing(target: Path, named: Path) -> None:
    """A shell stays in the folder it stands in, and would see it emptied."""
    if Path.cwd().is_relative_to(target):
        raise InTheWay(
            f"{named} is replaced as a whole, and you stand in it: call this from another folder"
        )


def _write_down(folder: Path) -> None:
    for path in folder.rglob("*"):
        synced(path)
    synced(folder)


def _same(fresh: Path, old: Path) -> bool:
    return old.is_file() and filecmp.cmp(fresh, old, shallow=False)
