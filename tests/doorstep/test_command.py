"""What ./workbench says and hands on, apart from making the environment."""

from __future__ import annotations

import ast
import errno
import json
import os
from pathlib import Path
from types import ModuleType

import pytest

from tests.doorstep.checkout import ROOT, Checkout, load, make_checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return make_checkout(tmp_path)


@pytest.fixture
def script() -> ModuleType:
    return load(ROOT / "workbench")


@pytest.fixture
def install() -> ModuleType:
    return load(ROOT / "locks" / "install.py")


@pytest.mark.parametrize("name", ["workbench", "locks/install.py"])
def test_the_script_is_readable_to_an_old_python(name: str):
    """A syntax error in place of the sentence that says which Python to install."""
    ast.parse((ROOT / name).read_text("utf-8"), feature_version=(3, 6))


def test_help_and_version_need_no_environment(checkout: Checkout):
    """Somebody who looks around first must not wait two minutes."""
    shown = checkout.run("--help")
    assert shown.returncode == 0
    assert [
        word for word in ("tune", "test", "lab", "requirements", "esra") if word not in shown.stdout
    ] == []
    assert checkout.run("--version").stdout == "esra 1.2.3\n"
    assert not (checkout.root / ".venv").exists()


def test_a_mistyped_command_is_refused_before_anything_is_installed(checkout: Checkout):
    """Two minutes of installation before a typing error shows would be a poor joke."""
    done = checkout.run("tnue")
    assert done.returncode == 2
    assert "Did you mean tune?" in done.stderr
    assert checkout.run().returncode == 2
    assert not (checkout.root / ".venv").exists()


def test_an_unfit_python_is_named_with_what_to_install(checkout: Checkout):
    """An old system Python is the commonest first obstacle."""
    old = checkout.fake / "old"
    old.write_text("#!/bin/sh\necho 3 9 18\n")
    old.chmod(0o755)
    done = checkout.run("tune", ESRA_PYTHON=str(old))
    assert done.returncode == 3
    assert f"{old}: is 3.9.18" in done.stderr
    assert "apt install python3 python3-venv" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_interpreter_that_says_nothing_is_no_python(checkout: Checkout):
    """Behind "is" would stand nothing, and nobody could tell what was wrong with it."""
    done = checkout.run("tune", ESRA_PYTHON="/bin/false")
    assert done.returncode == 3
    assert "/bin/false: ends with 1 and is no Python that can be used" in done.stderr


def test_a_newer_python_is_found_behind_one_that_does_not_run(install, tmp_path: Path, monkeypatch):
    """Version managers leave stand-ins on PATH that refuse to run."""
    for place, text in (("first", "exit 127"), ("second", "echo 9 1 0")):
        (tmp_path / place).mkdir()
        (tmp_path / place / "python9.1").write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / place / "python9.1").chmod(0o755)
    monkeypatch.setattr(install, "SUPPORTED", ((9, 1),))
    monkeypatch.setenv("PATH", f"{tmp_path / 'first'}:{tmp_path / 'second'}")
    monkeypatch.delenv("ESRA_PYTHON", raising=False)
    assert install.find_python(dict(os.environ)) == (
        "9.1.0",
        str(tmp_path / "second" / "python9.1"),
    )


def test_the_callers_surroundings_do_not_reach_in(checkout: Checkout, tmp_path: Path):
    """A user's module path, pip target or file called eval.py would run in place of ours."""
    (tmp_path / "eval.py").write_text("raise SystemExit('the wrong eval')")
    done = checkout.run(
        "tune",
        cwd=tmp_path,
        PYTHONPATH=str(tmp_path),
        PYTHONOPTIMIZE="1",
        PIP_TARGET=str(tmp_path / "target"),
        PIP_CONSTRAINT="/nowhere",
        PIP_REQUIRE_VIRTUALENV="1",
        PIP_CERT="/etc/certificate",
        UV_FIND_LINKS="/wheels",
    )
    environment = json.loads(done.stdout)["environment"]
    foreign = {"PYTHONPATH", "PYTHONOPTIMIZE", "PIP_TARGET", "PIP_CONSTRAINT"}
    assert foreign & environment.keys() == set()
    assert environment["PIP_REQUIRE_VIRTUALENV"] == "0"
    assert environment["PIP_CERT"] == "/etc/certificate"
    assert environment["UV_FIND_LINKS"] == "/wheels"
    assert environment["JUPYTER_PREFER_ENV_PATH"] == "1"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EROFS, "in a folder of your own"),
        (errno.EACCES, "in a folder of your own"),
        (errno.ENOSPC, "the disk is full"),
    ],
)
def test_a_refusal_of_the_system_becomes_advice(script, number: int, words: str):
    """A read-only or full disk is a thing to say, not a traceback to read."""
    assert words in script.explain(OSError(number, os.strerror(number), "/x/.venv.lock"))


def test_the_test_command_runs_the_notebooks_where_there_are_some(
    script, tmp_path: Path, monkeypatch
):
    """A notebook that no test runs is broken within a month."""
    monkeypatch.setattr(script, "ROOT", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert "--nbval-lax" not in script.pytest_words()
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "00_tour.ipynb").touch()
    assert "--nbval-lax" in script.pytest_words()


def test_jupyter_opens_the_gallery_as_any_user(script):
    """Root in a container gets the same gallery as everybody, not a refusal."""
    words = script.lab_words([])
    assert "--LabApp.default_url=/lab/tree/notebooks" in words
    assert ("--allow-root" in words) == (os.geteuid() == 0)


def test_a_folder_of_ones_own_takes_the_place_of_the_gallery(script):
    """JupyterLab refuses to start where a setting has two values."""
    words = script.lab_words(["--no-browser", "--ServerApp.root_dir=/own"])
    assert not any(word.startswith("--ServerApp.root_dir") for word in words)
    assert "--LabApp.default_url=/lab/tree/notebooks" in words
