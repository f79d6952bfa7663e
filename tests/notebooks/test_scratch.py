"""The folder a run works in: who may take it away, and when."""

import os
import signal
import tempfile
import threading

import pytest

from eval.notebooks.scratch import PREFIX, scratch, sweep


@pytest.fixture(autouse=True)
def system(tmp_path, monkeypatch):
    """A system's folder for scratch of the test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_new_run_takes_away_what_a_killed_one_left(system):
    """Files that say how to reach a kernel would lie about until the machine is started anew."""
    (system / f"{PREFIX}left").mkdir()
    (system / f"{PREFIX}left" / "connection.json").write_text("{}", "utf-8")
    with scratch() as folder:
        assert os.listdir(system) == [folder.name]
        assert folder.stat().st_mode & 0o777 == 0o700
    assert os.listdir(system) == []


def test_a_run_keeps_its_folder_while_another_starts(system):
    """Two runs at once would take each other's kernels away."""
    with scratch() as one, scratch() as other:
        sweep()
        assert set(os.listdir(system)) == {one.name, other.name}
        assert one != other


def test_nothing_else_is_taken_away(system):
    """A link of that name would have somebody's own files removed."""
    own = system / "own"
    own.mkdir()
    (own / "precious").write_text("x", "utf-8")
    (system / f"{PREFIX}link").symlink_to(own)
    (system / f"{PREFIX}file").write_text("x", "utf-8")
    before = sorted(os.listdir(system))
    sweep()
    assert sorted(os.listdir(system)) == before
    assert (own / "precious").exists()


def test_a_folder_swept_before_it_was_locked_is_made_anew(monkeypatch):
    """Of two runs that start together one would work in a folder that is gone."""
    made = []

    def swept_at_once(**given):
        made.append(tempfile.mkdtemp(**given))
        if len(made) == 1:
            os.rmdir(made[0])
        return made[-1]

    monkeypatch.setattr("eval.notebooks.scratch.mkdtemp", swept_at_once)
    with scratch() as folder:
        assert (len(made), str(folder)) == (2, made[1])
        assert folder.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_who_handles_a_signal_keeps_it(system, number):
    """`nohup` would lose its run with the terminal, and a caller its own way to end."""
    before = signal.getsignal(number)
    try:
        for own in (signal.SIG_IGN, lambda *_: None):
            signal.signal(number, own)
            with scratch():
                assert signal.getsignal(number) is own
        signal.signal(number, signal.SIG_DFL)
        with pytest.raises(SystemExit) as ended, scratch():
            signal.raise_signal(number)
        assert ended.value.code == 128 + number
        assert signal.getsignal(number) is signal.SIG_DFL
        assert os.listdir(system) == []
    finally:
        signal.signal(number, before)


def test_a_thread_may_run_a_notebook():
    """A workbench that runs one beside its work would end with "only in the main thread"."""
    found = []

    def work():
        with scratch() as folder:
            found.append(folder.exists())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert found == [True]
