"""The tour says only what the pipeline does, and shows nothing that may not leave it."""

import asyncio
import json

import pytest

from esra.domain.invocation import Caller, Identity, Request
from esra.governance.admission import admit
from esra.llm.scripted import Scripted
from esra.pipeline import retrieve
from eval.notebooks import tour
from eval.notebooks.pictures import SHIPPED

BAKER = Caller(tenant="bakery", subject="ada", identity=Identity.LOCAL)


def ask(script):
    model = Scripted(script)
    house = tour.house(model)
    request = Request(exposure="bakery", prompt=tour.QUESTION, caller=BAKER, now=tour.NOW)
    return asyncio.run(retrieve(admit(request, house), house)), model


@pytest.mark.parametrize(
    ("script", "codes"),
    [
        (tour.honest, []),
        (tour.forged, ["ESRA_PLAN_REJECTED"] * 4),
        (tour.rambling, ["ESRA_RERANK_FALLBACK"]),
    ],
)
def test_each_script_ends_as_the_tour_tells(script, codes):
    """The tour would explain a warning that is not there."""
    response, _ = ask(script)
    assert [warning.code.value for warning in response.warnings] == codes
    assert len(response.results) == 4


def test_the_model_sees_no_physical_name_no_restricted_field_and_no_score():
    """The tour's tables of what a model sees would be a claim and no fact."""
    _, model = ask(tour.honest)
    assert len(model.seen) == 4
    seen = repr(model.seen)
    for hidden in ("oven_db", "pk_7", "ttl_7", "txt_7", "vec_7", "invoice", "native", "weighted"):
        assert hidden not in seen


def test_the_stored_tour_shows_no_physical_name_and_no_whole_number_of_a_telephone():
    """The first page a newcomer reads would show what the product promises to keep."""
    cells = json.loads((SHIPPED / "00_tour.ipynb").read_text("utf-8"))["cells"]
    shown = json.dumps([cell.get("outputs", []) for cell in cells])
    for hidden in ("oven_db", "pk_7", "ttl_7", "txt_7", "vec_7", "555 010"):
        assert hidden not in shown
    assert "***4471" in shown


def test_a_brief_table_names_every_field_by_its_path():
    """A field the model sees would be missing from the table that claims to show all."""
    _, model = ask(tour.honest)
    paths = list(tour.brief_table(model.seen[-1])["the model sees"])
    assert paths == [
        "prompt",
        "candidates[].resultId",
        "candidates[].source",
        "candidates[].title",
        "candidates[].fragments",
    ]
