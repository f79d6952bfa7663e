"""A catalog's [model] block: the whole runtime over a database, asking an endpoint by HTTP."""

import json

import pytest

from tests.llm.double import KEY, running
from tests.tune import labelled
from tests.tune.commands import command, tune


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A tuned folder whose catalog is about to be edited."""
    base = tmp_path_factory.mktemp("home")
    folder = labelled.write(tmp_path_factory.mktemp("data") / "mini")
    tune(base, "mini", folder, "--explore", "--queries", "4", "--rerank", "none")
    return base


def edit(home, *changes: tuple[str, str]) -> None:
    catalog = home / "catalogs" / "mini.toml"
    text = catalog.read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    (home / "edited.toml").write_text(text)


def retrieve(home, *more: str, code: int = 0):
    words = ("esra", "retrieve", "mini", "car repair", "--catalog", str(home / "edited.toml"))
    return command(home, *words, *more, code=code, TEST_KEY=KEY)


FORMS = (
    ('select = "all"', 'select = "model"'),
    ('plan = "template"', 'plan = "model"'),
    ('rerank = "none"', 'rerank = "model"'),
)


def block(url: str) -> tuple[str, str]:
    lines = ("[model]", f'base_url = "{url}"', 'model = "m"', 'key = "env:TEST_KEY"')
    return ("[providers.main]", "\n".join((*lines, "price = [1.0, 2.0]", "\n[providers.main]")))


def test_the_steps_ask_the_endpoint_and_the_key_stays_in_its_header(home):
    """Else a model could only be used from a test, or its key would stand somewhere."""
    with running() as server:
        # The double plans for another collection, so that the search is the template's here.
        edit(home, FORMS[0], FORMS[2], block(server.url))
        done = retrieve(home, "--json")
    answer = json.loads(done.stdout)
    assert answer["status"] == "complete", answer
    assert answer["ordered_by"] == "final"
    assert [asked.step for asked in server.asked] == ["select", "rerank"]
    assert all(asked.headers["authorization"] == f"Bearer {KEY}" for asked in server.asked)
    assert KEY not in done.stdout + done.stderr
    (written,) = (home / "audit").glob("*.jsonl")
    assert KEY not in written.read_text()
    assert command(home, "esra", "audit", "verify").stdout.startswith("whole: ")


def test_an_endpoint_that_is_down_costs_its_stages_and_not_the_answer(home):
    """Else a broken model would be a broken search."""
    edit(
        home,
        *FORMS,
        block("http://127.0.0.1:9/v1"),
        ('presence = "optional"', 'presence = "mandatory"'),
    )
    answer = json.loads(retrieve(home, "--json").stdout)
    codes = [warning["code"] for warning in answer["warnings"]]
    assert codes == ["ESRA_PLANNING_FALLBACK", "ESRA_RERANK_FALLBACK"]
    assert answer["results"]
    assert retrieve(home, "--fail-on-degraded", code=5)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (FORMS, "there is no [model] block"),
        ((*FORMS, block("http://example.test/v1")), "over https"),
        ((*FORMS, block("not a url")), "base_url"),
    ],
)
def test_a_model_that_cannot_be_used_is_said_before_anything_runs(home, changes, says):
    """Else a wrong setting would show as a fallback, or send a key in the clear."""
    edit(home, *changes)
    done = retrieve(home, code=3)
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_what_a_tuning_will_cost_is_said_before_the_model_is_paid(home, tmp_path):
    """Whoever switches a paid model on would learn the price of a tuning from his bill."""
    folder = labelled.write(tmp_path / "mini")
    catalog = home / "catalogs" / "mini.toml"
    before = catalog.read_text()
    words = ("mini", folder, "--explore", "--queries", "4")
    with running() as server:
        edit(home, FORMS[2], block(server.url))
        catalog.write_text((home / "edited.toml").read_text())
        try:
            _, first = tune(home, *words, TEST_KEY=KEY)
            _, again = tune(home, *words, TEST_KEY=KEY)
        finally:
            catalog.write_text(before)
    assert "a language model is asked; expected: 4 questions, 4 calls" in first
    assert "by the price" in first
    assert "--max-cost" in first
    assert len(server.asked) == 4
    assert "a language model is asked" not in again
