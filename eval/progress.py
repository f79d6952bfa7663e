"""What a person sees while work goes on: lines and bars on stderr, nothing on stdout."""

import os
import sys
from contextlib import contextmanager

from tqdm import tqdm


class Progress:
    """``say`` prints a line; ``bar`` shows a count on a terminal and nothing elsewhere."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        watched = sys.stderr.isatty() and os.environ.get("CI", "").lower() not in ("1", "true")
        self._bars = watched and not quiet

    def say(self, text: str) -> None:
        if not self._quiet:
            print(text, file=sys.stderr, flush=True)

    def warn(self, text: str) -> None:
        """A line that even ``--quiet`` does not hold back."""
        print(text, file=sys.stderr, flush=True)

    @contextmanager
    def bar(self, what: str):
        """Yields a function of (done, all)."""
        with tqdm(desc=what, file=sys.stderr, disable=not self._bars, unit="") as shown:

            def update(done: int, total: int) -> None:
                shown.total = total
                shown.update(done - shown.n)

            yield update
