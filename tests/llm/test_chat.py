"""How one question is asked: what is sent, what is sent again, who waits, and who is cut off."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from itertools import pairwise

import pytest

from esra.llm.openai.headers import seconds_to_wait
from esra.ports import Trouble
from tests.llm.behaviours import EXCHANGES, says_nothing
from tests.llm.double import (
    KEY,
    Asked,
    Line,
    Server,
    ask,
    completion,
    fails,
    good,
    language_model,
    select_brief,
    wise,
)
from tests.llm.habits import busy_once, refuses_once


def test_what_is_asked(server: Server):
    """Else an endpoint would be asked for no form, for chance, or in another dialect."""
    ask(language_model(server, model="small", seed=7, max_tokens=99))
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    document = asked.document
    assert [message["role"] for message in document.pop("messages")] == ["system", "user"]
    form = document.pop("response_format")
    assert form["type"] == "json_schema"
    assert (form["json_schema"]["name"], form["json_schema"]["strict"]) == ("select", True)
    assert document == {"model": "small", "temperature": 0, "seed": 7, "max_tokens": 99}


def test_without_a_key_no_key_is_sent(server: Server):
    """Else a server that needs none would get an empty one, and refuse it."""
    ask(language_model(server, key=None))
    assert "authorization" not in server.asked[0].headers


def test_a_changed_key_is_taken_up(server: Server):
    """Else a rotated secret would need a restart."""
    keys = iter(["first-key", "second-key"])
    ask(language_model(server, key=lambda: next(keys)), times=2)
    sent = [asked.headers["authorization"] for asked in server.asked]
    assert sent == ["Bearer first-key", "Bearer second-key"]


@pytest.mark.parametrize("key", ["", "  ", "two words", "line\nbreak", "schlüssel", "\0"])
def test_a_key_that_no_header_can_carry_is_not_sent(server: Server, key: str):
    """Else it would stand in the error of whoever refuses it."""
    fails(language_model(server, key=lambda: key), "key")
    assert server.asked == []


def test_a_key_that_cannot_be_had_costs_the_step(server: Server):
    """Else a missing secret would end the invocation, or be told."""

    def gone() -> str:
        raise LookupError(KEY)

    with pytest.raises(Trouble) as caught:
        ask(language_model(server, key=gone))
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def test_usage_counts_every_request_and_the_tokens(server: Server):
    """Else the trace would show one call where three were paid."""
    server.behaviours["select"] = refuses_once("seed", "temperature")
    first, second = ask(language_model(server), times=2)
    assert (first.usage.calls, first.usage.tokens_in, first.usage.tokens_out) == (3, 100, 20)
    assert second.usage.calls == 1
    assert first.usage.seconds > 0
    assert first.usage.cost is None


def test_usage_says_what_it_cost_where_a_price_is_set(server: Server):
    """Else a trace could not tell a dear model from a cheap one."""
    (reply,) = ask(language_model(server, price=(10.0, 50.0)))
    # 100 * 10 + 20 * 50 = 2,000 millionths
    assert reply.usage.cost == pytest.approx(0.002)


def test_a_failed_question_says_what_it_cost_all_the_same(server: Server):
    """Else a model that never finishes would look free, and a limit on tokens would not stop it."""
    server.behaviours["select"] = lambda line, asked: line.answer(
        completion("{", finish_reason="length")
    )
    with pytest.raises(Trouble) as caught:
        ask(language_model(server, price=(10.0, 50.0)))
    usage = caught.value.usage
    assert (usage.calls, usage.tokens_in, usage.tokens_out) == (1, 100, 20)
    assert usage.cost == pytest.approx(0.002)


def test_a_wait_that_fits_is_waited_for(server: Server):
    """Else a busy moment would cost a step that had time."""
    server.behaviours["select"] = busy_once(429, "1")
    (reply,) = ask(language_model(server, timeout=5.0))
    assert reply.usage.calls == 2
    assert 1.0 <= reply.usage.seconds < 4.0


def test_a_wait_that_does_not_fit_is_not_begun(server: Server):
    """Else a step would sit out its whole time for an answer that cannot come."""
    server.behaviours["select"] = busy_once(429, "60")
    loop_seconds = asyncio.run(_fail_seconds(language_model(server, timeout=5.0)))
    assert loop_seconds < 2.0
    assert len(server.asked) == 1


async def _fail_seconds(model) -> float:
    loop = asyncio.get_running_loop()
    started = loop.time()
    with pytest.raises(Trouble, match="busy"):
        await model.selector.select(select_brief())
    return loop.time() - started


def test_it_does_not_wait_for_ever_in_small_steps(server: Server):
    """Else an endpoint that always says "in no time" would be asked ten thousand times."""
    server.behaviours["select"] = EXCHANGES["too many, for ever"]
    fails(language_model(server), "429")
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "1e9"}, None),
        ({"retry-after": "99999999999999999999"}, None),
        ({"retry-after": " 7 "}, 7.0),
        # 784887151 is 1994-11-15 08:12:31, the date of RFC 9110's own example.
        ({"retry-after": "Tue, 15 Nov 1994 08:12:31 GMT"}, 51.0),
        ({"retry-after": "Tue, 15 Nov 1994 08:00:00 GMT"}, 0.0),
        (
            {
                "retry-after": "Tue, 15 Nov 1994 08:12:31 GMT",
                "date": "Tue, 15 Nov 1994 08:12:21 GMT",
            },
            10.0,
        ),
    ],
)
def test_both_forms_of_a_wait_are_read(headers: dict[str, str], expected: float | None):
    """Else a date would be taken for no wait at all, or for one of thirty years."""
    assert seconds_to_wait(headers, now=784887100.0) == expected


def test_no_more_requests_are_under_way_than_allowed(server: Server):
    """Else twenty plans at once would be twenty refusals."""
    busy, most, lock = [0], [0], threading.Lock()

    def slow(line: Line, asked: Asked) -> None:
        with lock:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
        line.server.over.wait(0.05)
        with lock:
            busy[0] -= 1
        good(line, asked)

    server.behaviours["select"] = slow
    model = language_model(server, concurrency=2)

    async def run():
        await asyncio.gather(*(model.selector.select(select_brief()) for _ in range(6)))

    asyncio.run(run())
    assert most == [2]


def test_waiting_for_a_turn_counts_as_waiting(server: Server):
    """Else a queue would hold an invocation longer than its time."""
    server.behaviours["select"] = says_nothing
    model = language_model(server, concurrency=1, timeout=1.0)

    async def run():
        asked = (model.selector.select(select_brief()) for _ in range(3))
        return await asyncio.gather(*asked, return_exceptions=True)

    started = time.monotonic()
    assert [str(error) for error in asyncio.run(run())] == ["no answer in time"] * 3
    # One after the other would be three seconds.
    assert time.monotonic() - started < 2.0


def test_whoever_is_cancelled_hangs_up(server: Server):
    """Else a model would go on writing, and costing, for a caller who has left."""
    began = threading.Event()

    def write_on(line: Line, asked: Asked) -> None:
        began.set()
        line.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        while not line.server.over.wait(0.02):
            line.wfile.write(b" ")

    server.behaviours["select"] = write_on
    model = language_model(server)

    async def run():
        asking = asyncio.create_task(model.selector.select(select_brief()))
        await asyncio.to_thread(began.wait, 5)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    asyncio.run(run())
    assert server.hung_up.wait(2)
    server.behaviours = {}
    assert ask(model)[0].text == '{"sources": ["news"]}'


def test_each_question_has_a_connection_of_its_own(server: Server):
    """Else a connection that the other end has given up would cost the next step its answer."""
    ask(language_model(server), times=3)
    assert len({asked.port for asked in server.asked}) == 3


def test_no_cookie_is_kept(server: Server):
    """Else an endpoint could tell one tenant's questions from another's, and join them."""

    def marks(line: Line, asked: Asked) -> None:
        line.answer(completion(wise(asked)), headers={"Set-Cookie": "who=7; Path=/"})

    server.behaviours["select"] = marks
    ask(language_model(server), times=2)
    assert all("cookie" not in asked.headers for asked in server.asked)


def test_no_proxy_is_taken_from_the_environment(server: Server, monkeypatch):
    """Else a variable set for something else would send the key and the prompts elsewhere."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert ask(language_model(server))


def test_a_configured_proxy_is_asked(server: Server):
    """Else a network that allows no other way out could not be used at all."""
    ask(language_model(server, proxy=server.url))
    assert server.asked[0].path == f"{server.url}/v1/chat/completions"


def test_the_same_brief_is_the_same_bytes(server: Server):
    """Else nothing could be cached or replayed, and a seed would be worth little."""
    ask(language_model(server), times=3)
    assert all(one.body == other.body for one, other in pairwise(server.asked))
    assert json.loads(server.asked[0].body)["seed"] == 0
