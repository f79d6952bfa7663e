"""Kills an ``import --force`` at every step it takes in the file system, each time anew.

``python -m tests.exchange.killing FOLDER short|long [plain]``: the short form kills where a name
changes and at a few steps beside, the long one at every step; with ``plain`` as on a system that
cannot swap two folders. Prints what was found as JSON.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path

from eval.dataset.labels import load_labels
from eval.exchange import cli_import
from eval.exchange.whole import REPLACED
from eval.formats import swap
from eval.formats.findings import FormatError

TYPED = ("qrels.tsv", "queries.jsonl", "ratings.csv", "settling.json")


def content(folder: Path) -> dict[str, bytes]:
    """The files of a folder, what was replaced apart."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and REPLACED not in path.relative_to(folder).parts
    }


def child(base: Path, step: int, log: Path | None = None) -> int:
    """Imports in a process of its own that is killed at its ``step``th step; how it ended.

    ``log`` gets the kind of every step, one a line.
    """
    process = os.fork()
    if process:
        return os.waitpid(process, 0)[1]
    taken: list[str] = []

    def count(event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith(("open", "os.", "shutil.", "tempfile.")) and str(base) in str(
            arguments
        ):
            taken.append(event)
            if len(taken) == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    with open(os.devnull, "w") as nowhere:
        sys.stdout = sys.stderr = nowhere
        to = ["--to", str(base / "set"), "--force", "--rule", "optimistic"]
        code = cli_import.main([str(base / "new.csv"), *to])
    if log is not None:
        log.write_text("\n".join(taken))
    os._exit(code)


def prepared(base: Path, first: Path) -> None:
    shutil.rmtree(base, ignore_errors=True)
    shutil.copytree(first, base, symlinks=True)


def main(folder: Path, long: bool, plain: bool) -> dict[str, object]:
    first, base = folder / "first", folder / "base"
    if plain:
        swap._exchange = lambda fresh, target: errno.ENOSYS
    prepared(base, first)
    old, states = content(base / "set"), {load_labels(base / "set").fingerprint: "old"}
    assert child(base, 0, folder / "steps") == 0
    new = content(base / "set")
    states[load_labels(base / "set").fingerprint] = "new"
    assert (new != old, len(states)) == (True, 2)
    kinds = (folder / "steps").read_text().splitlines()
    steps = [
        step
        for step, kind in enumerate(kinds, start=1)
        if long or kind == "os.rename" or step % 40 == 0 or step == len(kinds) - 1
    ]
    seen, wrong = Counter[str](), []
    for step in steps:
        prepared(base, first)
        assert child(base, step) == signal.SIGKILL
        seen["absent until it is read" if not (base / "set").exists() else "there"] += 1
        try:
            state = states.get(load_labels(base / "set").fingerprint, "a mixture")
        except FormatError as error:
            state = str(error)
        seen[state] += 1
        found = content(base / "set")
        if found != {"old": old, "new": new}.get(state):
            wrong.append([step, state, sorted(found)])
        kept = base / "set" / REPLACED / "1"
        there = content(kept)
        if state == "new" and any(there.get(name) != old[name] for name in TYPED):
            wrong.append([step, "what was typed is lost"])
        if (long or step % 3 == 0) and (child(base, 0) or content(base / "set") != new):
            wrong.append([step, "cannot be done again"])
    return {"steps": len(kinds), "kills": len(steps), "seen": seen, "wrong": wrong}


if __name__ == "__main__":
    told = main(Path(sys.argv[1]), sys.argv[2] == "long", len(sys.argv) > 3)
    print(json.dumps(told))
