"""Runs notebooks so that a green run means something, and says what is wrong with one.

``run`` wraps papermill, ``check`` is the rules a shipped notebook keeps, ``first_picture`` and
``after`` are what ``./workbench tune`` shows of its work.
"""

from eval.notebooks.check import check
from eval.notebooks.pictures import after, first_picture
from eval.notebooks.runner import Executed, run
from eval.notebooks.trouble import BadParameter, NotebookError, NotebookFailed

__all__ = [
    "BadParameter",
    "Executed",
    "NotebookError",
    "NotebookFailed",
    "after",
    "check",
    "first_picture",
    "run",
]
