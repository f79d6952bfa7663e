"""Reads and writes notebook files."""

import json
from collections.abc import Mapping
from pathlib import Path

from eval.notebooks.trouble import NotebookError
from eval.whole import write_whole


def read(notebook: Path) -> Mapping:
    """The notebook in nbformat 4; ``NotebookError`` where the file is none."""
    # Its schema checker takes a second to import, which a first picture does not have.
    import nbformat

    try:
        content = nbformat.read(notebook, as_version=4)
        nbformat.validate(content)
        return content
    except OSError as error:
        raise NotebookError(f"{notebook}: cannot be read ({error.strerror})") from error
    except (ValueError, AttributeError, nbformat.ValidationError) as error:
        raise NotebookError(f"{notebook}: not a notebook") from error


def write(produced: Mapping, path: Path) -> None:
    """Writes a notebook so that a reader sees a whole file or the one before."""
    text = json.dumps(produced, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    write_whole(path, text.encode())
