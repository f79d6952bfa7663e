"""The lines of a text file, plain or gzip: bounded, UTF-8, numbered from 1.

A byte order mark and carriage returns before a line's end are taken away, blank lines are skipped.
A NUL byte, a byte that is not UTF-8, or a line over the bound is refused and the next line is read.
A file whose lines end with carriage returns alone is one line to everybody, and refused as that.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eval.formats.findings import Findings

# Far above any document a text search takes (PostgreSQL's limit is a megabyte of lexemes).
LONGEST_LINE = 16 * 1024 * 1024
_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_STRANGE = {
    b"\xff\xfe": "is UTF-16: save the file as UTF-8",
    b"\xfe\xff": "is UTF-16: save the file as UTF-8",
    b"PK\x03\x04": "is a spreadsheet or a ZIP archive: save it as text, or unpack it",
    _GZIP: "is packed twice: unpack it once",
    **dict.fromkeys(
        (b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", *(b"BZh%d1AY&SY" % size for size in range(1, 10))),
        "is packed, and not by gzip: unpack it",  # by xz, zstd or bzip2
    ),
}


def numbered_lines(
    path: Path, findings: Findings, *, whole: bool = False
) -> Iterator[tuple[int, str]]:
    """``(line number, text)`` of every line that is not blank and could be read.

    ``whole`` keeps blank lines and line ends, for a format whose cells may hold them.
    """
    with _told(path, findings), _opened(path) as file:
        yield from _decoded(path, file, findings, whole)


def leading_bytes(path: Path, size: int, findings: Findings) -> bytes | None:
    """The first ``size`` bytes of a file, plain or gzip; None where they cannot be read."""
    with _told(path, findings), _opened(path) as file:
        return file.read(size)
    return None


@contextmanager
def _told(path: Path, findings: Findings) -> Iterator[None]:
    """Turns what is wrong with a file as a whole into a finding."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile):
        findings.refuse(path, 0, "is a torn gzip file: copy it again")
    except _NotAFile:
        findings.refuse(path, 0, "is not a file: name a regular file")
    except OSError as trouble:
        findings.refuse(path, 0, f"cannot be read: {trouble.strerror}")


class _NotAFile(OSError):
    """Nothing there, a folder, or a pipe or device, which might never end."""


def _opened(path: Path) -> io.BufferedIOBase:
    if not path.is_file():
        raise _NotAFile
    with path.open("rb") as probe:
        packed = probe.read(2) == _GZIP
    return gzip.GzipFile(path) if packed else path.open("rb")


def _decoded(
    path: Path, file: io.BufferedIOBase, findings: Findings, whole: bool
) -> Iterator[tuple[int, str]]:
    for number, raw in enumerate(_bounded(file), start=1):
        if number == 1 and raw is not None:
            if why := _strange(raw):
                findings.refuse(path, 1, why)
                return
            raw = raw.removeprefix(_MARK)
        if raw is None:
            findings.refuse(path, number, f"is longer than {LONGEST_LINE} bytes: cut or split it")
        elif b"\0" in raw:
            at = raw.index(b"\0") + 1
            findings.refuse(path, number, f"holds a NUL byte (byte {at}): take it out")
        elif text := _utf8(path, number, raw, findings):
            if whole:
                yield number, text
            elif not text.isspace():
                yield number, text.rstrip("\r\n")


def _strange(first: bytes) -> str:
    """Why a file that begins so is no text of lines, "" where it may be one."""
    for beginning, why in _STRANGE.items():
        if first.startswith(beginning):
            return why
    alone = not first.endswith(b"\n") and b"\r" in first.rstrip(b"\r")
    # One JSON document may have its lines as it likes.
    if alone and not first.removeprefix(_MARK).lstrip().startswith((b"{", b"[")):
        return "ends its lines with carriage returns alone: save it with line feeds"
    return ""


def _bounded(file: io.BufferedIOBase) -> Iterator[bytes | None]:
    """Each line with its end; None for one that is too long, whose rest is passed over."""
    while raw := file.readline(LONGEST_LINE + 1):
        if len(raw) <= LONGEST_LINE or raw.endswith(b"\n"):
            yield raw
            continue
        while raw and not raw.endswith(b"\n"):
            raw = file.readline(LONGEST_LINE)
        yield None


def _utf8(path: Path, number: int, raw: bytes, findings: Findings) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as trouble:
        found = f"byte {trouble.start + 1} is {raw[trouble.start]:#04x}"
        findings.refuse(path, number, f"is not UTF-8 ({found}): save the file as UTF-8")
        return ""
