"""Plants small notebooks, each with one thing in it."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
PARAMETERS = 'alpha: float = 0.5\ntopic: str = "bread"'

Plant = Callable[..., Path]


def code(
    source: str, *, tags: Sequence[str] = (), outputs: Sequence[dict] = (), **metadata
) -> dict:
    """A code cell; its place in the notebook gives it an id."""
    return {
        "cell_type": "code",
        "execution_count": 1 if outputs else None,
        "metadata": {**({"tags": list(tags)} if tags else {}), **metadata},
        "outputs": list(outputs),
        "source": source,
    }


def printed(text: str, name: str = "stdout") -> dict:
    return {"output_type": "stream", "name": name, "text": text}


def shown(kind: str, content: str, **metadata) -> dict:
    return {"output_type": "display_data", "data": {kind: content}, "metadata": metadata}


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Writes a notebook of code cells after a `parameters` cell, and gives its path."""

    def planted(
        *cells: str | dict,
        name: str = "planted",
        parameters: str | None = PARAMETERS,
        metadata: dict | None = None,
    ) -> Path:
        head = [] if parameters is None else [code(parameters, tags=["parameters"])]
        own = [code(cell) if isinstance(cell, str) else cell for cell in cells]
        notebook = {
            "cells": [{**cell, "id": f"c{at}"} for at, cell in enumerate([*head, *own])],
            "metadata": metadata or {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        path = tmp_path / f"{name}.ipynb"
        path.write_text(json.dumps(notebook), "utf-8")
        return path

    return planted
