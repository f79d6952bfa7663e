"""Runs a notebook by papermill, and takes its word for nothing.

What papermill lets pass is an error here: a parameter the notebook does not have, a cell that
left the interpreter, a cell that never ran. The finished notebook appears whole at its place, or
not at all; where a run failed, what ran of it is kept beside it as ``NAME.partial.ipynb``.
"""

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from eval.notebooks.files import read, write
from eval.notebooks.parameters import Declared, declared, fitting
from eval.notebooks.runnable import runnable
from eval.notebooks.scratch import scratch
from eval.notebooks.scrub import ROOT, places, scrubbed
from eval.notebooks.trouble import BadParameter, NotebookError, NotebookFailed
from eval.notebooks.verdict import Counted, count, without_markers
from eval.notebooks.watch import Watch

Say = Callable[[str], None]
SECONDS = 600.0
LOG = "kernel.log"
START = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """A finished run: the produced notebook, its completed code cells, and wall seconds."""

    notebook: Path
    cells: int
    seconds: float


def run(
    notebook: Path,
    out: Path,
    parameters: Mapping[str, object] | None = None,
    *,
    say: Say | None = None,
    timeout: float = SECONDS,
) -> Executed:
    """Runs ``notebook`` in the folder of ``out`` and writes the result there.

    ``timeout``: seconds a cell may take. Raises ``BadParameter`` and ``NotebookError`` before
    anything runs, ``NotebookFailed`` where not every code cell completed, and ``SystemExit`` on
    TERM and HUP where nobody else handles these.
    """
    values = prepared(notebook, parameters or {})
    out = out.absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    if say:
        say(f"running notebook {notebook.stem}")
    started, watch = time.monotonic(), Watch()
    # Not beside the result: a process that is killed leaves its scratch to the next run to clear.
    with scratch() as folder:
        draft = folder / "draft.ipynb"
        trouble: BaseException | None = None
        try:
            _execute(notebook, draft, values, watch, out.parent, timeout)
        # Papermill, nbclient and jupyter_client fail each in its own way; an interrupt passes on.
        except BaseException as error:
            trouble = error
        counted = _finish(draft, notebook, out, values, watch, trouble)
    return Executed(notebook=out, cells=counted.cells, seconds=time.monotonic() - started)


def prepared(notebook: Path, parameters: Mapping[str, object]) -> dict[str, object]:
    """The values the notebook will see; ``NotebookError`` where it may not run with these."""
    problems = runnable(read(notebook))
    if problems:
        raise NotebookError(f"{notebook.name}: {problems[0]}")
    known = parameters_of(notebook)
    try:
        return fitting(known, parameters)
    except BadParameter as error:
        raise BadParameter(f"{notebook.name}: {error}") from error


def parameters_of(notebook: Path) -> tuple[Declared, ...]:
    """What a notebook declares; ``NotebookError`` names it where it declares nothing clear."""
    source = read(notebook)
    try:
        return declared(source)
    except NotebookError as error:
        raise NotebookError(f"{notebook.name}: {error}") from error


def _execute(
    notebook: Path,
    draft: Path,
    values: dict[str, object],
    watch: Watch,
    where: Path,
    timeout: float,
) -> None:
    # Both take their time to import, and a caller may only want a picture.
    from papermill import execute_notebook

    from eval.notebooks.kernel import NAME, kernel_class

    log = draft.with_name(LOG)
    with _silent("papermill"):
        execute_notebook(
            _verbatim(notebook),
            _verbatim(draft),
            values,
            kernel_name=NAME,
            language="python",
            progress_bar=False,
            start_timeout=START,
            execution_timeout=timeout,
            kernel_manager_class=kernel_class(ROOT, draft.parent, log),
            resources={"metadata": {"path": str(where)}},
            on_cell_start=watch.start,
            on_cell_executed=watch.reply,
        )


def _verbatim(path: Path) -> str:
    # Papermill fills braces in a path with parameters.
    return str(path.absolute()).replace("{", "{{").replace("}", "}}")


@contextmanager
def _silent(name: str) -> Iterator[None]:
    """Keeps a logger from the screen: what it has to say stands in ``NotebookFailed``."""
    logger = logging.getLogger(name)
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _last_line(log: Path) -> str:
    """What a kernel said last before it ended."""
    lines = log.read_text("utf-8", errors="replace").split("\n") if log.exists() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _finish(
    draft: Path,
    notebook: Path,
    out: Path,
    values: Mapping[str, object],
    watch: Watch,
    trouble: BaseException | None,
) -> Counted:
    """Puts the draft in its place where every cell completed; else beside it, and raises."""
    partial = out.with_suffix(".partial.ipynb")
    partial.unlink(missing_ok=True)
    if trouble is not None and not (draft.exists() and watch.started):
        if not isinstance(trouble, Exception):
            raise trouble
        said = f"its kernel did not start: {_last_line(draft.with_name(LOG)) or trouble}"
        raise NotebookFailed(f"{notebook.name}: {said}", partial) from trouble
    produced = json.loads(draft.read_text("utf-8"))
    produced["cells"] = without_markers(produced)
    counted = count(produced["cells"], watch, trouble)
    produced["metadata"]["papermill"].update(input_path=notebook.name, output_path=out.name)
    produced = scrubbed(produced, places(out.parent, values))
    if trouble is None and counted.whole:
        write(produced, out)
        return counted
    write(produced, partial)
    if trouble is not None and not isinstance(trouble, Exception):
        raise trouble
    raise NotebookFailed(
        f"{notebook.name}: {counted}; what ran is in {partial.name}", partial
    ) from trouble
