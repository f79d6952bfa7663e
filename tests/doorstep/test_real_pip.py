"""The same with the real pip: a lock of one tiny package and, on request, the whole."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.doorstep.checkout import BASE, ROOT, Checkout, make_checkout

WHEEL = {
    "tiny.py": "ANSWER = 42\n",
    "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
    "tiny-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "tiny-1.0.dist-info/RECORD": "",
}

# A build backend in the tree: what hatchling does for the real project, in one function.
BACKEND = """
import zipfile
def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "small-1.0-py3-none-any.whl"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        info = "small-1.0.dist-info"
        wheel.writestr("small.pth", __file__.rpartition("/")[0])
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: small\\nVersion: 1.0\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
"""

PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "small"
version = "1.0"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout whose lock names one package, a folder of packages, and no uv."""
    made = make_checkout(tmp_path)
    (made.fake / "uv").unlink()
    wheel = made.fake / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in WHEEL.items():
            archive.writestr(name, text)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (made.root / "locks" / "workbench.txt").write_text(f"tiny==1.0 --hash=sha256:{digest}\n")
    (made.root / "pyproject.toml").write_text(PROJECT)
    (made.root / "backend.py").write_text(BACKEND)
    return made


def test_pip_installs_what_the_lock_says_whatever_the_user_has_set(checkout: Checkout):
    """A pip.conf written for daily use must not send our packages to another folder."""
    (checkout.fake / "pip.conf").write_text("[install]\nuser = true\nrequire-hashes = true\n")
    machine = {
        "PIP_CONFIG_FILE": str(checkout.fake / "pip.conf"),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(checkout.fake),
        "PIP_TARGET": str(checkout.fake / "target"),
        "ESRA_PYTHON": BASE,
    }
    done = checkout.run("tune", **machine)
    assert done.returncode == 0, done.stderr
    python = json.loads(done.stdout)["executable"]
    answer = [python, "-P", "-c", "import tiny, eval; print(tiny.ANSWER, eval.__path__[0])"]
    assert subprocess.check_output(answer, text=True).split() == ["42", str(checkout.root / "eval")]
    assert "--require-hashes" in (checkout.root / ".venv.log").read_text()


@pytest.mark.req("U01")
@pytest.mark.timeout(1800)
@pytest.mark.skipif(os.environ.get("ESRA_LONG") != "1", reason="ESRA_LONG=1 installs everything")
def test_a_fresh_clone_and_a_fresh_home_are_enough(tmp_path: Path):
    """git, Python and a package index are all that a newcomer has."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    (tmp_path / "home").mkdir()
    machine = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "CI": "true"}
    words = [str(clone / "workbench"), "test", "tests/guard", "-q"]
    done = subprocess.run(words, env=machine, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout.splitlines()[-1]
