"""`python -m eval.notebooks`: exit codes and what is printed where."""

import pytest

from eval.notebooks.__main__ import main
from eval.notebooks.refresh import refresh, settled
from tests.notebooks.conftest import code, printed


@pytest.mark.req("U07")
def test_a_mistyped_parameter_exits_2_and_says_what_was_meant(plant, tmp_path, capsys):
    """A script would go on with a figure of the default."""
    out = tmp_path / "out.ipynb"
    assert main(["run", str(plant()), str(out), "-p", "alhpa=1"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "planted.ipynb: there is no parameter 'alhpa'; did you mean 'alpha'?\n"
    assert not out.exists()


@pytest.mark.parametrize("pair", ["alpha", "alpha=one"])
def test_a_parameter_without_a_usable_value_exits_2(plant, tmp_path, capsys, pair):
    """`-p alpha` would be read as an empty text."""
    assert main(["run", str(plant()), str(tmp_path / "out.ipynb"), "-p", pair]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_missing_notebook_exits_2(tmp_path, capsys):
    """A traceback would hide which file is missing."""
    assert main(["run", str(tmp_path / "none.ipynb"), str(tmp_path / "out.ipynb")]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_findings_exit_1_and_are_listed(plant, capsys):
    """CI would pass with a notebook whose green run means nothing."""
    assert main(["check", str(plant("!exit 3"))]) == 1
    assert capsys.readouterr().out.startswith("planted.ipynb: code cell 2 is not plain Python")


@pytest.mark.req("W70")
def test_the_shipped_notebooks_have_no_findings(capsys):
    """The check would not be in force where it matters."""
    assert main(["check"]) == 0
    assert capsys.readouterr().out == ""


def test_refreshing_stores_the_outputs_that_are_compared_and_nothing_else(plant, capsys):
    """Outputs nobody compares, and the times of a run, would change with every commit."""
    notebook = plant(
        code("print('kept')", tags=["nbval-check-output"], outputs=[printed("old\n")]),
        "print('left out')",
    )
    refresh(notebook)
    text = notebook.read_text("utf-8")
    assert "kept" in text
    assert "old" not in text
    assert text.count("left out") == 1  # the source alone
    assert "papermill" not in text
    assert main(["check", str(notebook)]) == 0
    before = notebook.read_bytes()
    refresh(notebook)
    assert notebook.read_bytes() == before


def test_a_settled_notebook_keeps_no_metadata_but_its_tags():
    """An editor's state would travel with every commit."""
    cell = {**code("1", tags=["x"], collapsed=True, outputs=[]), "id": "a"}
    kept = settled({"cells": [cell], "metadata": {"widgets": {}}})
    assert kept["cells"][0]["metadata"] == {"tags": ["x"]}
    assert set(kept["metadata"]) == {"kernelspec", "language_info"}
