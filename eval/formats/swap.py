"""Swaps two folders in one step: whoever looks sees the one or the other, killed or not.

Linux and macOS have a call for it. Where it is lacking, or the file system refuses it, the old
folder steps aside for the time of two renames; ``restored`` brings it back if that was cut off.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

_HERE = -100  # AT_FDCWD, of Linux
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS
# What a kernel or a file system answers that knows of no such call.
_LACKING = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EXDEV})


def swap(fresh: Path, target: Path) -> None:
    """Both are folders of one parent's file system; each has the other's name afterwards.

    Raises OSError where neither way is open, with both as they were.
    """
    lacking = _exchange(fresh, target)
    if lacking == 0:
        return
    if lacking not in _LACKING:
        raise OSError(lacking, os.strerror(lacking), str(target))
    aside = _aside(target)
    os.rename(target, aside)
    try:
        os.rename(fresh, target)
    except OSError:
        restored(target)
        raise
    os.rename(aside, fresh)


def restored(target: Path) -> None:
    """Brings a folder back that a swap was killed over; else does nothing."""
    real = Path(os.path.realpath(target))
    if real.exists() or not _aside(real).is_dir():
        return
    try:
        os.rename(_aside(real), real)
    except FileNotFoundError:
        return  # another reader was quicker, or the swap is at work after all


def synced(folder: Path) -> None:
    """Has the system write a folder's entries down, so that a loss of power finds them there."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _aside(target: Path) -> Path:
    return target.with_name(f".{target.name}.aside")


def _exchange(fresh: Path, target: Path) -> int:
    """0, or the number of the error."""
    first, second = os.fsencode(fresh), os.fsencode(target)
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin" and hasattr(library, "renamex_np"):
        failed = library.renamex_np(first, second, ctypes.c_uint(_EXCHANGE))
    elif sys.platform == "linux" and hasattr(library, "renameat2"):
        failed = library.renameat2(_HERE, first, _HERE, second, ctypes.c_uint(_EXCHANGE))
    else:
        return errno.ENOSYS
    return ctypes.get_errno() if failed else 0
