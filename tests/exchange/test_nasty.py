"""Every odd id and text people have goes through every format at once, both ways, to the letter."""

from __future__ import annotations

import csv
import json

import pytest

from eval.dataset.labels import load_labels
from tests.formats.sheets import NASTY

FORMATS = ("trec", "beir", "quepid", "quepid-raters", "ratings", "rre", "rre-grades", "opensearch")
WAYS = {
    "plain": ((), ()),
    "spreadsheet": (("--for-spreadsheet",), ("--from-spreadsheet",)),
    "mapped": (("--id-map", "=p/{key}"), ("--id-map", "=p/{key}")),
}
MORE = (
    "007",
    "None",
    "nan",
    "unrateable",
    "query",
    "docid",
    "{key}",
    "{3F2504E0-4F89-11D3}",
    "\u202eright to left",
    "\u05d0\u05d1",
    "\u200bnothing wide",
    "a\u2029b",
    "a\x85b",
    "a\x1cb",
    "a\x0bb",
    "\xa0blank",
    "\u3000",
    "\ufeffmark",
    "mark\ufeff",
    "''",
    '""',
    "\\n",
    "sep=,",
    "a;b",
    "#",
    "\x01",
)
# What a labelled folder cannot hold as an id, since its judgements are lines of columns.
IDS = [id for id in (*NASTY, *MORE) if id.strip() and not set(id) & set("\t\r\n")]
TEXTS = [text for text in (*NASTY, *MORE) if text.strip()]


@pytest.fixture(scope="module")
def nasty(tmp_path_factory):
    """A folder with every id as a query and as a document, every text as a text and a need."""
    path = tmp_path_factory.mktemp("nasty") / "set"
    path.mkdir()
    rows = [
        {"_id": id, "text": f"{id}{TEXTS[place % len(TEXTS)]}", "need": TEXTS[-place]}
        for place, id in enumerate(IDS)
    ]
    documents = [{"_id": id, "title": id, "text": f"text {n}"} for n, id in enumerate(IDS)]
    for name, lines in (("queries", rows), ("corpus", documents)):
        body = "".join(json.dumps(line) + "\n" for line in lines)
        (path / f"{name}.jsonl").write_text(body, "utf-8")
    judged = "".join(
        f"{query}\t{IDS[(place + step) % len(IDS)]}\t{step}\n"
        for place, query in enumerate(IDS)
        for step in range(4)
    )
    (path / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}", "utf-8")
    return path


@pytest.mark.req("W01", "W03", "W04", "W05", "W07", "W10")
@pytest.mark.parametrize(
    ("name", "way"),
    [
        (name, way)
        for name in FORMATS
        for way in WAYS
        if way != "spreadsheet" or name in ("quepid", "quepid-raters", "ratings")
    ],
)
def test_odd_ids_and_texts_come_back(nasty, run, tmp_path, name, way):
    """Labels under an address, a leading zero or a sign would join nothing, or run as a formula."""
    (outwards, inwards), out = WAYS[way], tmp_path / "out"
    code, said, error = run("export", nasty, "--format", name, "-o", out, *outwards)
    assert (code, said["documents"]["found"]) == (0, len(IDS)), error
    read = name.replace("rre-grades", "rre")
    words = ["--to", tmp_path / "back", "--queries", nasty, "--corpus", nasty, "--strict"]
    code, _, error = run("import", out, "--format", read, *words, *inwards)
    assert code == 0, error
    found, expected = load_labels(tmp_path / "back"), load_labels(nasty)
    assert found.grades == expected.grades
    assert found.queries == expected.queries
    if way == "spreadsheet":
        # Everything but a plain number of ratings is text to a spreadsheet, and stays as it is.
        with out.open(encoding="utf-8", newline="") as file:
            cells = {cell for row in csv.reader(file) for cell in row}
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
        assert not cells & {"0001", "007", "1e3", "-2"}


@pytest.mark.parametrize("id", ["a\tb", "a\nb", "a\r\nb", "a\rb"])
def test_an_id_that_no_folder_can_hold_is_refused_in_a_line(run, tmp_path, id):
    """Half of an id would become a grade, or the import end in a stack trace."""
    path = tmp_path / "j.json"
    ratings = [{"docId": id, "rating": 1}]
    path.write_text(json.dumps({"judgmentRatings": [{"query": "q", "ratings": ratings}]}))
    code, told, error = run("import", path, "--to", tmp_path / "x")
    assert (code, error.count("\n")) == (3, 1)
    assert repr(id) in told["error"]["message"]
    assert not (tmp_path / "x").exists()
