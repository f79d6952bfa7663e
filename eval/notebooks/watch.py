"""Keeps its own account of a run: which cells were started, and which of them ended well.

Papermill calls a cell completed whose kernel was killed under it, and every cell after it.
"""

from collections.abc import Mapping


class Watch:
    """``started`` and ``done`` hold indices of cells in the notebook as it runs."""

    def __init__(self) -> None:
        self.started: list[int] = []
        self.done: set[int] = set()
        self.left: set[int] = set()

    def start(self, cell: Mapping, cell_index: int) -> None:
        self.started.append(cell_index)

    def reply(self, cell: Mapping, cell_index: int, execute_reply: Mapping) -> None:
        content = execute_reply["content"]
        # `exit()` asks the front end to leave. The kernel ends when it comes to it, and a cell or
        # two after it may run or not: none of them counts.
        if any(part.get("source") == "ask_exit" for part in content.get("payload", ())):
            self.left.add(cell_index)
        elif content["status"] == "ok" and not self.left:
            self.done.add(cell_index)
