"""`tune` and `esra retrieve` as commands, over the embedded PostgreSQL and the real model."""

import json
import shlex
from pathlib import Path

import pytest

from esra.config.strict import ConfigError
from eval import record
from eval.catalog import CatalogSource, Choices, catalog_text
from eval.dataset import load_federation
from eval.progress import Progress
from eval.tune import folders
from eval.tune.bill import planned
from eval.tune.loading import refuse_loss
from tests.runs import made
from tests.tune import labelled
from tests.tune.commands import command, tune

NAME = "Mini set"


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return labelled.write(tmp_path_factory.mktemp("data") / "mini")


def test_what_will_be_recorded_is_told_apart_from_what_is_there(tmp_path):
    """Whoever pays a model would believe that each command pays for every question anew."""
    questions = [record.Question(id=id, text=id) for id in ("a", "b", "c")]

    def said():
        return planned("desk", questions, tmp_path).replace(str(tmp_path), "HERE")

    assert said() == "desk: recording 3 queries into HERE"
    failed = {**made.trace("b", 1), "warnings": [{"code": "ESRA_SOURCE_FAILED"}]}
    made.write_traces(tmp_path, {"a": made.trace("a", 1), "b": failed, "z": made.trace("z", 1)})
    assert said() == "desk: recording 2 queries into HERE; 1 are there already"
    made.write_traces(tmp_path, {id: made.trace(id, 1) for id in ("a", "b", "c")})
    assert said() == "desk: the recording of all 3 queries is used again, HERE"


@pytest.mark.req("U05", "U09", "U12", "U13")
def test_one_command_tunes_a_folder_and_the_runtime_orders_by_what_it_wrote(home, folder):
    """Else the product would be parts that do not meet."""
    first, _ = tune(home, NAME, folder, "--explore")
    assert first["capability"] == "mini_set"
    assert first["queries"] == 84
    assert first["measure"] == "nDCG@10"
    assert first["part"] == "development"  # `measure` has another mean, of all 84
    assert first["coverage"] == 1.0
    assert first["estimate"].keys() == {"difference", "interval", "level", "groups"}
    assert first["after"] >= first["before"] > first["no_model"] + 0.2

    # An administrator who trusts words alone: an edited catalog is kept, and measured against.
    catalog = home / "catalogs" / "mini_set.toml"
    edited = catalog.read_text().replace("semantic_weight = 0.7", "semantic_weight = 0.0")
    edited = edited.replace("lexical_weight = 0.3", "lexical_weight = 1.0")
    catalog.write_text(edited)
    before, _ = retrieve(home)
    second, said = tune(home, NAME, folder)
    assert "keeping your edited catalog" in said
    assert catalog.read_text() == edited
    assert second["promoted"], second["why"]
    assert second["sealed"]["opening"] == 1
    assert second["sealed"]["interval"][0] > 0
    written = Path(second["config"])
    assert written == home / "tuned" / "mini_set" / "0001.json"

    after, _ = retrieve(home)
    assert (before["configuration"]["tuned"], after["configuration"]["tuned"]) == (False, True)
    assert after["configuration"]["hash"] == json.loads(written.read_text())["hash"]
    assert before["results"][0]["title"] == "car car"
    assert after["results"][0]["title"] == "repair of one automobile"

    third, said = tune(home, NAME, folder)
    assert "mini_set: the recording of all 84 queries is used again, " in said
    told, shown = second.pop("why"), third.pop("why")
    assert shown.startswith("shown before on 20")
    assert shown.endswith(told)
    assert third == second
    openings = (home / "runs" / "openings.jsonl").read_text().splitlines()
    assert len(openings) == 1
    assert [path.name for path in written.parent.glob("*.json")] == ["0001.json"]

    assert command(home, "esra", "config", "rollback", "mini_set").returncode == 0
    fourth, _ = tune(home, NAME, folder)
    assert fourth["config"] == str(written)
    assert "went back to earlier numbers" in " ".join(fourth["notes"])
    assert retrieve(home)[0]["results"][0]["title"] == "car car"


def retrieve(home: Path):
    done = command(home, "esra", "retrieve", "mini_set", "car repair", "--json")
    return json.loads(done.stdout), done.stderr


def test_the_line_that_tune_prints_can_be_pasted(home, folder):
    """Else the first thing a person tries would fail."""
    words = ("eval", "tune", "--name", NAME, "--data", str(folder), "--no-notebooks")
    out = command(home, *words, "--explore").stdout
    line = next(line for line in out.splitlines() if "./workbench esra retrieve" in line)
    pasted = shlex.split(line.split("./workbench", 1)[1])
    shown = command(home, *pasted).stdout
    assert "complete; ordered by final" in shown


def test_exploring_opens_nothing(home, folder):
    """Else looking would use up the sealed part."""
    before = (home / "runs" / "openings.jsonl").read_text()
    capability, _ = tune(home, NAME, folder, "--explore")
    assert (capability["promoted"], capability["sealed"]) == (False, None)
    assert (home / "runs" / "openings.jsonl").read_text() == before


def test_a_smaller_tuning_after_a_larger_one_leaves_a_run_that_can_be_asked(home, folder):
    """The folder would hold traces of queries that it has no groups of, and nothing could read it;
    and a file of 60 queries would pass for one of the whole set.
    """
    tune(home, NAME, folder, "--explore")
    some, _ = tune(home, NAME, folder, "--explore", "--queries", "60")
    assert some["queries"] == 60
    assert json.loads(Path(some["config"]).read_text())["evidence"]["unasked"] == 24
    words = ("judge-next", "mini_set", "--candidate", some["config"], "--budget", "1", "--json")
    document = json.loads(command(home, "eval", *words).stdout)
    assert document["part"] == "development"
    assert 20 < document["queries"] < 50


def test_a_recording_in_which_a_source_failed_opens_and_promotes_nothing(home, folder, monkeypatch):
    """Else a database that died half-way would look like a bad ranking, and be tuned on."""
    traces = max(
        (home / "runs" / "mini_set").glob("*/traces.jsonl"), key=lambda p: p.stat().st_mtime
    )
    query, trace = next(record.lines(traces))
    failed = {"code": "ESRA_SOURCE_FAILED", "source": "mini", "detail": "TIMEOUT", "count": None}
    with traces.open("a") as file:
        file.write(json.dumps({"query": query, "trace": {**trace, "warnings": [failed]}}) + "\n")
    ledger = (home / "runs" / "openings.jsonl").read_bytes()

    async def nothing(*_, **__):
        """The engine is still down: what failed stays failed."""

    monkeypatch.setattr(record, "record", nothing)
    monkeypatch.setenv("ESRA_HOME", str(home))
    federation = load_federation([folder])
    found = folders.tune(folders.Order(name=NAME, federation=federation), home, Progress(True))
    plain = found.verdict.as_json()
    assert (plain["promoted"], plain["sealed"], plain["degraded"]) == (False, None, 1)
    assert "1 of 84 queries were answered degraded (ESRA_SOURCE_FAILED)" in plain["why"]
    assert (home / "runs" / "openings.jsonl").read_bytes() == ledger


def test_two_names_of_one_tool_do_not_take_each_other_over(home, folder):
    """Else "Help" and "help" would overwrite each other's tables without a word."""
    words = ("eval", "tune", "--name", "mini  SET", "--data", str(folder), "--no-notebooks")
    done = command(home, *words, code=3)
    assert "are both the tool esra_mini_set" in done.stderr


@pytest.mark.parametrize("words", [("record", "--dry-run"), ("tune", "--no-notebooks")])
def test_a_source_is_not_lost_for_want_of_its_folder(home, folder, tmp_path, words):
    """Whoever measures over one folder would take another's documents from everybody who asks."""
    other = labelled.write(tmp_path / "other")
    before, catalog = retrieve(home)[0], home / "catalogs" / "mini_set.toml"
    text = catalog.read_text()
    own = ("--name", NAME, "--data", str(other))
    said = command(home, "eval", words[0], *own, *words[1:], code=3).stderr
    assert "'Mini set' has the source 'mini' too, which it would lose" in said
    assert catalog.read_text() == text
    titles = [[one["title"] for one in found["results"]] for found in (before, retrieve(home)[0])]
    assert titles[0] == titles[1] != []


def test_a_source_that_a_person_added_is_none_of_the_folders(tmp_path):
    """A catalog could not be edited: every further tuning would miss the added source's folder."""
    sources = [
        CatalogSource(id=id, table=id, documents=1, examples=(), dated=False)
        for id in ("mini", "orders")
    ]
    text = catalog_text("mini_set", NAME, "esra_mini_set", "embedded", sources, Choices(), "f0")
    catalog = tmp_path / "mini_set.toml"
    federation = load_federation([labelled.write(tmp_path / "mini")])
    catalog.write_text(text)
    with pytest.raises(ConfigError, match="'orders' too"):
        refuse_loss(catalog, "mini_set", NAME, federation)
    own, theirs = text.split('id = "orders"', 1)
    theirs = theirs.replace('schema = "esra_mini_set"', 'schema = "shop"')
    catalog.write_text(f'{own}id = "orders"{theirs}')
    refuse_loss(catalog, "mini_set", NAME, federation)


def test_a_server_of_ones_own_is_loaded_and_read_through_a_role_that_only_reads(
    database, folder, tmp_path
):
    """Else the workbench would need its own server, or the runtime a role that may write."""
    capability, _ = tune(tmp_path, NAME, folder, "--explore", ESRA_DATABASE_URL=database.url)
    assert capability["queries"] == 84
    catalog = (tmp_path / "catalogs" / "mini_set.toml").read_text()
    assert 'url = "file:' in catalog
    secret = tmp_path / "secrets" / "reader.url"
    assert secret.stat().st_mode & 0o077 == 0
    assert "esra_reader" in secret.read_text()
    assert secret.read_text() not in catalog


def test_a_reader_that_may_do_more_than_read_is_refused(database, folder, tmp_path):
    """Else a superuser would stand behind every query (RULINGS 20)."""
    words = ("eval", "tune", "--name", NAME, "--data", str(folder), "--no-notebooks")
    urls = {"ESRA_DATABASE_URL": database.url, "ESRA_READER_URL": database.url}
    done = command(tmp_path, *words, code=3, **urls)
    assert "is a superuser" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("file", "line", "says"),
    [
        ("corpus.jsonl", '{"_id": "x", "text": "a"', "corpus.jsonl:99"),
        ("queries.jsonl", '{"_id": " ", "text": "a"}', "queries.jsonl:85"),
        ("qrels.tsv", "q000\tdoc-000\t0", "qrels.tsv:86"),
    ],
)
def test_a_bad_folder_ends_with_file_and_line_and_exit_code_3(tmp_path, file, line, says):
    """Else a person could not find what to mend."""
    folder = labelled.write(tmp_path / "bad")
    with (folder / file).open("a") as handle:
        handle.write(line + "\n")
    words = ("eval", "tune", "--name", "x", "--data", str(folder), "--no-notebooks")
    done = command(tmp_path / "home", *words, code=3)
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--data", "x"], "--name"),
        (["--name", "x"], "--data"),
        (["--runs", "a", "b"], "--qrels"),
        (["--queries", "0"], "above 0"),
        (["--name", "???", "--data", "x"], "letter"),
    ],
)
def test_misuse_is_said_in_one_line_with_exit_code_2(tmp_path, words, says):
    """Else a typo would end in a traceback."""
    done = command(tmp_path, "eval", "tune", *words, code=2)
    assert says in done.stderr
    assert "Traceback" not in done.stderr
