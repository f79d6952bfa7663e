"""The first use of a checkout, and everything that can go wrong with it."""

from __future__ import annotations

import json
import os
import resource
import signal
import time
from pathlib import Path

import pytest

from tests.doorstep.checkout import Checkout, make_checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return make_checkout(tmp_path)


def until(true, seconds: float = 30.0) -> None:
    """Waits for a condition of another process."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def state(checkout: Checkout) -> dict[str, int]:
    return {str(path): path.lstat().st_mtime_ns for path in checkout.root.rglob("*")}


def test_the_first_use_makes_the_environment_and_says_so_on_stderr(checkout: Checkout):
    """A script that reads stdout must get the words of the command and no others."""
    done = checkout.run("tune", "--json", "x y")
    said = json.loads(done.stdout)
    assert done.returncode == 0
    assert said["argv"] == ["tune", "--json", "x y"]
    assert said["executable"] == str(checkout.root / ".venv" / "bin" / "python")
    assert "first use of this checkout" in done.stderr
    assert checkout.calls() == ["packages", "project"]


def test_the_second_start_is_silent_and_writes_nothing(checkout: Checkout):
    """A command used a hundred times a day, perhaps from a checkout one may only read."""
    checkout.run("tune")
    before = state(checkout)
    done = checkout.run("tune")
    assert (done.returncode, done.stderr) == (0, "")
    assert state(checkout) == before
    assert checkout.calls() == ["packages", "project"]


def test_the_second_start_costs_less_than_a_tenth_of_a_second(checkout: Checkout):
    """Waiting for a wrapper is the first thing that makes people go round it."""
    checkout.run("tune")

    def spent(words: list[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.waitpid(os.posix_spawn(words[0], words, checkout.environment()), 0)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    python = str(checkout.root / ".venv" / "bin" / "python")
    through = min(spent([str(checkout.root / "workbench"), "tune"]) for _ in range(4))
    straight = min(spent([python, "-P", "-m", "eval", "tune"]) for _ in range(4))
    assert through - straight < 0.1


def test_an_installation_cut_off_anywhere_is_repaired(checkout: Checkout):
    """A closed laptop must not leave an environment that is neither there nor not there."""
    # The packages of the first run, then the project of the second.
    for call in (1, 3):
        child = checkout.start("tune", FAKE_HANG_AT=str(call))
        until(lambda call=call: len(checkout.calls()) == call)
        child.send_signal(signal.SIGKILL)
        child.communicate()
    done = checkout.run("tune")
    assert done.returncode == 0
    assert "an unfinished .venv is made anew" in done.stderr
    assert "waiting" not in done.stderr
    assert checkout.calls() == ["packages", "packages", "project", "packages", "project"]
    assert list(checkout.root.glob(".venv-*")) == []


def test_a_removal_cut_off_is_finished_by_the_next_run(checkout: Checkout):
    """What was moved out of the way and not yet deleted must not stay for ever."""
    (checkout.root / ".venv-old-1" / "lib").mkdir(parents=True)
    (checkout.root / ".venv").mkdir()
    assert checkout.run("tune").returncode == 0
    assert list(checkout.root.glob(".venv-*")) == []


def test_two_first_runs_take_turns(checkout: Checkout):
    """Two terminals, one checkout: one pip at a time, and both commands run."""
    children = [checkout.start("tune", FAKE_SLOW="1") for _ in range(2)]
    ends = [child.communicate(timeout=60) for child in children]
    assert [child.returncode for child in children] == [0, 0]
    assert checkout.calls() == ["packages", "project"]
    assert sum("waiting for it" in err for _, err in ends) == 1


def test_a_moved_checkout_is_noticed(checkout: Checkout):
    """An environment knows its own place; moved, its programs start the old one or nothing."""
    checkout.run("tune")
    moved = Checkout(
        root=checkout.root.rename(checkout.root.with_name("elsewhere")), fake=checkout.fake
    )
    done = moved.run("tune")
    assert "changed since .venv was made: place" in done.stderr
    assert json.loads(done.stdout)["executable"].startswith(str(moved.root))


def test_a_vanished_interpreter_is_noticed(checkout: Checkout):
    """A system upgrade takes the interpreter away under an environment made with it."""
    checkout.run("tune")
    python = checkout.root / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python3.11")
    done = checkout.run("tune")
    assert done.returncode == 0
    assert "changed since .venv was made: python" in done.stderr


def test_a_changed_lock_makes_all_anew_and_a_changed_project_only_itself(checkout: Checkout):
    """After a pull one gets what the lock says, without two minutes for an edited comment."""
    checkout.run("tune")
    (checkout.root / "pyproject.toml").write_text('[project]\nversion = "1.2.4"\n')
    checkout.run("tune")
    assert checkout.calls() == ["packages", "project", "project"]
    (checkout.root / "locks" / "bare.txt").write_text("bare==1.0 --hash=sha256:0\n")
    checkout.run("tune")
    assert checkout.calls()[3:] == ["packages", "packages", "project"]


def test_an_environment_of_somebody_else_is_kept(checkout: Checkout):
    """A .venv made by hand or by an editor may hold what its owner wants to keep."""
    (checkout.root / ".venv").mkdir()
    (checkout.root / ".venv" / "mine").write_text("precious")
    done = checkout.run("tune")
    (kept,) = checkout.root.glob(".venv-before-*")
    assert done.returncode == 0
    assert kept.name in done.stderr
    assert (kept / "mine").read_text() == "precious"


@pytest.mark.parametrize(
    ("trouble", "hint"),
    [
        ("OSError: No space left on device", "the disk is full"),
        ("ERROR: No matching distribution found for tiny==1.0", "cannot be reached"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES", "another file than the locked one"),
    ],
)
def test_a_failed_installation_says_what_to_do(checkout: Checkout, trouble: str, hint: str):
    """The last lines of the log and one sentence, not a traceback of pip."""
    done = checkout.run("tune", FAKE_FAIL=trouble)
    assert done.returncode == 4
    assert done.stdout == ""
    assert trouble in done.stderr
    assert hint in done.stderr
    assert checkout.run("tune").returncode == 0
