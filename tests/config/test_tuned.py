"""Tuned configurations: only good ones are loaded, and they change the order and nothing else."""

import json
import random
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from esra.config.apply import apply_tuned
from esra.config.strict import ConfigError
from esra.config.tuned import body_hash, read_tuned, sealed_body
from esra.domain.capability import Forms, RerankForm
from esra.domain.codes import NoticeCode
from esra.llm.scripted import Scripted
from eval import publish
from tests.claimed import claim_of
from tests.house import ask, catalog, hit, house, scoring

MODELS = {"select": "", "plan": "", "rerank": "scripted"}
HITS = {"news": ([hit("a", 3.0), hit("b", 2.0), hit("c", 1.0)],)}
# a is best by words, c by meaning
MEANING = {"title a": 0.0, "title b": 0.5, "title c": 1.0}


def body(share: int = 100, **changes) -> dict[str, object]:
    claim = claim_of("cap", share, MODELS, "data-1")
    return {**claim, "revision": 1, "evidence": {}, **changes}


def raw(content: dict[str, object] | None = None, key=None) -> bytes:
    return json.dumps(sealed_body(content or body(), key)).encode()


def read(data: bytes, **more):
    return read_tuned(data, where="f", capability="cap", sources=frozenset({"news"}), **more)


def answer(folder: Path, *, models=MODELS, keys=(), known=None):
    """(titles in order, the response, the refusals) under what is in the folder."""
    known = known or catalog(forms=Forms(rerank=RerankForm.MODEL), data="data-1")
    applied = apply_tuned(known, folder, {"cap": models}, keys)

    def scores(brief):
        return json.dumps(
            [{"resultId": c.resultId, "score": MEANING[c.title]} for c in brief.candidates]
        )

    own = house(applied.catalog, HITS, rerankers={"model": Scripted(scores)})
    response = ask(own)
    return [r.title[-1] for r in response.results], response, applied.refused


@pytest.mark.req("U12", "U13")
def test_the_order_changes_with_the_file_and_with_nothing_else(tmp_path):
    """Else a tuned file would be decoration."""
    before, response, _ = answer(tmp_path)
    assert before == ["c", "b", "a"]  # .7/.3
    assert response.configuration.tuned is False
    path = publish.promote(tmp_path / "cap", claim_of("cap", 100, MODELS, "data-1"), {})
    after, response, refused = answer(tmp_path)
    assert (after, refused) == (["a", "b", "c"], ())  # .1/.9
    assert (response.configuration.tuned, response.configuration.revision) == (True, 1)
    assert response.configuration.hash == json.loads(path.read_text())["hash"]
    assert response.configuration.signed is False
    path.unlink()
    assert answer(tmp_path)[0] == before


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda b: {**b, "capability": "other"}, "made for capability"),
        (lambda b: {**b, "surprise": 1}, "unknown key"),
        (lambda b: {**b, "tunables": {**b["tunables"], "host": "x"}}, "unknown key"),
        (lambda b: {**b, "tunables": {**b["tunables"], "semantic_wieght": 0.5}}, "did you mean"),
        (lambda b: {**b, "tunables": {**b["tunables"], "match_bonus": 0.2}}, "outside"),
        (lambda b: {**b, "tunables": {**b["tunables"], "semantic_weight": -0.1}}, "at least"),
        (lambda b: {**b, "tunables": {**b["tunables"], "semantic_weight": "0.5"}}, "number"),
        (lambda b: {**b, "tunables": {**b["tunables"], "semantic_weight": True}}, "number"),
        (lambda b: {**b, "tunables": {"semantic_weight": 0.0, "lexical_weight": 0.0}}, "both 0"),
        (lambda b: {**b, "tunables": {**b["tunables"], "sources": {"law": {}}}}, "no source"),
        (lambda b: {**b, "tunables": {**b["tunables"], "sources": {"news": {"priority": 99.0}}}},
         "outside"),
        (lambda b: {**b, "revision": 0}, "at least"),
    ],
)  # fmt: skip
def test_a_file_with_anything_wrong_is_refused_with_the_reason(change, why):
    """Else a bad file would order answers, or be passed over in silence."""
    read(raw(body()))
    with pytest.raises(ConfigError, match=why):
        read(raw(change(body())))


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b"\xff", b"[" * 9999, b'{"a":1,"a":2}', b"x" * 300_000],
)
def test_bytes_that_are_no_such_file_are_refused(data):
    """Else a broken file would crash the runtime."""
    with pytest.raises(ConfigError):
        read(data)


@pytest.mark.parametrize("field", ["schema", "pipeline"])
def test_a_file_of_another_schema_or_pipeline_is_refused(field):
    """Else numbers of another formula would be used for this one (W66)."""
    content = json.loads(raw())
    content[field] = 99
    content["hash"] = body_hash(content)
    with pytest.raises(ConfigError):
        read(json.dumps(content).encode())


def test_an_edited_file_no_longer_fits_its_hash():
    """Else evidence would vouch for numbers that were changed afterwards."""
    content = json.loads(raw())
    content["tunables"]["semantic_weight"] = 0.9
    with pytest.raises(ConfigError, match="edited"):
        read(json.dumps(content).encode())


def test_a_thousand_damaged_files_neither_crash_nor_get_in():
    """Else one flipped byte could reorder every answer."""
    good, r, accepted = raw(), random.Random(1), 0
    for _ in range(1000):
        damaged = bytearray(good)
        for _ in range(r.randint(1, 4)):
            damaged[r.randrange(len(damaged))] = r.randrange(256)
        try:
            file = read(bytes(damaged))
        except ConfigError:
            continue
        accepted += 1
        assert file.tunables.semantic_weight == 0.1
    assert accepted < 100  # white space only


def test_with_keys_an_unsigned_or_foreign_signature_is_refused():
    """Else anybody who can write the folder could reorder answers."""
    ours, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    keys = (ours.public_key(),)
    assert read(raw(key=ours), keys=keys).signature is not None
    for data, why in [(raw(), "unsigned"), (raw(key=other), "accepts")]:
        with pytest.raises(ConfigError, match=why):
            read(data, keys=keys)
    forged = json.loads(raw(key=ours))
    forged["signature"]["value"] = json.loads(raw(body(share=500), ours))["signature"]["value"]
    with pytest.raises(ConfigError, match="does not fit"):
        read(json.dumps(forged).encode(), keys=keys)


def test_the_last_good_revision_stays_when_a_newer_one_is_bad(tmp_path):
    """Else a broken file would throw an installation back to its defaults."""
    folder = tmp_path / "cap"
    publish.promote(folder, claim_of("cap", 100, MODELS, "data-1"), {})
    (folder / "0002.json").write_text("{")
    (folder / "0003.json").write_bytes(raw(body(share=900, capability="other", revision=3)))
    (folder / "0004.json").write_bytes(raw(body(share=900, revision=9)))
    (folder / "0005.json").mkdir()
    order, response, refused = answer(tmp_path)
    assert order == ["a", "b", "c"]
    assert response.configuration.revision == 1
    assert len(refused) == 4


def test_a_link_or_a_file_anybody_may_write_is_refused(tmp_path):
    """Else another user of the machine could reorder answers."""
    folder = tmp_path / "cap"
    path = publish.promote(folder, claim_of("cap", 100, MODELS, "data-1"), {})
    path.chmod(path.stat().st_mode | stat.S_IWOTH)
    assert answer(tmp_path)[0] == ["c", "b", "a"]
    path.chmod(0o644)
    assert answer(tmp_path)[0] == ["a", "b", "c"]
    path.rename(tmp_path / "elsewhere.json")
    path.symlink_to(tmp_path / "elsewhere.json")
    order, _, refused = answer(tmp_path)
    assert order == ["c", "b", "a"]
    assert len(refused) == 1
    assert refused[0].endswith("a link, and no regular file")


def test_other_models_keep_the_last_revision_that_matches_and_say_so(tmp_path):
    """Else numbers tuned for one model would order another's scores (RULINGS 42)."""
    folder = tmp_path / "cap"
    publish.promote(folder, claim_of("cap", 100, MODELS, "data-1"), {})
    other = {**MODELS, "rerank": "another"}
    publish.promote(folder, claim_of("cap", 900, other, "data-1"), {})
    order, response, refused = answer(tmp_path)
    assert (order, refused, response.configuration.revision) == (["a", "b", "c"], (), 1)
    assert NoticeCode.TUNED_FOR_OTHER_MODEL in [n.code for n in response.notices]
    assert response.status.value == "complete"


def test_other_data_is_a_notice_and_not_a_refusal(tmp_path):
    """Else a daily import would switch tuning off, or drift would go unseen."""
    publish.promote(tmp_path / "cap", claim_of("cap", 100, MODELS, "old"), {})
    order, response, _ = answer(tmp_path)
    assert order == ["a", "b", "c"]
    assert NoticeCode.DATA_DRIFT in [n.code for n in response.notices]


def test_a_tuned_shortlist_or_ceiling_never_exceeds_the_administrators(tmp_path):
    """Else tuning could raise what an administrator bounded."""
    content = body(
        tunables={
            "semantic_weight": 0.5,
            "lexical_weight": 0.5,
            "shortlist": 200,
            "sources": {"news": {"ceiling": 20, "priority": 2.0}},
        }
    )
    (tmp_path / "cap").mkdir()
    (tmp_path / "cap" / "0001.json").write_bytes(raw(content))
    known = catalog(scoring=scoring(shortlist=10, own={"news": {"ceiling": 2}}))
    numbers = apply_tuned(known, tmp_path, {"cap": MODELS}).catalog.capabilities[0].scoring
    assert (numbers.shortlist, numbers.of("news").ceiling) == (10, 2)
    assert numbers.of("news").priority == 2.0


def test_promoting_the_same_claim_twice_writes_one_file_and_another_claim_the_next(tmp_path):
    """Else asking twice would look like two decisions."""
    claim = claim_of("cap", 100, MODELS, "data-1")
    first = publish.promote(tmp_path, claim, {})
    assert publish.promote(tmp_path, claim, {"other": "evidence"}) == first
    second = publish.promote(tmp_path, claim_of("cap", 200, MODELS, "data-1"), {})
    assert [first.name, second.name] == ["0001.json", "0002.json"]
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["0001.json", "0002.json"]
