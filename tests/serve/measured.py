"""A server in a process, and what the system says it holds: descriptors and memory."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

LONG = os.environ.get("ESRA_LONG") == "1"


@dataclass(frozen=True)
class Measured:
    pid: int
    url: str = ""

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def memory(self) -> int:
        """Resident bytes."""
        pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")


@contextlib.contextmanager
def loaded(odds: float = 0.0) -> Iterator[Measured]:
    program = Path(__file__).with_name("loaded.py")
    process = subprocess.Popen(
        [sys.executable, str(program), str(odds)], stdout=subprocess.PIPE, text=True
    )
    try:
        yield Measured(process.pid, process.stdout.readline().strip())
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def settled(value: Callable[[], int], wanted: int, seconds: float = 10.0) -> int:
    """``value()`` once it is at most ``wanted``, or after ``seconds``."""
    end = time.monotonic() + seconds
    while (found := value()) > wanted and time.monotonic() < end:
        time.sleep(0.05)
    return found
