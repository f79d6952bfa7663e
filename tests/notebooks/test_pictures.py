"""What `tune` shows before it starts and when it is done."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from eval import demo, runfolder
from eval.evidence import sealed
from eval.notebooks import Executed, pictures
from eval.notebooks.weights import case_of, curve_figures, held_out_figures, moved, weigh

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.req("U02", "U09")
def test_the_first_picture_needs_no_database_no_model_and_no_notebook(tmp_path):
    """A person would wait for an install, an import of data and a model to see the first curve."""
    program = (
        "import sys\nfrom pathlib import Path\nfrom eval.notebooks import first_picture\n"
        "print(first_picture(Path(sys.argv[1]), print))\n"
        "late = {'psycopg', 'onnxruntime', 'papermill', 'nbformat', 'sklearn', 'pandas'}\n"
        "assert not late & set(sys.modules), late & set(sys.modules)"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "first")]
    said = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    picture = Path(said.splitlines()[-1])
    assert picture.parent == tmp_path / "first"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "peak 0." in said
    assert "in sample" in said


def test_a_picture_may_be_named(tmp_path):
    """A caller that names a file would find a folder of that name."""
    named = pictures.first_picture(tmp_path / "curve.png", lambda line: None)
    assert named == tmp_path / "curve.png"
    assert named.is_file()


@pytest.mark.req("U14")
def test_after_a_run_its_own_figures_stand_in_its_folder(tmp_path):
    """The notebook in a run's folder would show the shipped example instead of the run."""
    folder = tmp_path / "run"
    case = demo.case()
    kept = {query: grades for query, grades in case.judgements.items() if "numpy" not in query}
    runfolder.write(folder, _part(case, kept))
    shutil.copy(demo.FOLDER / "traces.jsonl", folder / runfolder.TRACES)
    said = []
    made = pictures.after(folder, said.append)
    assert [path.name for path in made] == ["00_tour.ipynb", "20_rerank_weights.ipynb"]
    assert said == ["running notebook 00_tour", "running notebook 20_rerank_weights"]
    text = made[1].read_text("utf-8")
    assert f"questions    {len(kept)}" in _printed(text)
    assert str(tmp_path) not in text
    assert str(ROOT) not in text


def test_without_traces_the_weights_are_left_out(tmp_path, monkeypatch):
    """A run over two TREC files has no traces, and its last step would fail."""
    ran = []

    def run(notebook, out, given, say):
        ran.append((notebook.name, given))
        return Executed(notebook=out, cells=0, seconds=0.0)

    monkeypatch.setattr(pictures, "run", run)
    said = []
    pictures.after(tmp_path, said.append)
    assert ran == [("00_tour.ipynb", {})]
    assert "20_rerank_weights is left out" in said[0]


def test_a_look_at_single_queries_leaves_the_sealed_ones_out():
    """A person who has read the sealed questions' results has opened them."""
    weighed = weigh(case_of("", 10))
    names = weighed.table.queries
    shut = sealed([weighed.case.groups[name] for name in names])
    kept = {name for name, closed in zip(names, shut, strict=True) if not closed}
    assert 0 < weighed.open_part.sum() == len(kept) < len(names)
    assert set(moved(weighed)["query"]) <= kept
    figures = curve_figures(weighed)
    column = weighed.table.values[weighed.open_part][:, weighed.today]
    assert figures["nDCG@10 at today's share"] == round(column.mean(), 3)
    assert held_out_figures(weighed)["today"] == round(column.mean(), 4)
    assert weighed.decision.sealed is None


def _part(case, judgements):
    return replace(
        case,
        judgements=judgements,
        groups={query: case.groups[query] for query in judgements},
        strata={query: case.strata[query] for query in judgements},
    )


def _printed(text: str) -> str:
    cells = json.loads(text)["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return "\n".join("".join(o.get("data", {}).get("text/plain", "")) for o in outputs)
