"""What can be wrong with a notebook, or with running it. Every message is one line."""

from pathlib import Path


class NotebookError(ValueError):
    """The notebook or what was asked of it is wrong, and nothing was run."""


class BadParameter(NotebookError):
    """A parameter the notebook does not have, or a value that does not fit it."""


class NotebookFailed(RuntimeError):
    """A run that did not complete every code cell.

    ``partial`` is the notebook as far as it came.
    """

    def __init__(self, message: str, partial: Path) -> None:
        super().__init__(message)
        self.partial = partial
