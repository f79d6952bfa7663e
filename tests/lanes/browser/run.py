"""Runs the browser lane: finds or installs Debian's Chromium, then tests the notebooks with it.

Promises: where that is not possible it says so on one line, "not run" and why, and exits with 0;
what it could install and then not use is a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.lanes import debian

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PACKAGES = ("chromium",)
UNAVAILABLE = 4


def program() -> str | None:
    """The browser that is on this machine."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


def main(arguments: list[str]) -> int:
    if program() is None and (why := debian.not_had(PACKAGES)):
        print(f"browser lane: not run: {why}")
        return 0
    found = program()
    if found is None:
        print("browser lane: the package came without its program", file=sys.stderr)
        return UNAVAILABLE
    environment = {**os.environ, "ESRA_CHROMIUM": found}
    pytest = [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", str(HERE)]
    return subprocess.run([*pytest, *arguments], cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
