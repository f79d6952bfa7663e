"""Runs that end badly, and one that ends well: what `run` says, and what it leaves behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from eval.notebooks import BadParameter, NotebookError, NotebookFailed, run
from eval.notebooks.scratch import sweep

ROOT = Path(__file__).resolve().parents[2]


def printed(notebook: Path) -> str:
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return "".join("".join(o["text"]) for c in cells for o in c.get("outputs", ()) if "text" in o)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def gone(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.1)
    return not alive(pid)


@pytest.mark.req("U07")
def test_a_run_takes_its_values_and_leaves_no_trace_of_the_machine(plant, tmp_path, monkeypatch):
    """A produced notebook would run on other values than were asked, or tell where it was made."""
    monkeypatch.chdir("/")
    labels = tmp_path / "labels"
    labels.mkdir()
    notebook = plant(
        "from eval import measures\nimport esra, os, sys\nprint(alpha, repr(topic))",
        "print(os.getcwd(), sys.executable, os.path.expanduser('~'))",
        name="a {brace}",
    )
    before = notebook.read_bytes()
    said = []
    out = tmp_path / "out" / "done {x}.ipynb"
    done = run(notebook, out, {"alpha": 1, "topic": str(labels)}, say=said.append)
    assert (done.notebook, done.cells) == (out, 3)
    assert printed(out).splitlines()[0] == "1.0 'labels'"
    assert said == ["running notebook a {brace}"]
    assert notebook.read_bytes() == before
    assert os.listdir(out.parent) == [out.name]
    text = out.read_text("utf-8")
    for place in {str(tmp_path), str(ROOT), os.path.expanduser("~"), sys.prefix, sys.base_prefix}:
        assert place not in text
    facts = json.loads(text)["metadata"]["papermill"]
    assert facts["input_path"] == "a {brace}.ipynb"
    assert facts["parameters"] == {"alpha": 1.0, "topic": "labels"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"alhpa": 0.1}, "did you mean 'alpha'"),
        ({"alpha": "0.1"}, "is a number"),
        ({"api_key": "x"}, "looks like a secret"),
    ],
)
def test_a_wrong_parameter_runs_nothing(plant, tmp_path, given, said):
    """Papermill warns of a mistyped name, runs on the default and exits 0."""
    out = tmp_path / "out.ipynb"
    with pytest.raises(BadParameter, match=said):
        run(plant("open('ran', 'w')"), out, given)
    assert not out.exists()
    assert not (tmp_path / "ran").exists()


@pytest.mark.req("U16")
@pytest.mark.parametrize("cell", ["!exit 3", "%nonsense", "ls -la"])
def test_a_shell_or_magic_cell_runs_nothing(plant, tmp_path, cell):
    """Both papermill and nbval call a cell of `!exit 3` passed."""
    with pytest.raises(NotebookError, match="code cell 2"):
        run(plant(cell), tmp_path / "out.ipynb")
    assert not list(tmp_path.glob("out*"))


@pytest.mark.req("U16", "W70")
@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("import sys\nsys.exit(0)", "SystemExit: 0"),
        ("exit()", "left the interpreter"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "the kernel died"),
        ("import time\ntime.sleep(60)", "did not end in its time"),
        ("def f():\n    raise KeyError('gone')\nf()", "KeyError: 'gone'"),
    ],
    ids=["sys.exit", "exit", "kill", "slow", "raise"],
)
def test_a_cell_that_does_not_complete_is_named(plant, tmp_path, cell, said):
    """A run cut short by `sys.exit(0)` or a killed kernel would count as a success."""
    out = tmp_path / "out.ipynb"
    out.write_text("the one before", "utf-8")
    started = time.monotonic()
    with pytest.raises(NotebookFailed) as failed:
        run(plant("print('first')", cell, "print('last')"), out, timeout=3)
    assert time.monotonic() - started < 30
    message = str(failed.value)
    assert message.startswith(f"planted.ipynb: code cell 3 (`{cell.splitlines()[0]}`): {said}; ")
    assert message.endswith("2 of 4 cells completed; what ran is in out.partial.ipynb")
    assert failed.value.partial == tmp_path / "out.partial.ipynb"
    partial = failed.value.partial.read_text("utf-8")
    assert "first" in printed(failed.value.partial)
    assert not any(place in partial for place in (str(tmp_path), str(ROOT), sys.prefix))
    assert out.read_text("utf-8") == "the one before"


@pytest.mark.parametrize(
    ("number", "left"),
    [(signal.SIGKILL, 1), (signal.SIGTERM, 0), (signal.SIGHUP, 0)],
    ids=["kill", "term", "hup"],
)
def test_a_run_that_is_ended_leaves_no_kernel_and_no_scratch(
    plant, tmp_path, monkeypatch, number, left
):
    """Kernels of ended runs, and files that say how to reach one, would gather on the machine."""
    notebook = plant(
        "import os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))\n"
        "time.sleep(120)"
    )
    program = (
        "import sys\nfrom pathlib import Path\nfrom eval.notebooks import run\n"
        "run(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    words = [sys.executable, "-c", program, str(notebook), str(tmp_path / "out.ipynb")]
    scratches = tmp_path / "system"
    scratches.mkdir()
    env = {**os.environ, "TMPDIR": str(scratches)}
    with subprocess.Popen(words, cwd=ROOT, env=env, stderr=subprocess.DEVNULL) as runner:
        pid = _pid(tmp_path / "pid", runner)
        sweep_in(scratches, monkeypatch)
        assert len(os.listdir(scratches)) == 1
        runner.send_signal(number)
    assert gone(pid, 10)
    # Nobody can clear up after a kill at once; the next run does.
    assert len(list(scratches.glob("*/connection.json"))) == left
    sweep_in(scratches, monkeypatch)
    assert os.listdir(scratches) == []


def sweep_in(folder: Path, monkeypatch) -> None:
    monkeypatch.setattr("eval.notebooks.scratch.gettempdir", lambda: str(folder))
    sweep()


def _pid(path: Path, runner: subprocess.Popen) -> int:
    end = time.monotonic() + 60
    while time.monotonic() < end and runner.poll() is None:
        if path.exists() and (text := path.read_text("utf-8")):
            return int(text)
        time.sleep(0.1)
    raise AssertionError("the notebook did not start")


def test_a_kernel_that_does_not_start_says_why(plant, tmp_path, monkeypatch):
    """A broken environment would show as a minute of silence and a traceback of papermill's."""
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'no module named ipykernel' >&2\nexit 1\n", "utf-8")
    python.chmod(0o755)
    monkeypatch.setattr("eval.notebooks.kernel.sys.executable", str(python))
    with pytest.raises(NotebookFailed) as failed:
        run(plant("1"), tmp_path / "out.ipynb")
    assert str(failed.value) == (
        "planted.ipynb: its kernel did not start: no module named ipykernel"
    )
    assert not list(tmp_path.glob("out*"))


def test_a_produced_notebook_is_strict_json(plant, tmp_path):
    """A bare NaN makes the notebook unreadable for every other program."""
    notebook = plant(
        "class Odd:\n    def _repr_mimebundle_(self, **kw):\n"
        "        return {'application/json': {'mean': float('nan')}}\nOdd()"
    )
    out = run(notebook, tmp_path / "out.ipynb").notebook

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    cells = json.loads(out.read_text("utf-8"), parse_constant=refuse)["cells"]
    assert "application/json" in cells[1]["outputs"][0]["data"]
