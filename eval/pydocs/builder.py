"""Builds the data set once and finds it again: whole or not at all, instant when it is there."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from eval.pydocs import manifest
from eval.pydocs.labels import QUESTIONS, Track
from eval.pydocs.manifest import Counts, Manifest, PydocsError

Say = Callable[[str], None]
_ROOT = Path(__file__).parents[2]
# The packages must open no window and take no more than one core; and some documentation
# prints a set, so that its words come in the order of Python's hash seed.
_SETTLED = {
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A built data set.

    `tracks`: track -> its source folders, one federation each. `counts`: track ->
    name -> number (documents, queries, judgements, groups, sealed groups, ...).
    `card`: the Markdown page of this build. `fresh`: it was built by this call.
    """

    tracks: dict[str, tuple[Path, ...]]
    fingerprint: str
    counts: Counts
    card: Path
    fresh: bool


def build(out: Path, *, queries: int | None = None, say: Say | None = None) -> Built:
    """The data set in the folder `out`, built there if no equal one is.

    `queries` takes the first so many known-item questions of the fixed order, and
    a fifth as many related ones; the documents stay the same. `say` gets one line
    for each step. Raises PydocsError, with what to do, where it cannot be built.
    """
    most = QUESTIONS[Track.KNOWN]
    if queries is not None and not 1 <= queries <= most:
        raise PydocsError(f"pydocs has 1 to {most} questions to give, not {queries}")
    say = say or _silent
    out = out.absolute()
    asked = queries or most
    mark = manifest.fingerprint(manifest.versions(), asked)
    found = _present(out, mark)
    if found:
        return _built(out, found, fresh=False)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with _alone(out, say) as lock:
            # Another process may have built it while this one waited.
            found = _present(out, mark)
            if found:
                return _built(out, found, fresh=False)
            return _built(out, _make(out, mark, partial(_run_child, asked, say, lock)), fresh=True)
    except OSError as trouble:
        raise PydocsError(
            f"pydocs cannot be written to {out} ({trouble.strerror}): name another folder",
        ) from trouble


def _silent(_: str) -> None:
    """Says nothing."""


def _present(out: Path, mark: str) -> Manifest | None:
    found = manifest.load(out)
    return found if found and found.fingerprint == mark else None


def _built(out: Path, found: Manifest, *, fresh: bool) -> Built:
    return Built(
        tracks={track: tuple(out / track / s for s in found.sources) for track in found.counts},
        fingerprint=found.fingerprint,
        counts=found.counts,
        card=out / manifest.CARD,
        fresh=fresh,
    )


@contextmanager
def _alone(out: Path, say: Say) -> Iterator[int]:
    """One builder of a folder at a time; gives the lock, which goes when its last holder ends."""
    with (out.parent / f".{out.name}.lock").open("w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another process that builds pydocs")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def _make(out: Path, mark: str, fill: Callable[[Path], None]) -> Manifest:
    """Fills a folder beside `out` and puts it in the place of the one that is there."""
    if out.exists() and any(out.iterdir()) and manifest.load(out) is None:
        raise PydocsError(f"{out} holds files that pydocs did not write: name an empty folder")
    for left in out.parent.glob(f".{out.name}.part-*"):
        # Only a holder of the lock writes such a folder, so its writer is gone.
        shutil.rmtree(left)
    with TemporaryDirectory(prefix=f".{out.name}.part-", dir=out.parent) as folder:
        new, old = Path(folder, "new"), Path(folder, "old")
        new.mkdir()
        fill(new)
        found = _present(new, mark)
        if found is None:
            raise PydocsError("the packages changed while pydocs was built: start it again")
        if out.exists():
            out.rename(old)
        new.rename(out)
    return found


def _run_child(asked: int, say: Say, lock: int, folder: Path) -> None:
    """Fills the folder in a process that holds the lock too, in case it outlives this one."""
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "eval.pydocs.child", str(folder), str(asked)]
    with (
        TemporaryFile("w+", encoding="utf-8", errors="replace") as trouble,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=trouble,
            text=True,
            encoding="utf-8",
            errors="replace",
            pass_fds=(lock,),
            env={**os.environ, **_SETTLED, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
        ) as child,
    ):
        try:
            for line in child.stdout or ():
                say(line.strip())
        except BaseException:
            # An interrupted caller leaves no builder behind.
            child.kill()
            raise
        if child.wait():
            trouble.seek(0)
            said = trouble.read().strip().rpartition("\n")[2] or f"exit code {child.returncode}"
            raise PydocsError(
                f"pydocs could not be built ({said}): "
                "repair the workbench's environment, or name a labelled folder with --data",
            )
