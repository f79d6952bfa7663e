"""``esra init``: a first catalog that answers at once, and nothing of anybody's written over."""

from __future__ import annotations

import json

import pytest

from esra.cli import main
from esra.config.catalog import load_catalog
from esra.sample.pages import pages
from esra.wiring import READER


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ESRA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("ESRA_DATABASE_URL", raising=False)
    return tmp_path / "home"


@pytest.fixture
def loaded(home, database, monkeypatch):
    """The embedded database is the one of these tests."""
    from contextlib import contextmanager

    from esra import embedded

    @contextmanager
    def opened(base, *, say=embedded.silent):
        yield database

    monkeypatch.setattr(embedded, "open_database", opened)
    return database


def test_what_init_writes_answers_a_question_at_once(home, loaded, capsys):
    """A newcomer's second command would fail."""
    assert main(["init"]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert 'next: ./workbench esra retrieve guide "how are results ordered?"' in said.err
    assert main(["retrieve", "guide", "how are results ordered?", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "complete"
    assert answer["results"][0]["title"] == "How results are ordered"


def test_the_doctor_finds_nothing_in_it(home, loaded, capsys):
    """A newcomer's third command would complain of our own work."""
    assert main(["init", "--name", "desk"]) == 0
    capsys.readouterr()
    assert main(["doctor", "--catalog", "desk"]) == 0
    assert "0 errors, 0 warnings" in capsys.readouterr().out


def test_init_again_loads_the_same_pages_once(home, loaded):
    """Every other run would fail, or double the answers."""
    import psycopg

    for _ in range(2):
        assert main(["init", "--force"]) == 0
    with psycopg.connect(loaded.as_user(READER)) as reader:
        (count,) = reader.execute('SELECT count(*) FROM "esra-sample".pages').fetchone()
    assert count == len(pages()) == len({page.key for page in pages()})


def test_each_page_is_whole():
    """A page would hold its neighbour's text, or none."""
    for page in pages():
        assert "##" not in page.title + page.text
        assert page.audience in ("users", "operators")
        assert page.text.endswith(".")


@pytest.mark.parametrize("words", [["--name", "desk"], ["{tmp}/desk.toml"]])
def test_what_is_there_stays_without_force(home, tmp_path, words, capsys):
    """Somebody's work would be gone."""
    file = tmp_path / "desk.toml" if "{tmp}" in words[0] else home / "catalogs" / "desk.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("mine", "utf-8")
    command = ["init", *(word.format(tmp=tmp_path) for word in words), "--no-sample"]
    assert main(command) == 2
    assert file.read_text("utf-8") == "mine"
    assert "--force" in capsys.readouterr().err
    assert main([*command, "--force"]) == 0
    assert load_catalog(file).catalog.exposures[0].slug == "desk"


def test_a_schema_of_somebody_else_stays(tmp_path):
    """A file that happens to have that name would be gone."""
    other = tmp_path / "catalog.schema.json"
    other.write_text("{}", "utf-8")
    assert main(["init", str(tmp_path / "desk.toml"), "--no-sample"]) == 0
    assert other.read_text("utf-8") == "{}"
    assert "#:schema" not in (tmp_path / "desk.toml").read_text("utf-8")
    other.unlink()
    assert main(["init", str(tmp_path / "desk.toml"), "--no-sample", "--force"]) == 0
    first, *_ = (tmp_path / "desk.toml").read_text("utf-8").splitlines()
    assert first == "#:schema ./catalog.schema.json"
    assert json.loads(other.read_text("utf-8"))["$id"] == "urn:esra:schema:catalog"


@pytest.mark.parametrize("name", ["Desk", "a b", "x" * 27, "my_fetch", "", "../up"])
def test_a_name_that_is_no_tools_is_refused(home, name, capsys):
    """The catalog would be refused later, or lie outside esra's folder."""
    assert main(["init", "--name", name, "--no-sample"]) == 2
    assert "a name is 1 to 26 of a-z" in capsys.readouterr().err
    assert not home.exists()


def test_the_sample_goes_into_no_server_of_somebodys_own(home, monkeypatch, capsys):
    """A production database would get a schema that nobody asked for."""
    secret = "postgresql://user:hunter2@db.example/prod"
    monkeypatch.setenv("ESRA_DATABASE_URL", secret)
    assert main(["init"]) == 4
    said = capsys.readouterr().err
    assert "ESRA_DATABASE_URL" in said
    assert "hunter2" not in said
    assert not (home / "catalogs").exists()
