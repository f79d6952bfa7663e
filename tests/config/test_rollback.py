"""`esra config verify`, `history` and `rollback`: no revision goes, and every way back is told."""

import json
from pathlib import Path

import pytest

from esra.cli import main
from esra.config.apply import newest
from esra.config.history import history, restoring
from esra.config.revise import write_revision
from esra.governance import places
from eval import publish
from tests.claimed import claim_of
from tests.config.living import MODELS, Living
from tests.house import ask
from tests.serve.doors import run
from tests.serve.shelf import CATALOG

NONE = {"select": "", "plan": "", "rerank": ""}
EVIDENCE = {"date": "2026-03-01", "measure": "nDCG@10", "before": 0.5, "after": 0.625}


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """Three revisions of the capability ``cap``, whose exposure is ``shelf``; the third is used."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    catalog = places.catalog_file(tmp_path, "shelf")
    catalog.parent.mkdir(parents=True)
    catalog.write_text(CATALOG, "utf-8")
    for share in (100, 200, 300):
        claim = claim_of("cap", share, NONE, "d")
        publish.promote(tmp_path / "tuned" / "cap", claim, EVIDENCE)
    return tmp_path


def command(capsys, *words: str, code: int = 0) -> str:
    """What stood on stdout."""
    assert main(["config", *words]) == code
    return capsys.readouterr().out


def plain(capsys, *words: str, code: int = 0) -> dict:
    return json.loads(command(capsys, *words, "--json", code=code))


def audited(home: Path) -> list[dict]:
    lines = [
        line
        for path in sorted((home / "audit").glob("*"))
        if path.is_file()
        for line in path.read_text("utf-8").splitlines()
    ]
    records = [json.loads(line) for line in lines]
    return [record for record in records if record["event"] == "esra.config.rollback"]


@pytest.mark.req("W65")
def test_a_rollback_restores_every_place_and_score(tmp_path):
    """A way back that leads somewhere else is none."""
    own = Living(tmp_path)

    def answers():
        own.door.order_by(own.applied().catalog)
        response = ask(own.door.house)
        return [(r.title, r.score) for r in response.results], response.configuration.revision

    own.promote(400, match_bonus=0.05, sources={"news": {"priority": 0.5}})
    first = answers()
    own.promote(100)
    second = answers()
    assert first[0] != second[0]
    told = history(tmp_path / "cap", "cap", frozenset({"news"}), MODELS, ())
    capability = own.known.capabilities[0]
    write_revision(tmp_path / "cap", restoring(capability, told[1], MODELS), {})
    assert answers() == (first[0], 3)
    own_numbers = Living(tmp_path / "nothing").door.house
    write_revision(tmp_path / "cap", restoring(capability, None, MODELS), {})
    assert answers()[0] == [(r.title, r.score) for r in ask(own_numbers).results]
    assert run(own.ask())[1] == 4


@pytest.mark.req("W65")
def test_a_rollback_is_a_new_revision_that_names_what_it_restores(home, capsys):
    """Somebody would read the newest file as a decision that was never made."""
    done = plain(capsys, "rollback", "shelf")
    assert (done["revision"], done["restores"]) == (4, 2)
    made = json.loads((home / "tuned" / "cap" / "0004.json").read_text())
    kept = json.loads((home / "tuned" / "cap" / "0002.json").read_text())
    assert made["tunables"] == kept["tunables"]
    assert made["evidence"]["restores"] == {"revision": 2, "hash": kept["hash"]}
    assert made["evidence"]["replaces"]["revision"] == 3
    assert plain(capsys, "rollback", "shelf")["restores"] == 3  # undoes it
    assert len(list((home / "tuned" / "cap").glob("*.json"))) == 5


def test_every_rollback_stands_in_the_audit_before_and_after(home, capsys):
    """A quiet way back would be a quiet way to any order."""
    plain(capsys, "rollback", "cap", "--to", "1")
    begun, ended = audited(home)
    assert (begun["facts"]["phase"], ended["facts"]["phase"]) == ("begin", "end")
    assert begun["facts"]["restores"]["revision"] == 1
    assert ended["facts"]["revision"] == 4


def test_without_an_audit_nothing_is_rolled_back(home, capsys):
    """It would be done and nobody could say by whom."""
    (home / "audit").write_text("in the way")
    assert main(["config", "rollback", "cap"]) == 3
    assert len(list((home / "tuned" / "cap").glob("*.json"))) == 3


def test_to_0_orders_by_the_catalogs_own_numbers(home, capsys):
    """There would be no way back from the first tuning."""
    assert plain(capsys, "rollback", "cap", "--to", "0")["restores"] == 0
    made = json.loads((home / "tuned" / "cap" / "0004.json").read_text())
    assert made["tunables"] == {"semantic_weight": 0.7, "lexical_weight": 0.3}


@pytest.mark.parametrize(
    ("to", "why"),
    [("9", "there is no revision 9"), ("3", "in use already"), ("1", "cannot be used")],
)
def test_a_revision_that_cannot_order_is_not_restored(home, capsys, to, why):
    """A rollback would say it was done, and change nothing."""
    (home / "tuned" / "cap" / "0001.json").write_text("{")
    assert main(["config", "rollback", "cap", "--to", to]) == 2
    assert why in capsys.readouterr().err
    assert audited(home) == []


def test_verify_says_which_revision_orders_and_why_each_other_does_not(home, capsys):
    """An operator would guess why his numbers have no effect."""
    folder = home / "tuned" / "cap"
    (told,) = plain(capsys, "verify", "shelf")["capabilities"]
    assert told["in_use"] == 3
    other = claim_of("cap", 900, {**NONE, "rerank": "another"}, "d")
    publish.promote(folder, other, {})
    body = json.loads((folder / "0003.json").read_text())
    (folder / "0003.json").write_text(json.dumps({**body, "data": "other"}))
    (folder / "0001.json").unlink()
    (told,) = plain(capsys, "verify", code=1)["capabilities"]
    assert (told["in_use"], told["missing"]) == (2, [1])
    standing = {one["revision"]: (one["standing"], one["why"]) for one in told["revisions"]}
    assert standing[4] == ("tuned for other models", "rerank was another, is none")
    assert standing[3][0] == "refused"
    assert "does not fit its hash" in standing[3][1]
    assert standing[2] == ("in use", "")
    text = command(capsys, "verify", "cap", code=1)
    assert "ordered by revision 2" in text
    assert "missing: 1" in text


def test_history_tells_what_each_revision_set_and_on_what_evidence(home, capsys):
    """A number nobody can explain is a number nobody may change."""
    plain(capsys, "rollback", "cap", "--to", "1")
    lines = command(capsys, "history", "cap").splitlines()
    assert "semantic share 0.100, restores revision 1, in use" in lines[0]
    assert "semantic share 0.300, nDCG@10 0.5000 -> 0.6250, held out, older" in lines[1]
    document = plain(capsys, "history", "cap")
    assert [one["revision"] for one in document["revisions"]] == [4, 3, 2, 1]
    assert document["revisions"][1]["evidence"]["after"] == 0.625


@pytest.mark.parametrize("words", [("history", "law"), ("rollback", "law"), ("verify", "law")])
def test_a_name_that_no_catalog_has_is_refused_with_what_to_do(home, capsys, words):
    """A misspelt name would look like a capability without revisions."""
    assert main(["config", *words]) == 3
    assert "--catalog" in capsys.readouterr().err


def test_the_newest_revision_that_is_gone_is_noticed_and_its_number_never_given_again(home, capsys):
    """Another order would serve after a restart, and a second revision bear the name of a first."""
    folder = home / "tuned" / "cap"
    (folder / "0003.json").unlink()
    told = plain(capsys, "verify", "cap", code=1)["capabilities"][0]
    assert (told["in_use"], told["missing"]) == (2, [3])
    assert "missing: 3" in command(capsys, "verify", "cap", code=1)
    assert "missing: 3" in command(capsys, "history", "cap")
    assert plain(capsys, "history", "cap")["missing"] == [3]
    used = newest(folder, "cap", frozenset({"shelf"}), NONE, ())
    assert used.file.revision == 2
    assert used.refused == (f"{folder}: revision 3 was written and is gone",)
    assert plain(capsys, "rollback", "cap")["revision"] == 4
    assert newest(folder, "cap", frozenset({"shelf"}), NONE, ()).refused == ()
    assert plain(capsys, "verify", "cap", code=1)["capabilities"][0]["missing"] == [3]


def test_all_revisions_gone_are_noticed(home, capsys):
    """The catalog's own numbers would serve again as if nothing had ever been tuned."""
    for file in (home / "tuned" / "cap").glob("*.json"):
        file.unlink()
    assert plain(capsys, "verify", "cap", code=1)["capabilities"][0]["missing"] == [1, 2, 3]
    assert command(capsys, "history", "cap") == (
        "missing: 1, 2, 3; no command takes a revision away\n"
    )


@pytest.mark.parametrize("said", ["", "no number\n", "9" * 400, "\xff\n-1\n2\n"])
def test_a_list_that_says_nothing_keeps_nobody_from_his_revisions(home, capsys, said):
    """A damaged note would stand in the way of the files it is about."""
    (home / "tuned" / "cap" / "given").write_text(said, "latin-1")
    assert plain(capsys, "verify", "cap")["capabilities"][0]["missing"] == []
    assert plain(capsys, "rollback", "cap")["revision"] == 4
