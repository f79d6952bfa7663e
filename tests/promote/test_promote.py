"""`promote`: what the evidence carries becomes a revision or an engine's weights, else nothing."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from esra.cli import main as esra
from esra.governance import places
from eval import publish
from eval.promote import work
from eval.promote.cli import main
from eval.promote.decided import Decided, NotPromoted, decided, read_decision
from eval.promote.engines import Form, document, left_behind, weights_of
from eval.tune.folders import ledger_of
from eval.tune.numbers import turn
from eval.tune.runs import case_of_runs
from eval.tune.verdict import reach
from tests.claimed import claim_of
from tests.serve.shelf import CATALOG
from tests.tune.planted_runs import write

NONE = {"select": "", "plan": "", "rerank": ""}


def decide(home: Path, signal: float, name: str = "r1", *, explore: bool = False) -> Path:
    """The folder of a run of the capability ``cap``, decided as `tune` decides."""
    folder = home / "runs" / "cap" / name
    folder.mkdir(parents=True)
    words = write(folder, signal=signal, seed=1)
    paths = [Path(words[at]) for at in (1, 2, 4)]
    case = replace(case_of_runs("cap", *paths, k=10, explore=explore), models=NONE)
    verdict = reach(case, ledger_of(home), home / "tuned" / "cap", folder / "candidate.json")
    (folder / "result.json").write_text(json.dumps(verdict.as_json()))
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A home whose one run was promoted."""
    home = tmp_path_factory.mktemp("home")
    catalog = places.catalog_file(home, "cap")
    catalog.parent.mkdir(parents=True)
    catalog.write_text(CATALOG, "utf-8")
    decide(home, 1.5)
    return home


@pytest.fixture
def home(made, tmp_path, monkeypatch) -> Path:
    """A copy of it; its own path stands in the run's decision."""
    shutil.copytree(made, tmp_path / "home")
    folder = tmp_path / "home" / "runs" / "cap" / "r1"
    text = (folder / "result.json").read_text().replace(str(made), str(tmp_path / "home"))
    (folder / "result.json").write_text(text)
    monkeypatch.setenv("ESRA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def promote(capsys, *words: object, code: int = 0) -> dict:
    assert main([*map(str, words), "--json", "--quiet"]) == code
    return json.loads(capsys.readouterr().out)


def tuned(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "tuned" / "cap").glob("*.json"))


@pytest.mark.req("U12", "W65")
@pytest.mark.parametrize("name", [None, "cap", "esra_cap", "cap/r", "r1", "folder", "file"])
def test_a_decision_orders_again_after_something_else_did(home, capsys, name):
    """Whoever rolled back by mistake would have to tune again."""
    given = {"folder": home / "runs" / "cap" / "r1", "file": home / "tuned" / "cap" / "0001.json"}
    words = [] if name is None else [given.get(name, name)]
    same = promote(capsys, *words)
    assert (same["revision"], same["written"]) == (1, False)
    publish.promote(home / "tuned" / "cap", claim_of("cap", 900, NONE, "d"), {})
    done = promote(capsys, *words)
    assert (done["revision"], done["written"], done["signed"]) == (3, True, False)
    first, third = (
        json.loads((home / "tuned/cap" / f).read_text()) for f in (tuned(home)[0], tuned(home)[2])
    )
    for part in ("tunables", "models", "data", "capability"):
        assert first[part] == third[part]
    assert third["evidence"]["why"] == first["evidence"]["why"]
    assert third["evidence"]["replaces"]["revision"] == 2


def test_what_was_not_promoted_is_refused_with_the_decisions_own_reason(home, capsys):
    """A number without evidence would order, with a command's blessing."""
    folder = decide(home, 0.0, "r2")
    before = tuned(home)
    for name in (folder, "cap/r2", folder / "candidate.json"):
        told = promote(capsys, name, code=1)
        assert told["promoted"] is False
        why = json.loads((folder / "candidate.json").read_text())["evidence"]["why"]
        # "Today's 1 lies in the plateau" would leave open which of the numbers that is.
        assert told["why"].startswith(f"cap, semantic share: {why}")
    assert tuned(home) == before
    with pytest.raises(SystemExit) as left:
        main(["--force", str(folder)])
    assert left.value.code == 2


@pytest.mark.parametrize("name", [None, "cap"])
def test_a_look_is_no_decision_and_takes_no_decisions_place(home, capsys, name):
    """Whoever looked at another number after a promotion could write its weights no more."""
    decide(home, 1.0, "r2", explore=True)
    words = [] if name is None else [name]
    assert promote(capsys, *words, "--as", "json")["document"]["revision"] == 1
    assert "explored" in promote(capsys, "cap/r2", code=1)["why"]


def test_a_refusal_names_what_orders_now(home, capsys):
    """Whoever wants the weights in force would look for the file that holds them."""
    decide(home, 0.0, "r2")
    told = promote(capsys, "cap", "--as", "json", code=1)
    assert told["why"].endswith(f"{home / 'tuned' / 'cap' / '0001.json'}; name that file for it")


def test_a_claim_whose_verdict_was_written_in_by_hand_is_refused(home, capsys):
    """Whoever edits one word would have his own `--force`."""
    folder = decide(home, 0.0, "r2")
    path = folder / "candidate.json"
    body = json.loads(path.read_text())
    body["evidence"]["promoted"] = True
    path.write_text(json.dumps(body))
    assert "does not fit its hash" in promote(capsys, path, code=3)["why"]
    body["evidence"]["ledger"] = "0" * 64
    fresh = publish.write_candidate(path, _claim(body), body["evidence"])
    assert "is missing" in promote(capsys, fresh, code=3)["why"]
    bare = publish.write_candidate(path, _claim(body), {"promoted": True})
    assert "no opening" in promote(capsys, bare, code=1)["why"]


def test_other_numbers_do_not_pass_on_the_evidence_of_a_promoted_claim(home, capsys):
    """Numbers that nobody tested would order, and their history would show another's gain."""
    body = json.loads((home / "tuned" / "cap" / "0001.json").read_text())
    other = {**_claim(body), "tunables": {"semantic_weight": 0.9, "lexical_weight": 0.1}}
    forged = publish.write_candidate(home / "forged.json", other, body["evidence"])
    assert "no opening for these numbers" in promote(capsys, forged, code=1)["why"]
    bare = {name: value for name, value in body["evidence"].items() if name != "tried"}
    unknown = publish.write_candidate(home / "bare.json", _claim(body), bare)
    assert "no opening for these numbers" in promote(capsys, unknown, code=1)["why"]
    assert tuned(home) == ["0001.json"]


def test_numbers_that_were_tested_and_fell_do_not_pass_by_their_opening(home, capsys):
    """Whoever edits one word of a refusal would have his own `--force`."""
    folder = decide(home, 0.21, "r2")
    body = json.loads((folder / "candidate.json").read_text())
    assert body["evidence"]["outcome"] == "no-gain-shown"
    turned = {**body["evidence"], "promoted": True, "outcome": "promoted"}
    forged = publish.write_candidate(home / "forged.json", _claim(body), turned)
    assert "says no-gain-shown for these numbers" in promote(capsys, forged, code=1)["why"]
    assert tuned(home) == ["0001.json"]


def test_a_named_number_that_was_promoted_is_known_by_its_opening(tmp_path):
    """After a rollback nobody could promote again what `tune --parameter` had found."""
    words = write(tmp_path, signal=1.5, seed=1)
    case = case_of_runs("cap", *(Path(words[at]) for at in (1, 2, 4)), k=10, explore=False)
    numbers = case.recordings[0].numbers
    ledger = ledger_of(tmp_path)
    own = replace(case, models=NONE, numbers=numbers, own=numbers)
    found = turn(own, ["share"], ledger, tmp_path / "tuned" / "cap", tmp_path / "candidate.json")
    assert found.decision.promoted
    assert decided(tmp_path, str(found.config), ledger).file.tunables.semantic_weight < 0.5


def _claim(body: dict) -> dict:
    return {name: body[name] for name in ("capability", "tunables", "models", "data")}


def test_what_no_runtime_here_would_order_by_is_not_written(home, capsys, monkeypatch):
    """A revision would be written that every answer has to apologise for."""
    path = home / "tuned" / "cap" / "0001.json"
    body = json.loads(path.read_text())
    other = {**_claim(body), "models": {**NONE, "rerank": "another"}}
    written = publish.write_candidate(home / "other.json", other, body["evidence"])
    monkeypatch.setattr("eval.promote.decided._vouched", lambda file, ledger: None)  # as if signed
    assert "another model for rerank" in promote(capsys, written, code=3)["why"]
    places.catalog_file(home, "cap").unlink()
    assert "--as" in promote(capsys, path, code=3)["why"]
    assert tuned(home) == ["0001.json"]


def test_a_name_that_may_be_two_runs_names_both(home, capsys):
    """The later of two would be promoted, and nobody would have chosen it."""
    decide(home, 0.0, "r2")
    for name in ("cap/r", "r"):
        told = promote(capsys, name, code=2)["why"]
        assert "begins 2 runs, cap/r1, cap/r2; name more of it" in told
    assert "no decision of 'x'" in promote(capsys, "x", code=2)["why"]


def test_nothing_decided_yet_is_told_with_what_to_do(tmp_path, capsys, monkeypatch):
    """A newcomer would read a traceback."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    assert "tune" in promote(capsys, code=2)["why"]


def test_a_decision_that_nobody_signed_is_refused_with_the_way_on(home, capsys, monkeypatch):
    """Whoever asks for signatures from today on would not learn what to do with yesterday's."""
    key = Ed25519PrivateKey.generate().public_key()
    (home / "own.pem").write_bytes(
        key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    monkeypatch.setenv("ESRA_VERIFY_KEYS", str(home / "own.pem"))
    why = promote(capsys, "cap", code=3)["why"]
    assert "unsigned, and ESRA_VERIFY_KEYS asks for a signature" in why
    assert "docs/tuned-configuration.md" in why


@pytest.mark.req("U12")
@pytest.mark.parametrize("form", list(Form))
def test_the_weights_of_every_form_are_the_tuned_share(home, capsys, form, tmp_path):
    """Another engine would be given other numbers than those that were tested."""
    numbers = json.loads((home / "tuned" / "cap" / "0001.json").read_text())["tunables"]
    lexical, semantic = numbers["lexical_weight"], numbers["semantic_weight"]
    told = promote(capsys, "--as", form)
    made = told["document"]
    if form is Form.OPENSEARCH:
        (step,) = made["phase_results_processors"]
        processor = step["normalization-processor"]
        assert processor["normalization"] == {"technique": "min_max"}
        assert processor["combination"]["technique"] == "arithmetic_mean"
        assert processor["combination"]["parameters"]["weights"] == [lexical, semantic]
    elif form is Form.ELASTIC:
        linear = made["retriever"]["linear"]
        assert [part["weight"] for part in linear["retrievers"]] == [lexical, semantic]
        assert {part["normalizer"] for part in linear["retrievers"]} == {"minmax"}
        assert "match" in linear["retrievers"][0]["retriever"]["standard"]["query"]
    else:
        assert made["weights"] == {"lexical": lexical, "semantic": semantic}
    assert told["does_not_carry_over"]
    out = tmp_path / "weights.json"
    assert main(["--as", form, "--output", str(out)]) == 0
    assert json.loads(out.read_text()) == made
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("does not carry over") == len(told["does_not_carry_over"])
    assert said.err.count("left to do") == len(told["left_to_do"])


def test_weights_for_an_engine_are_no_way_round_the_evidence(home, capsys):
    """What esra refuses would be exported with esra's name on it."""
    assert promote(capsys, decide(home, 0.0, "r2"), "--as", "json", code=1)["promoted"] is False


def test_two_weights_add_up_to_one_and_what_stays_behind_is_named(home):
    """An engine refuses weights that do not, and a person would believe that all came along."""
    path = publish.write_candidate(
        home / "c.json",
        {
            "capability": "cap",
            "tunables": {
                "semantic_weight": 0.5,
                "lexical_weight": 1.0,
                "match_bonus": 0.05,
                "shortlist": 50,
                "sources": {"news": {"priority": 2.0}},
            },
            "models": NONE,
            "data": "d",
        },
        {},
    )
    file = read_decision(path)
    own = weights_of(file)
    assert (own.semantic, own.lexical) == (0.333333, 0.666667)
    notes = "\n".join(left_behind(Form.ELASTIC, file))
    assert "match_bonus, shortlist, priority of news" in notes
    linear = document(Form.ELASTIC, file)["retriever"]["linear"]
    assert linear["rank_window_size"] == 50


def test_a_search_of_the_engines_own_size_fits_the_window(home):
    """Elasticsearch refuses a search whose size, 10 unless it says otherwise, exceeds the window:
    whoever tuned a shortlist of 5 would get an error for every question.
    """
    file = read_decision(home / "tuned" / "cap" / "0001.json")
    short = file.model_copy(update={"tunables": file.tunables.model_copy(update={"shortlist": 5})})
    assert document(Form.ELASTIC, short)["retriever"]["linear"]["rank_window_size"] == 10


@pytest.mark.parametrize("form", [Form.OPENSEARCH, Form.ELASTIC])
def test_what_a_person_has_to_do_is_not_told_as_lost(home, capsys, form):
    """Whoever reads that the clause order does not carry over would look for where it was lost."""
    told = promote(capsys, "--as", form)
    assert told["left_to_do"]
    assert not set(told["left_to_do"]) & set(told["does_not_carry_over"])


@pytest.mark.req("W38")
def test_several_claims_are_one_promotion(monkeypatch, home):
    """Of twenty capabilities tuned on noise one would be promoted by luck: p .02 and .02 are .04
    together and fall, .001 beside .02 stands and lets it stand.
    """
    written = []

    def claims(*ps):
        file = read_decision(home / "tuned" / "cap" / "0001.json")
        sealed = [{**file.evidence["sealed"], "p": p, "level": 0.025} for p in ps]
        files = [
            file.model_copy(
                update={"capability": f"cap{n}", "evidence": {**file.evidence, "sealed": own}}
            )
            for n, own in enumerate(sealed)
        ]
        return [Decided(path=Path(f"{n}"), file=file) for n, file in enumerate(files)]

    def write(one, base, catalog):
        written.append(one.file.capability)
        return work.Done(document={"capability": one.file.capability, "promoted": True}, text="")

    monkeypatch.setattr(work, "_promoted", write)
    monkeypatch.setattr(work, "_capability", lambda path, file: (None, None))
    monkeypatch.setattr(work, "_check", lambda *_: None)
    fallen = work._several(claims(0.02, 0.02), home, None)
    assert fallen.code == 1
    assert not written
    assert "does not stand beside 1 other claim" in fallen.text
    stood = work._several(claims(0.001, 0.02), home, None)
    assert stood.code == 0
    assert written == ["cap0", "cap1"]
    with pytest.raises(NotPromoted, match="two decisions of one capability"):
        work._several([claims(0.001)[0], claims(0.001)[0]], home, None)


@pytest.mark.req("W65")
def test_what_a_person_took_back_comes_again_by_a_person_alone(home, capsys):
    """A nightly tuning would put back in force what somebody had taken out of it for a reason."""
    place = home / "tuned" / "cap"
    assert esra(["config", "rollback", "cap"]) == 0
    claim = json.loads((place / "0001.json").read_text())
    body = {name: claim[name] for name in ("capability", "tunables", "models", "data")}

    assert publish.promote(place, body, claim["evidence"]) == place / "0001.json"
    assert tuned(home) == ["0001.json", "0002.json"]
    other = {**body, "data": "of another recording"}
    assert publish.promote(place, other, claim["evidence"]).name == "0003.json"

    assert esra(["config", "rollback", "cap", "--to", "2"]) == 0
    capsys.readouterr()
    assert promote(capsys, "cap/r1")["revision"] == 5
