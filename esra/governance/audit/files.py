"""The log's files: one folder, a new file each day (UTC) and at a size, in the order of sequence.

``audit-20260131-000000000042.jsonl`` begins with record 42. The lowest level: names, reading and
appending; the chain is not known here.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

_NAME = re.compile(r"audit-(\d{8})-(\d{12,})\.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line as it stands in the log, without its line break. ``number`` counts from 1."""

    file: str
    number: int
    data: bytes
    ended: bool = True


def name_of(now: float, sequence: int) -> str:
    """The file that begins at ``now`` with record ``sequence``."""
    return f"audit-{datetime.fromtimestamp(now, UTC):%Y%m%d}-{sequence:012d}.jsonl"


def same_day(name: str, now: float) -> bool:
    return name.startswith(f"audit-{datetime.fromtimestamp(now, UTC):%Y%m%d}-")


def names(folder: Path) -> list[str]:
    """The log's files in the order of their records."""
    found = [name for name in _listed(folder) if _NAME.fullmatch(name)]
    return sorted(found, key=order)


def order(name: str) -> tuple[int, str]:
    """By the first record, not by the day: a clock may be set back."""
    return int(name[15:-6]), name


def read(folder: Path, sizes: Mapping[str, int], start: int = 0) -> Iterator[Line]:
    """The lines of the files named in ``sizes``, each up to that many bytes.

    ``start`` bytes of the first file are passed over.
    """
    for name, size in sizes.items():
        number, rest = 0, size - start
        with (folder / name).open("rb") as file:
            file.seek(start)
            start = 0
            while rest > 0 and (data := file.readline(rest)):
                number, rest = number + 1, rest - len(data)
                ended = data.endswith(b"\n")
                yield Line(file=name, number=number, data=data.removesuffix(b"\n"), ended=ended)


def size_of(folder: Path, name: str) -> int:
    """In bytes; 0 for a file that is not there."""
    try:
        return (folder / name).stat().st_size
    except FileNotFoundError:
        return 0


def make_folder(folder: Path) -> None:
    """Only its owner may enter."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def open_log(path: Path) -> int:
    """A descriptor that appends; ``OSError`` unless it is a regular file."""
    flags = os.O_APPEND | os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    handle = os.open(path, flags, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{path.name} is no regular file")
    return handle


def write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def _listed(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
