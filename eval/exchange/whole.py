"""Replaces a folder by one with other files in it: in one step, and losing nothing else.

What stays is the same file under a second name (a hard link) until the old folder goes, so that
nothing large is copied. What somebody else wrote meanwhile is found and kept.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from eval.formats.swap import swap, synced

REPLACED = "replaced"


def replace_whole(
    beside: Path, target: Path, changed: list[str], stale: list[str], kept: list[str]
) -> str:
    """``beside`` holds ``new/`` with the changed files, and has the old folder afterwards.

    ``stale`` go, and of those ``kept`` the old ones lie under ``replaced/1/``, 2 and so on:
    where is handed back, "" where nothing lies there.
    """
    whole, fresh = beside / "whole", beside / "new"
    place = _free(target)
    seen = {}
    _folders(target, whole)
    for name in _files(target):
        seen[name] = _mark(target / name)
        if name in kept:
            _link(target / name, whole / place / name)
        if name not in changed and name not in stale:
            _link(target / name, whole / name)
    for name in changed:
        (whole / name).parent.mkdir(parents=True, exist_ok=True)
        os.rename(fresh / name, whole / name)
    for folder, _, _ in os.walk(whole):
        synced(Path(folder))
    swap(whole, target)
    synced(target.parent)
    for name in _files(whole):
        if _mark(whole / name) != seen.get(name):
            _keep(whole / name, target / name, target / place / name)
    return place if (target / place).exists() else ""


def _free(target: Path) -> str:
    number = 1
    while (target / REPLACED / str(number)).exists():
        number += 1
    return f"{REPLACED}/{number}"


def _folders(old: Path, new: Path) -> None:
    """The folders of ``old`` without what is in them."""
    for inner, _, _ in os.walk(old):
        made = new / Path(inner).relative_to(old)
        made.mkdir()
        shutil.copystat(inner, made)
        like(Path(inner), made)


def like(old: Path, new: Path) -> None:
    """Gives ``new`` the owner, the group and the permissions of ``old``, as far as one may: who
    could read or write it before still can, and nobody else.
    """
    there = old.stat()
    for owner in (there.st_uid, -1):
        with suppress(OSError):  # not for everybody, nor in every file system
            os.chown(new, owner, there.st_gid)
            break
    new.chmod(stat.S_IMODE(there.st_mode))  # a new owner may have taken marks of it away


def _files(folder: Path) -> Iterator[str]:
    """Whatever is no folder, links to folders among them, under its name in ``folder``."""
    for inner, folders, names in os.walk(folder):
        linked = [name for name in folders if (Path(inner) / name).is_symlink()]
        for name in sorted([*names, *linked]):
            yield (Path(inner) / name).relative_to(folder).as_posix()


def _mark(path: Path) -> tuple[int, int, int]:
    """Another one for every writing of a file, in place or by another file."""
    found = path.lstat()
    return (found.st_ino, found.st_size, found.st_mtime_ns)


def _link(old: Path, new: Path) -> None:
    new.parent.mkdir(parents=True, exist_ok=True)
    if old.is_symlink():
        os.symlink(os.readlink(old), new)
        return
    try:
        os.link(old, new)
    except OSError:  # a file system without such names
        shutil.copy2(old, new)


def _keep(written: Path, there: Path, place: Path) -> None:
    """What was written into the old folder while the new one was made, unless it is in there too.

    A writing in place changes the one file that both folders have."""
    if there.exists() and os.path.samefile(written, there):
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    while place.exists():
        place = place.with_name(f"{place.name}.later")
    os.rename(written, place)
