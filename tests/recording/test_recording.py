"""What a recording pays, keeps, refuses and stops at, over a real pipeline and a scripted model."""

import asyncio
import json
import math
import os
import stat

import pytest

from esra.domain.capability import Forms, RerankForm
from esra.domain.invocation import Retention
from esra.domain.usage import Usage
from esra.llm.scripted import Scripted
from esra.ports import Reply, Trouble
from eval import record
from eval.evidence.split import sealed
from eval.progress import Progress
from eval.record import Question
from eval.recording.answers import Answers, pieces_of, secret_of
from eval.recording.as_of import as_of
from eval.recording.asking import Desk
from eval.recording.bill import Bill, LimitReached, Most
from eval.recording.expect import Rate
from eval.recording.masking import masked
from eval.recording.noise import NORMAL, noise
from eval.recording.session import expect, run, trace_files
from tests.llm.double import wise_reply
from tests.recording import library

QUIET = Progress(quiet=True)
COST = Usage(calls=1, tokens_in=100, tokens_out=20, seconds=0.01, cost=0.002)


class Priced(Scripted):
    """A model that is paid; ``answer`` as in ``Scripted``."""

    def __init__(self, answer=None):
        super().__init__(answer or good)
        self.selector = self.planner = self.reranker = self

    def _reply(self, brief):
        return Reply(text=super()._reply(brief).text, usage=COST)


def good(brief):
    """The reply of a model that does as it is told, to a brief instead of to a request."""
    from esra.llm.openai.fence import fenced, unfenced

    return wise_reply(unfenced(fenced(brief)))


def recorded(folder, model, *, answers=True, **more):
    """One session of a recording into ``folder``; answers are kept beside it."""
    own = library.house(model, **more.pop("house", {}))
    wanted = library.wanted(**{"questions": library.questions(6), **more})

    async def go():
        kept = Answers(folder / "answers.sqlite", library.SECRET) if answers else None
        expected = await expect(wanted, own, folder)
        try:
            return await run(wanted, own, folder, expected, kept, QUIET)
        finally:
            if kept:
                kept.close()

    return asyncio.run(go())


def traces(folder):
    return dict(record.lines(folder / "traces.jsonl"))


def test_a_second_recording_of_the_same_asks_no_model(tmp_path):
    """Recording again, with other numbers or after a loss, would cost the whole sum again."""
    first, second = Priced(), Priced()
    paid = recorded(tmp_path, first).bill.paid
    assert (paid.calls, paid.tokens_in) == (len(first.seen), 100 * len(first.seen))
    assert paid.cost == pytest.approx(0.002 * len(first.seen))
    (tmp_path / "traces.jsonl").unlink()
    went = recorded(tmp_path, second)
    assert (second.seen, went.bill.paid.calls, went.bill.kept) == ([], 0, len(first.seen))
    # What the arm costs is what it cost when it was asked, not what this run paid.
    usages = [call["usage"]["tokens_in"] for call in traces(tmp_path)["q00"]["calls"]]
    assert usages == [100] * 4


def test_equal_questions_at_once_are_one_asking(tmp_path):
    """Two users who ask the same, recorded side by side, would be paid for twice."""
    model = Priced()
    twice = [Question(id=name, text="wing flutter") for name in ("a", "b")]
    recorded(tmp_path, model, questions=twice)
    assert len(model.seen) == 4  # one selection, two plans, one reranking
    a, b = (traces(tmp_path)[name] for name in ("a", "b"))
    assert a["ranking"] == b["ranking"]
    assert a["invocation"] != b["invocation"]


def test_an_answer_the_stage_cannot_use_is_asked_for_again(tmp_path):
    """A recording would keep falling back for ever on one bad answer."""
    recorded(tmp_path, Priced(lambda brief: "I would rather not"))
    went = recorded(tmp_path, Priced())
    assert went.bill.kept == 0
    assert not went.degraded


@pytest.mark.parametrize(
    ("most", "name", "calls"),
    [
        (Most(calls=7), "--max-calls 7", 7),
        (Most(tokens=1), "--max-tokens 1", 0),
        (Most(cost=1e-9), "--max-cost 1e-09", 0),
    ],
)
def test_a_limit_stops_cleanly_and_the_next_run_goes_on(tmp_path, most, name, calls):
    """A budget would be overrun, or what it paid for would be lost at its end."""
    first, second = Priced(), Priced()
    went = recorded(tmp_path, first, most=most, price=(10.0, 50.0))
    assert went.stopped.startswith(name)
    assert went.partial
    assert went.missing
    assert went.bill.paid.calls == len(first.seen) == calls
    whole = recorded(tmp_path, second)
    assert not whole.partial
    assert len(first.seen) + len(second.seen) == 6 * 4


def test_what_is_under_way_counts_against_a_limit():
    """Ten askings at once would each find the budget untouched."""
    bill = Bill(Most(tokens=250))
    first = bill.reserve(Usage(tokens_in=100, tokens_out=20))
    bill.reserve(Usage(tokens_in=100, tokens_out=20))
    with pytest.raises(LimitReached, match="--max-tokens 250"):
        bill.reserve(Usage(tokens_in=100))
    bill.settle(first, Usage(tokens_in=10))
    bill.reserve(Usage(tokens_in=100))


class Uncounted(Priced):
    """A model behind an endpoint that tells of no token."""

    def _reply(self, brief):
        return Reply(text=super()._reply(brief).text, usage=Usage(cost=0.0))


def test_an_endpoint_that_counts_nothing_stays_within_the_limits(tmp_path):
    """A limit on tokens or money would never be reached, and the bill say that all was free."""
    model = Uncounted()
    free = recorded(tmp_path / "free", model)
    assert (free.bill.unknown, free.bill.paid.calls, len(model.seen)) == (24, 24, 24)
    half = free.expected.usage.tokens_in // 2
    bound = recorded(tmp_path / "bound", Uncounted(), answers=False, most=Most(tokens=half))
    assert bound.stopped.startswith("--max-tokens")
    assert 0 < bound.bill.unknown < 24


def test_an_asking_that_ran_out_of_time_counts_as_it_was_expected():
    """An endpoint that thinks for a minute and is hung up on would be paid without end."""
    bill, expected = Bill(Most(tokens=250, calls=5)), Usage(tokens_in=100, cost=1.0)
    for usage in (Usage(calls=2, seconds=60.0, cost=0.0), None):
        bill.settle(bill.reserve(expected), usage)
    assert (bill.unknown, bill.paid.calls, bill.paid.cost) == (2, 3, None)
    with pytest.raises(LimitReached, match="--max-tokens 250"):
        bill.reserve(expected)
    bill.reserve(Usage(calls=2, tokens_in=50))  # two calls are left, and fifty tokens


def test_failed_askings_are_paid_for_too(tmp_path):
    """A model that fails would cost nothing in the bill and everything on the invoice."""

    def failing(brief):
        raise Trouble("cut off", usage=COST)

    went = recorded(tmp_path, Priced(failing))
    assert went.bill.paid.tokens_in == 100 * went.bill.paid.calls > 0
    assert set(went.degraded) == {f"q{n:02}" for n in range(6)}


@pytest.mark.req("W73")
@pytest.mark.parametrize(
    ("retention", "keeps"),
    [("full", True), ("keyed_hash", True), ("redacted", False), ("none", False)],
)
def test_prompts_stand_in_a_recording_as_retention_allows(tmp_path, retention, keeps):
    """A query log with personal data in it would lie around under a class that forbids that."""
    house = {"retention": Retention(retention)}
    recorded(tmp_path, Priced(), house=house, answers=keeps)
    text = library.questions(1)[0].text
    assert (traces(tmp_path)["q00"]["prompt"] == text) is (retention == "full")
    told = b"".join(p.read_bytes() for p in tmp_path.iterdir() if p.name != "traces.jsonl")
    assert text.encode() not in told, "a question can be read from the file of answers"


@pytest.mark.parametrize("retention", list(Retention))
def test_a_masked_group_stays_on_its_side_of_the_seal(retention):
    """Exploring a recording would look at questions that a claim is later tested on."""
    groups = [f"how do I repair a {n}" for n in range(200)]
    names = masked(groups, retention, library.SECRET)
    assert sealed(list(names.values())).tolist() == sealed(groups).tolist()
    assert len(set(names.values())) == 200
    assert any("repair" in name for name in names.values()) is (retention is Retention.FULL)


def test_the_file_of_answers_is_its_owners_alone(tmp_path):
    """A plan holds words of a question, and everybody on the machine could read it."""
    Answers(tmp_path / "cache" / "answers.sqlite", b"k").close()
    assert stat.S_IMODE(os.stat(tmp_path / "cache" / "answers.sqlite").st_mode) == 0o600


def test_an_answer_comes_back_under_the_ids_of_its_new_invocation():
    """A kept reranking would name candidates that nobody knows, and every score would be lost."""
    assert pieces_of('{"a1": 1, "b2": 0}', ["b2", "a1"]) == ['{"', 1, '": 1, "', 0, '": 0}']
    assert pieces_of("text", []) == ["text"]


def test_a_key_is_made_once(tmp_path):
    """With a new key every start all kept answers would be lost, and paid for again."""
    assert secret_of(tmp_path / "keys" / "a") == secret_of(tmp_path / "keys" / "a")
    assert len(secret_of(tmp_path / "keys" / "a")) == 32


@pytest.mark.req("W74")
def test_questions_begin_no_faster_than_the_delay(tmp_path):
    """A production engine under test would be hit by as many questions as there are."""
    import time

    began = time.perf_counter()
    recorded(tmp_path, Priced(), questions=library.questions(3), rate=Rate(parallel=3, delay=0.15))
    assert time.perf_counter() - began >= 0.3
    assert Rate(parallel=2, delay=6.0).minutes(11, seconds=1.0) == 1.0


@pytest.mark.req("W74")
def test_no_more_questions_than_allowed_are_under_way(tmp_path):
    """An engine's connections would be used up by the one who measures it."""
    own, most, now = library.house(), 0, 0

    async def counted(question, exposure, house, caller):
        nonlocal most, now
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.01)
        now -= 1
        return {"schema": 1, "pipeline": 1, "warnings": [], "answers": []}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(record, "answer", counted)
        asyncio.run(
            record.record(library.questions(9), "ask", own, tmp_path / "t.jsonl", parallel=3)
        )
    assert most == 3


def test_what_is_expected_is_what_it_costs(tmp_path):
    """Somebody would start a recording for ten and get an invoice over a thousand."""
    model = Priced()
    went = recorded(tmp_path, model, questions=library.questions(30))
    assert went.expected.usage.calls == len(model.seen) == 30 * 4
    assert "5 questions" in went.expected.basis
    more = recorded(tmp_path, Priced(), questions=library.questions(40))
    assert "30 earlier traces" in more.expected.basis
    assert (more.expected.questions, more.expected.usage.calls) == (10, 40)
    assert more.expected.usage.tokens_in == 40 * 100
    assert more.expected.usage.cost == pytest.approx(40 * 0.002)


def test_expecting_asks_no_model(tmp_path):
    """To learn what a recording costs would cost something."""
    model = Priced()
    own = library.house(model)
    found = asyncio.run(expect(library.wanted(price=(10.0, 50.0)), own, tmp_path))
    assert (model.seen, found.usage.calls) == ([], 40 * 4)
    assert found.usage.tokens_in > 0
    assert found.usage.cost > 0
    assert "about" in found.line()


@pytest.mark.req("W41")
def test_repeated_recordings_are_draws_of_their_own(tmp_path):
    """The kept answers of the first would come back, and every model would look steady."""
    model = Priced()
    recorded(tmp_path, model, repeats=3)
    assert len(model.seen) == 3 * 6 * 4
    again = Priced()
    recorded(tmp_path, again, repeats=3)
    assert again.seen == []
    assert [len(list(record.lines(path))) for path in trace_files(tmp_path, 3)] == [6, 6, 6]


@pytest.mark.req("W41")
def test_the_noise_floor_by_hand():
    """A difference that recording again makes by itself would be taken for a gain."""
    found = noise("nDCG@10", [{"a": 0.5, "b": 1.0}, {"a": 0.7, "b": 1.0}])
    # The variance of a is 0.02, of b 0; of the mean 0.02 / 4; of a difference twice that.
    assert found.floor == pytest.approx(NORMAL * math.sqrt(2 * 0.02 / 4), abs=1e-12)
    assert (found.means, found.changed, found.queries) == ((0.75, 0.85), 1, 2)
    steady = noise("RR", [{"a": 0.5}, {"a": 0.5}])
    assert (steady.floor, steady.changed) == (0.0, 0)
    with pytest.raises(ValueError, match="two recordings"):
        noise("RR", [{"a": 1.0}])


def test_a_dated_set_is_recorded_as_of_the_querys_date(tmp_path):
    """A question of May would be answered from what was written in June."""
    plain = Forms(rerank=RerankForm.NONE)
    own = library.house(catalog=library.known(plain))
    question = Question(id="q", text="wing", now=86_400.0 * 3)

    def keys(house):
        trace = asyncio.run(record.answer(question, "ask", house))
        return {row[1] for answer in trace["answers"] for row in answer["rows"]}

    assert any(int(key.split("-")[1]) > 3 for key in keys(own))
    assert {int(key.split("-")[1]) for key in keys(as_of(own, question))} == {0, 1, 2, 3}
    undated = Question(id="q", text="wing")
    assert as_of(own, undated) is own


def test_what_a_caller_gave_up_is_paid_and_kept(tmp_path):
    """An answer that came a moment late would be paid for and thrown away."""

    class Slow(Priced):
        async def select(self, brief):
            await asyncio.sleep(0.05)
            return self._reply(brief)

    async def go():
        answers = Answers(tmp_path / "answers.sqlite", library.SECRET)
        desk = Desk(bill=Bill(Most()), answers=answers)
        own = desk.seated(library.house(Slow()))
        from tests.llm.double import select_brief

        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await own.selectors["model"].select(select_brief("a"))
        await desk.rest()
        again = await own.selectors["model"].select(select_brief("a"))
        answers.close()
        return desk.bill, json.loads(again.text)

    bill, reply = asyncio.run(go())
    assert (bill.paid.calls, bill.kept, reply) == (1, 1, {"sources": ["a"]})
