"""A small checkout for trying ./workbench: the script, a lock of nothing, and a uv that pretends.

The pretended uv writes down how it was called; FAKE_SLOW makes every call linger,
FAKE_HANG_AT a call by its number, FAKE_FAIL makes them fail.
The interpreter that ESRA_PYTHON names makes environments without pip, which takes no time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
BASE = os.path.realpath(sys.executable)

UV = """#!/bin/sh
echo "$*" >> "$FAKE/calls"
[ "$(wc -l < "$FAKE/calls")" != "$FAKE_HANG_AT" ] || exec sleep 60
[ -z "$FAKE_SLOW" ] || sleep "$FAKE_SLOW"
[ -z "$FAKE_FAIL" ] || { echo "$FAKE_FAIL"; exit 1; }
for last; do :; done
case "$*" in
    *" -e "*) cd "$last"/.venv/lib/python*/site-packages && echo "$last" > project.pth;;
esac
"""

PYTHON = f"""#!/bin/sh
case "$*" in *"-m venv"*) shift 3; exec {BASE} -I -m venv --without-pip "$@";; esac
exec {BASE} "$@"
"""

# Stands for the workbench: says what reached it.
EVAL = """
import json, os, sys
said = {"argv": sys.argv[1:], "executable": sys.executable, "environment": dict(os.environ)}
print(json.dumps(said))
"""


@dataclass
class Checkout:
    """One checkout, and the machine around it."""

    root: Path
    fake: Path

    def environment(self, **more: str) -> dict[str, str]:
        """A machine with Python, the pretended uv, and nothing else."""
        home = str(self.fake)
        python = str(self.fake / "python-for-venv")
        base = {"PATH": f"{home}:/usr/bin:/bin", "HOME": home, "FAKE": home, "ESRA_PYTHON": python}
        # A Python outside the system's folders may find its own library by this alone.
        library = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
        return {**base, **library, **more}

    def start(self, *words: str, cwd: Path | None = None, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self.root / "workbench"), *words],
            cwd=cwd or self.root,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(
        self, *words: str, cwd: Path | None = None, **more: str
    ) -> subprocess.CompletedProcess[str]:
        child = self.start(*words, cwd=cwd, **more)
        out, err = child.communicate(timeout=120)
        return subprocess.CompletedProcess(words, child.returncode, out, err)

    def calls(self) -> list[str]:
        """How the pretended uv was called, oldest first: ``packages`` or ``project``."""
        path = self.fake / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        return ["project" if " -e " in line else "packages" for line in lines]


def make_checkout(place: Path) -> Checkout:
    checkout = Checkout(root=place / "checkout", fake=place / "machine")
    for folder in (checkout.fake, checkout.root / "locks", checkout.root / "eval"):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / "workbench", checkout.root)
    shutil.copy(ROOT / "locks" / "install.py", checkout.root / "locks")
    (checkout.root / "locks" / "workbench.txt").write_text("tiny==1.0 --hash=sha256:0\n")
    (checkout.root / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')
    (checkout.root / "eval" / "__init__.py").touch()
    (checkout.root / "eval" / "__main__.py").write_text(EVAL)
    for name, text in (("uv", UV), ("python-for-venv", PYTHON)):
        (checkout.fake / name).write_text(text)
        (checkout.fake / name).chmod(0o755)
    (checkout.fake / "python3").symlink_to(BASE)
    return checkout


def load(path: Path) -> ModuleType:
    """A script as a module, leaving no compiled file beside it."""
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    exec(compile(path.read_text("utf-8"), str(path), "exec"), module.__dict__)
    return module
