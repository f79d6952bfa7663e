"""Puts finished files where a person wants them: nothing half, nothing over what is there unasked.

All files are made beside the target first. A new folder appears by one rename; in a folder that
exists each file is replaced whole, and only with leave.
"""

from __future__ import annotations

import filecmp
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path


class InTheWay(RuntimeError):
    """Something is there that would change; the message names it and the leave it needs."""


def fill(
    target: Path, make: Callable[[Path], None], owned: Iterable[str], force: bool
) -> list[str]:
    """Lets ``make`` fill a folder and moves it to ``target``; the names that are new or changed.

    ``owned`` are the files that belong together: one that is no longer made goes. Raises InTheWay.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as beside:
        fresh = Path(beside) / "new"
        fresh.mkdir()
        make(fresh)
        made = sorted(
            path.relative_to(fresh).as_posix() for path in fresh.rglob("*") if path.is_file()
        )
        if not target.exists():
            os.rename(fresh, target)
            return made
        if not target.is_dir():
            raise InTheWay(f"{target} is not a folder: name another one with --to")
        changed = [name for name in made if not _same(fresh / name, target / name)]
        stale = [name for name in owned if (target / name).exists() and name not in made]
        taken = [name for name in changed if (target / name).exists()] + stale
        if taken and not force:
            raise InTheWay(
                f"{target} holds other labels ({', '.join(taken)}): "
                "name another folder, or replace them with --force"
            )
        for name in changed:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(fresh / name, target / name)
        for name in stale:
            (target / name).unlink()
        return changed


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
        os.replace(fresh, target)


def _same(fresh: Path, old: Path) -> bool:
    return old.is_file() and filecmp.cmp(fresh, old, shallow=False)
