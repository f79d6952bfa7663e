"""New tuned revisions come into force in a running house, and bad ones never do."""

import asyncio
import time

import httpx
import pytest

from esra.config.apply import GIVEN
from esra.domain.codes import NoticeCode
from esra.domain.hit import Hits
from esra.serve.rehearse import MOST, MOST_PAID, questions
from esra.serve.reload import Result, reloading
from eval import publish
from tests.claimed import claim_of
from tests.config.living import HITS, MODELS, Living, by_meaning
from tests.house import FakeEngine, catalog, source
from tests.serve.doors import run

BY_WORDS, BY_MEANING = "abc", "cba"


@pytest.mark.req("U13", "W65")
def test_a_new_revision_orders_the_next_call_and_the_answer_says_so(tmp_path):
    """Whoever tunes would have to stop the service to be heard."""
    own = Living(tmp_path)
    assert run(own.ask()) == (BY_MEANING, 0)
    own.promote(100)
    assert run(own.taking.take_in()) == {Result.LOADED}
    assert run(own.ask()) == (BY_WORDS, 1)
    assert own.said == ["cap: revision 1 is in force"]
    assert own.counted() == {"loaded": 1}


def test_a_running_call_finishes_on_the_revision_it_began_with(tmp_path):
    """One answer would be ordered half by one revision and half by another."""
    inside, leave = asyncio.Event(), asyncio.Event()

    class Slow(FakeEngine):
        async def run(self, query):
            inside.set()
            await leave.wait()
            return Hits.of(HITS["news"][0], capped=False)

    own = Living(tmp_path, engine=Slow({}))

    async def overlapping():
        early = asyncio.create_task(own.ask())
        await inside.wait()
        own.promote(100)
        own.door.order_by(own.applied().catalog)
        leave.set()
        return await early, await own.ask()

    assert run(overlapping()) == ((BY_MEANING, 0), (BY_WORDS, 1))


@pytest.mark.parametrize("content", [b"", b"{", b"\xff" * 300_000])
def test_a_bad_file_leaves_the_last_good_one_and_is_told_once(tmp_path, content):
    """A broken file would reorder a running service, or fill its log."""
    own = Living(tmp_path)
    own.promote(100)
    run(own.taking.take_in())
    (tmp_path / "cap" / "0002.json").write_bytes(content)
    for _ in range(3):
        assert run(own.taking.take_in()) == {Result.REFUSED}
    assert run(own.ask()) == (BY_WORDS, 1)
    assert len([line for line in own.said if "passed over" in line]) == 1
    # Whoever reads the log of a service must not have to ask it what orders now.
    assert own.said.count("cap: still ordered by revision 1") == 1


def test_a_bad_first_file_leaves_the_catalogs_own_numbers_and_says_so(tmp_path):
    """Whoever promoted for the first time would believe that it orders."""
    own = Living(tmp_path)
    (tmp_path / "cap").mkdir(exist_ok=True)
    (tmp_path / "cap" / "0001.json").write_bytes(b"{")
    assert run(own.taking.take_in()) == {Result.REFUSED}
    assert "cap: still ordered by the catalog's own numbers" in own.said


def test_a_revision_that_vanishes_or_is_changed_in_place_changes_nothing(tmp_path):
    """Whoever can write the folder could go back in silence."""
    own = Living(tmp_path)
    own.promote(900)
    newest = own.promote(100)
    run(own.taking.take_in())
    assert run(own.ask()) == (BY_WORDS, 2)
    kept = newest.read_bytes()
    newest.unlink()
    assert run(own.taking.take_in()) == {Result.HELD, Result.REFUSED}  # and said to be gone
    (newest.parent / GIVEN).unlink()
    assert own.promote(800) == newest  # takes the number that was freed
    assert run(own.taking.take_in()) == {Result.HELD}
    assert run(own.ask()) == (BY_WORDS, 2)
    newest.write_bytes(kept)
    assert run(own.taking.take_in()) == {Result.UNCHANGED}
    own.promote(900)
    assert run(own.taking.take_in()) == {Result.LOADED}
    assert run(own.ask()) == (BY_MEANING, 3)


def test_numbers_that_fail_their_rehearsal_never_meet_a_caller(tmp_path):
    """A valid file whose numbers break the model's stage would degrade every answer."""

    def fussy(brief):
        if len(brief.candidates) < 3:
            raise RuntimeError("too few for me")
        return by_meaning(brief)

    own = Living(tmp_path, scores=fussy)
    own.promote(100)
    assert run(own.taking.take_in()) == {Result.LOADED}
    own.promote(200, sources={"news": {"native_floor": 2.5}})
    assert run(own.taking.take_in()) == {Result.REHEARSAL_FAILED}
    assert run(own.ask()) == (BY_WORDS, 1)
    assert "revision 1 stays in force" in own.said[-1]


def test_what_fails_under_the_old_numbers_too_does_not_hold_back_the_new(tmp_path):
    """One broken source would keep every later revision out."""

    def broken(brief):
        raise RuntimeError("always")

    own = Living(tmp_path, scores=broken)
    own.promote(100)
    assert run(own.taking.take_in()) == {Result.LOADED}


def test_a_rehearsal_asks_a_few_questions_of_the_catalogs_own():
    """A reload would cost as much as a day of calls, or try nothing at all."""
    two = (
        source("news", examples=tuple(f"n{i}" for i in range(30))),
        source("wiki", examples=("w0", "n0", " ")),
    )
    known = catalog(*two)
    asked = questions(known, known.capabilities[0])
    assert (asked[:3], len(asked)) == (["n0", "w0", "n1"], MOST)
    bare = catalog(source("news"), source("wiki"))
    assert questions(bare, bare.capabilities[0]) == ["News", "Wiki"]


def test_where_a_model_is_paid_for_a_rehearsal_is_short_and_in_the_audit(tmp_path):
    """Somebody would pay for questions that nobody asked, or data would be read unseen."""
    own = Living(tmp_path)
    own.promote(100)
    run(own.taking.take_in())
    assert len(own.model.seen) == 2 <= MOST_PAID
    begun = [r for r in own.audit.records if r["event"] == "esra.invocation.begin"]
    assert {r["subject"] for r in begun} == {"esra.reload"}
    assert "esra_calls_total{" not in own.door.metrics.text().decode()


def test_a_later_file_for_another_model_is_told_in_the_answers(tmp_path):
    """An operator would not learn that what he published orders nothing here."""
    own = Living(tmp_path)
    own.promote(100)
    run(own.taking.take_in())
    other = claim_of("cap", 900, {**MODELS, "rerank": "another"}, "d")
    publish.promote(tmp_path / "cap", other, {})
    assert run(own.taking.take_in()) == {Result.UNCHANGED}
    notices = own.door.catalog.revision("cap").notices
    assert notices == (NoticeCode.TUNED_FOR_OTHER_MODEL,)
    assert run(own.ask()) == (BY_WORDS, 1)


def test_a_reading_that_raises_is_told_and_the_next_one_is_made(tmp_path):
    """One full disk would leave the house deaf until somebody restarts it."""
    own = Living(tmp_path)
    kept, own.applied = own.applied, lambda: 1 / 0
    assert run(own.taking.take_in()) == {Result.ERROR}
    own.applied = kept
    own.promote(100)
    assert run(own.taking.take_in()) == {Result.LOADED}


def test_a_storm_of_files_is_read_a_few_times_and_every_call_is_answered(tmp_path):
    """A hundred files a second would keep the service from its work."""
    own = Living(tmp_path)

    async def storm():
        answers, end, written = [], time.monotonic() + 2.0, 0
        async with reloading(own.taking):
            while time.monotonic() < end:
                number = int(own.promote(100 + written % 7).stem)
                (tmp_path / "cap" / f"{number + 1:04}.json").write_text("{")
                answers.append(await own.ask())
                written += 2
                await asyncio.sleep(0.01)
            while (await own.ask())[1] != number:
                await asyncio.sleep(0.02)
        return number, written, answers, await own.ask()

    number, written, answers, last = run(storm())
    revisions = [revision for _, revision in answers]
    assert revisions == sorted(revisions)
    assert last == (BY_WORDS, number)
    assert written > 40 > own.reads  # one in 0.1 s at the most, and those after the storm


def test_a_served_house_takes_a_revision_over_http_without_a_restart(shelf):
    """The command would not do what the parts can."""
    folder = shelf.base / "tuned" / "cap"
    claim = claim_of("cap", 300, {"select": "", "plan": "", "rerank": ""}, "")
    with shelf.serving() as (process, url), httpx.Client(base_url=url) as client:

        def revision() -> int:
            body = {"exposure": "shelf", "prompt": "wing flutter"}
            answer = client.post("/v1/retrieve", json=body).json()
            return answer["configuration"]["revision"]

        assert revision() == 0
        path = publish.promote(folder, claim, {})
        end = time.monotonic() + 20
        while revision() == 0 and time.monotonic() < end:
            time.sleep(0.1)
        assert revision() == 1
        (folder / "0002.json").write_text("{")
        time.sleep(2)
        assert revision() == 1
        assert process.poll() is None
        metrics = client.get("/metrics").text
    for each in folder.iterdir():
        each.unlink()
    assert 'esra_config_reload_total{result="loaded"} 1.0' in metrics
    assert 'esra_config_reload_total{result="refused"}' in metrics
    assert path.name == "0001.json"
