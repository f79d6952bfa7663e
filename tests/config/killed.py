"""Run as a process: kills writers of revisions at any moment, and reads what they leave.

``killed.py FOLDER KILLS SEED`` prints what was read, as JSON.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from esra.config.apply import last_given, newest
from esra.config.history import history, missing
from eval import publish
from tests.claimed import claim_of

MODELS = {"select": "", "plan": "", "rerank": ""}


def write(folder: Path, share: int) -> None:
    claim = claim_of("cap", share % 1000, MODELS, "d")
    publish.promote(folder, claim, {"filling": "y" * 9000})


def write_for_ever(folder: Path) -> None:
    share = 10
    while True:
        share += 1
        write(folder, share)


def seconds_of_one(folder: Path, share: int) -> float:
    """How long a revision takes here and now, so that kills fall into the middle of one."""
    started = time.monotonic()
    write(folder, share)
    return time.monotonic() - started


def read(folder: Path) -> int:
    """The revision a runtime would use now; 0 where there is none. Fails on a refused file."""
    found = newest(folder, "cap", frozenset(), MODELS, ())
    assert not found.refused, found.refused
    return found.file.revision if found.file else 0


def main(folder: Path, kills: int, dice: random.Random) -> dict[str, int]:
    reads = last = 0
    took = max(seconds_of_one(folder, share) for share in (1, 2, 3))
    for _ in range(kills):
        child = os.fork()
        if child == 0:
            try:
                write_for_ever(folder)
            finally:
                os._exit(1)
        end = time.monotonic() + dice.uniform(0.0, 4 * took)
        try:
            while time.monotonic() < end:
                now = read(folder)
                assert now >= last, "it went back"
                last, reads = now, reads + 1
        finally:
            os.kill(child, signal.SIGKILL)  # a failure here would leave it writing for ever
            _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), "the writer ended by itself"
        assert read(folder) >= last
    told = history(folder, "cap", frozenset(), MODELS, ())
    return {
        "kills": kills,
        "reads": reads,
        "revisions": len(told),
        "unusable": sum(not one.usable for one in told),
        "missing": len(missing(told, last_given(folder))),
        "leftovers": len(list(folder.glob(".new-*"))),
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), random.Random(int(sys.argv[3])))))
