"""Whether a run completed every code cell, and what to say where it did not. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from eval.notebooks.watch import Watch

MARKER, INJECTED = "papermill-error-cell-tag", "injected-parameters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The author's own code cells: how many there are, how many completed, the first that did not.

    ``number`` counts from 1, 0 where none failed; ``first`` is the cell's first line.
    """

    cells: int
    completed: int
    number: int = 0
    first: str = ""
    said: str = ""

    @property
    def whole(self) -> bool:
        return self.completed == self.cells

    def __str__(self) -> str:
        where = f"code cell {self.number} (`{self.first[:60]}`): " if self.number else ""
        return f"{where}{self.said}; {self.completed} of {self.cells} cells completed"


def without_markers(produced: Mapping) -> list[dict]:
    """The cells as they ran: papermill sets two of its own beside a failed one."""
    return [c for c in produced["cells"] if MARKER not in c["metadata"].get("tags", ())]


def count(cells: list[dict], watch: Watch, trouble: BaseException | None) -> Counted:
    """``cells`` without markers, so that their indices are those the watch saw."""
    own = [
        (index, cell)
        for index, cell in enumerate(cells)
        if cell["cell_type"] == "code" and INJECTED not in cell["metadata"].get("tags", ())
    ]
    failed = [
        (number, index, cell)
        for number, (index, cell) in enumerate(own, 1)
        if not _completed(index, cell, watch)
    ]
    completed = len(own) - len(failed)
    if not failed:
        return Counted(cells=len(own), completed=completed, said=_said(None, trouble, False))
    number, index, cell = failed[0]
    return Counted(
        cells=len(own),
        completed=completed,
        number=number,
        first=next(iter(_source(cell).strip().splitlines()), ""),
        said=_said(cell, trouble, index in watch.left),
    )


def _completed(index: int, cell: Mapping, watch: Watch) -> bool:
    failed = any(output["output_type"] == "error" for output in cell["outputs"])
    return not failed and (index in watch.done or not _source(cell).strip())


def _source(cell: Mapping) -> str:
    return "".join(cell["source"])


def _said(cell: Mapping | None, trouble: BaseException | None, left: bool) -> str:
    if left:
        return "left the interpreter"
    match type(trouble).__name__:
        case "DeadKernelError":
            return "the kernel died"
        case "CellTimeoutError":
            return "did not end in its time"
    for output in cell["outputs"] if cell else ():
        if output["output_type"] == "error":
            first = (output["evalue"].splitlines() or [""])[0]
            return f"{output['ename']}: {first[:200]}".rstrip(": ")
    return "did not run" if trouble is None else type(trouble).__name__
