"""Every rule of `check`, each proven by a notebook that breaks it and nothing else."""

from pathlib import Path

import pytest

from eval.notebooks.check import check
from eval.notebooks.pictures import SHIPPED
from tests.notebooks.conftest import KERNEL, code, printed, shown

CHECKED, IGNORED = ["nbval-check-output"], ["nbval-ignore-output"]


@pytest.mark.req("U07", "U16", "W70")
@pytest.mark.parametrize("notebook", sorted(SHIPPED.glob("*.ipynb")), ids=lambda path: path.name)
def test_shipped_notebooks_keep_every_rule(notebook: Path):
    """A green run of them would prove nothing."""
    assert check(notebook) == []


def test_a_plain_notebook_breaks_no_rule(plant):
    """A rule that anything breaks would be switched off."""
    figure = shown("image/png", "iVBORw0KGgo=")
    path = plant(
        "import math\nmath.pi",
        code("print(alpha)", tags=CHECKED, outputs=[printed("0.5\n")]),
        code("alpha", tags=IGNORED, outputs=[figure]),
        "async def f():\n    return 1\nawait f()",
        metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}},
    )
    assert check(path) == []


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("!exit 3", "not plain Python"),
        ("%matplotlib inline", "not plain Python"),
        ("%%bash\nexit 3", "not plain Python"),
        ("files = !ls", "not plain Python"),
        ("print?", "not plain Python"),
        ("ls -la", "ls is defined nowhere"),
        ("pwd", "pwd is defined nowhere"),
        ("get_ipython().system('exit 3')", "get_ipython runs what can fail in silence"),
        ("import os\nos.system('exit 3')", "os.system runs what can fail in silence"),
        (code("1 / 1", tags=["raises-exception"]), "tagged raises-exception"),
        (code("alpha", tags=CHECKED), "is checked but has no stored output"),
        (code("alpha", outputs=[printed("0.5")]), "has an output that nobody compares"),
        (code("alpha", tags=CHECKED + IGNORED, outputs=[printed("1")]), "both checked and ignored"),
        (
            code(
                "alpha",
                tags=IGNORED,
                outputs=[{"output_type": "error", "ename": "E", "evalue": "", "traceback": []}],
            ),
            "has stored an error",
        ),
        (code("alpha", tags=CHECKED, outputs=[printed("1/9", "stderr")]), "went to stderr"),
        (
            code(
                "alpha",
                tags=IGNORED,
                outputs=[shown("application/vnd.jupyter.widget-view+json", "{}")],
            ),
            "output of type application/vnd.jupyter.widget-view",
        ),
        (
            code("alpha", tags=IGNORED, outputs=[shown("text/html", "<script>steal()</script>")]),
            "HTML that can act",
        ),
        (
            code("alpha", tags=IGNORED, outputs=[shown("text/html", "<b onclick = 'x()'>a</b>")]),
            "HTML that can act",
        ),
        ("from IPython.display import HTML\nHTML(topic)", "unescaped: HTML"),
        ("import IPython\nIPython.display.Markdown(topic)", "unescaped: Markdown"),
        ("import pandas as pd\npd.DataFrame([topic]).style", "unescaped: a Styler"),
        ("import pandas as pd\npd.DataFrame([topic]).to_html(escape=False)", "unescaped: escape"),
        ("display(topic, raw=True)", "unescaped: raw"),
        (code("alpha", tags=CHECKED, outputs=[printed("/home/ann/x.csv")]), "/home/ann"),
        ("open('/Users/ann/x.csv')", "path of a machine: /Users/ann"),
        ("url = 'postgresql://ann:pw@db/x'", "looks like a secret"),
        ("word = 'sk-0123456789abcdefXYZ'", "looks like a secret"),
        (code("alpha", collapsed=True), "metadata holds 'collapsed'"),
        (code("alpha", papermill={"status": "completed"}), "metadata holds 'papermill'"),
        (
            code("alpha", tags=IGNORED, outputs=[shown("text/plain", "a", width=3)]),
            "an output holds metadata",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_planted_fault_turns_the_check_red(plant, cell, said):
    """A run, or a comparison with stored outputs, would pass with this in it."""
    problems = check(plant(cell))
    assert len(problems) == 1, problems
    assert said in problems[0]


def test_a_parameter_renamed_in_its_own_cell_alone_is_found(plant):
    """The notebook would fail after hours of tuning, at the first cell that uses the old name."""
    cells = ["import math\n\ndef half(x):\n    return x * math.pi / 2", "print(half(alpha))"]
    assert check(plant(*cells)) == []
    renamed = check(plant(*cells, parameters="alhpa: float = 0.5"))
    assert renamed == ["code cell 3 uses alpha, which no cell before it defines"]


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (["x = late", "late = 1"], "code cell 2 uses late, "),
        (["def f():\n    return late", "late = f"], None),
        (["def f():\n    return never"], "code cell 2 uses never, "),
        (["y = [one for one in topic]", "y = one"], "code cell 3 uses one, "),
        (["y = gone  # noqa: F821"], "code cell 2 uses gone, "),
        (["import math as m\nfor i in range(3):\n    j = m.pi", "k = i, j, len, __name__"], None),
        (["display(In, Out, _)"], None),
        (["from math import *", "x = pi"], "code cell 2 imports *: nobody can tell"),
    ],
    ids=["later", "in a function", "never", "comprehension", "noqa", "bound", "IPython", "star"],
)
def test_names_that_no_cell_defines_by_then_are_found(plant, cells, problem):
    """A cell that was moved or removed would be missed by the cells after it, at run time only."""
    problems = check(plant(*cells))
    assert len(problems) == (problem is not None), problems
    assert all(said.startswith(problem) for said in problems)


def test_cells_of_text_do_not_shift_the_number_of_a_finding(plant):
    """A person would look for the fault in another cell."""
    text = {"cell_type": "markdown", "metadata": {}, "source": "words"}
    assert check(plant(text, "x = 1", text, "y = gone")) == [
        "code cell 3 uses gone, which no cell before it defines"
    ]


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"widgets": {"state": {}}}, "metadata holds 'widgets'"),
        ({"papermill": {"parameters": {}}}, "metadata holds 'papermill'"),
        ({"language_info": {"name": "python", "version": "3.11.7"}}, "holds 'version'"),
        ({"kernelspec": {**KERNEL, "path": "x"}}, "metadata.kernelspec holds 'path'"),
    ],
)
def test_metadata_of_somebodys_editor_turns_the_check_red(plant, metadata, said):
    """Widget states and versions would travel with every commit and differ on every machine."""
    problems = check(plant(metadata=metadata))
    assert len(problems) == 1, problems
    assert said in problems[0]


@pytest.mark.req("U07")
def test_a_notebook_without_a_parameters_cell_turns_the_check_red(plant):
    """Papermill would only warn, and run with what the notebook says."""
    assert check(plant("1", parameters=None)) == [
        "0 code cells are tagged `parameters`; exactly one must be"
    ]


def test_a_file_that_is_no_notebook_is_a_finding(tmp_path: Path):
    """The check would stop at it, and the notebooks after it would go unchecked."""
    path = tmp_path / "a.ipynb"
    path.write_text("{}", "utf-8")
    assert check(path) == [f"{path}: not a notebook"]
    assert "cannot be read" in check(tmp_path / "none.ipynb")[0]
