"""Runs the endpoint lane: installs the model and its server on first use, then tests with them.

Promises: the packages go into a folder of their own, named by their lock and moved into place when
they are whole, so that neither .venv nor a half-made folder is ever in the way.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LOCK = ROOT / "locks" / "endpoint.txt"
PREFIX = ".venv-endpoint-"  # git ignores what begins so
UNAVAILABLE = 4


def folder() -> Path:
    """Where the packages of the present lock are, or will be."""
    return ROOT / (PREFIX + hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12])


def install(target: Path) -> bool:
    """True if the packages are in ``target``, which then holds them whole."""
    if target.is_dir():
        return True
    for old in ROOT.glob(PREFIX + "*"):
        shutil.rmtree(old)
    fresh = target.with_name(target.name + "-new")
    print("endpoint lane: installing what locks/endpoint.txt names", file=sys.stderr, flush=True)
    quiet = ["--quiet", "--no-input", "--disable-pip-version-check", "--only-binary", ":all:"]
    whole = ["--no-deps", "--require-hashes", "--target", str(fresh), "-r", str(LOCK)]
    environment = {**os.environ, "PIP_USER": "0"}
    done = subprocess.run([sys.executable, "-m", "pip", "install", *quiet, *whole], env=environment)
    if done.returncode == 0:
        fresh.rename(target)
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    if not install(folder()):
        print("endpoint lane: could not install; see pip's words above", file=sys.stderr)
        return UNAVAILABLE
    environment = {**os.environ, "ESRA_ENDPOINT_PACKAGES": str(folder())}
    pytest = [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", str(HERE)]
    return subprocess.run([*pytest, *arguments], cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
