"""What a lane needs of Debian's packages: whether it can have them here, and getting them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

# A mirror that does not answer would hold every lane after this one.
PATIENCE = ("-o", "Acquire::http::Timeout=20", "-o", "Acquire::Retries=1")
SECONDS = 240


def refusal(packages: Sequence[str]) -> str | None:
    """Why nothing can be installed here, or None."""
    if shutil.which("apt-get") is None:
        return "this is not Debian or one of its kin"
    if os.geteuid() != 0:
        return f"only root installs packages; install {' and '.join(packages)}"
    return None


def install(packages: Sequence[str]) -> bool:
    """True if the packages are there in good time; what apt-get says goes to stderr."""
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    commands = (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", *packages])
    return all(_went(["apt-get", *PATIENCE, *command], quiet) for command in commands)


def _went(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    try:
        done = subprocess.run(command, env=environment, stdout=sys.stderr, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        print(f"{command[0]} took longer than {SECONDS} s", file=sys.stderr)
        return False
    return done.returncode == 0


def not_had(packages: Sequence[str]) -> str | None:
    """Why the packages cannot be had, once that was tried; None where they are there now."""
    return refusal(packages) or (None if install(packages) else "apt-get could not install")
