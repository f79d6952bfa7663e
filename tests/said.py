"""A command's main called in this process, with what it said."""

import contextlib
import io
from collections.abc import Callable, Sequence


def said(main: Callable[[Sequence[str]], int], *words: object, code: int = 0) -> tuple[str, str]:
    """(stdout, stderr) of a call that ended with this code."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            ended = main([str(word) for word in words])
        except SystemExit as stopped:  # argparse's own way out
            ended = stopped.code
    assert ended == code, out.getvalue() + err.getvalue()
    return out.getvalue(), err.getvalue()
