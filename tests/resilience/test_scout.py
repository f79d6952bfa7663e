"""A server that was away and is back is tried at once; any other trouble takes its time."""

import asyncio

import pytest

from esra.domain.codes import FailureCode
from esra.domain.outcome import Failed
from esra.domain.resilience import BreakerCause, BreakerState, Retries
from esra.providers.resilience.scout import BETWEEN
from tests.house import source
from tests.resilience.setting import DOWN, NOTHING, Calls, Hands, per_source

TIMEOUT = Failed(code=FailureCode.TIMEOUT)
OWN = source("a", retries=Retries(attempts=1))


class Server:
    """Can be reached as the script says, the last answer for ever; notes when it was knocked at."""

    def __init__(self, hands: Hands, *script: bool) -> None:
        self.hands, self.script, self.knocks = hands, list(script), []

    async def __call__(self) -> bool:
        self.knocks.append(self.hands.time)
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


def opened(server: Server, hands: Hands, failure: Failed, *, turns: int = 200):
    """The resilience of a source that has just failed ten times, some turns of the loop later."""
    resilience = per_source(hands, reachable={"fake": server})

    async def go():
        for _ in range(10):
            await resilience.run(OWN, Calls(hands, failure), 60.0)
        begun = hands.time
        for _ in range(turns):
            await asyncio.sleep(0)
        answer = await resilience.run(OWN, Calls(hands, NOTHING), 60.0)
        await resilience.close()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        return begun, answer, left

    begun, answer, left = asyncio.run(go())
    assert not left
    return resilience, begun, answer


@pytest.mark.parametrize("away", range(1, 5))
def test_a_server_that_was_stopped_is_tried_a_second_after_its_return(away):
    """It would stay out for the rest of the open interval, up to two minutes."""
    hands = Hands()
    server = Server(hands, *[False] * (away - 1), True)
    resilience, begun, answer = opened(server, hands, DOWN)
    assert answer == NOTHING
    assert server.knocks == [begun + BETWEEN * n for n in range(1, away + 1)]
    changes = [(change.after, change.cause) for change in resilience.changes()]
    assert changes[-1] == (BreakerState.HALF_OPEN, BreakerCause.REACHABLE)


def test_one_that_hangs_and_cannot_be_reached_is_tried_when_it_can():
    """A frozen machine that thaws would stay out as long as its failures were timeouts."""
    hands = Hands()
    _, _, answer = opened(Server(hands, False, False, True), hands, TIMEOUT)
    assert answer == NOTHING


def test_a_trial_that_fails_is_no_news_of_a_server_that_is_away():
    """A machine that thaws between a failed trial and the next knock would stay out."""
    hands = Hands()
    server = Server(hands, False)
    resilience, _, _ = opened(server, hands, TIMEOUT, turns=3)
    server.script = [True]
    hands.time += 10

    async def go():
        trial = await resilience.run(OWN, Calls(hands, TIMEOUT), 60.0)
        for _ in range(9):
            await asyncio.sleep(0)
        answer = await resilience.run(OWN, Calls(hands, NOTHING), 60.0)
        await resilience.close()
        return trial, answer

    assert asyncio.run(go()) == (TIMEOUT, NOTHING)


def test_one_that_is_back_and_fails_in_another_way_is_left_its_rest():
    """A database that drowns after its restart would get two more queries each second."""
    hands = Hands()
    server = Server(hands, False, True)
    resilience = per_source(hands, reachable={"fake": server})

    async def go():
        for failure in [DOWN] * 10 + [TIMEOUT]:
            await resilience.run(OWN, Calls(hands, failure), 60.0)
            for _ in range(9):
                await asyncio.sleep(0)
        answer = await resilience.run(OWN, Calls(hands, NOTHING), 60.0)
        await resilience.close()
        return answer

    assert asyncio.run(go()) == Failed(code=FailureCode.CIRCUIT_OPEN)
    assert len(server.knocks) == 3


def test_one_that_can_be_reached_all_the_time_is_left_its_rest():
    """A database drowning in slow queries would get two more of them each second."""
    hands = Hands()
    server = Server(hands, True)
    resilience, begun, answer = opened(server, hands, TIMEOUT)
    assert answer == Failed(code=FailureCode.CIRCUIT_OPEN)
    assert resilience.state(OWN) is BreakerState.OPEN
    assert (server.knocks, hands.time) == ([begun], begun)


def test_nobody_knocks_any_more_once_the_rest_is_over():
    """A source would be knocked at for ever."""
    hands = Hands()
    server = Server(hands, False)
    resilience = per_source(hands, reachable={"fake": server})

    async def go():
        for _ in range(10):
            await resilience.run(OWN, Calls(hands, DOWN), 60.0)
        await asyncio.sleep(0)
        hands.time += 10
        await resilience.run(OWN, Calls(hands, NOTHING), 60.0)
        for _ in range(100):
            await asyncio.sleep(0)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        await resilience.close()
        return left

    assert not asyncio.run(go())
    assert len(server.knocks) <= 1


def test_the_next_event_loop_goes_on_knocking():
    """In a notebook each cell may have a loop of its own; the source would stay out."""
    hands = Hands()
    server = Server(hands, False)
    resilience, _, _ = opened(server, hands, DOWN, turns=3)
    server.script = [True]

    async def go():
        refused = await resilience.run(OWN, Calls(hands, NOTHING), 60.0)
        for _ in range(5):
            await asyncio.sleep(0)
        answered = await resilience.run(OWN, Calls(hands, NOTHING), 60.0)
        await resilience.close()
        return refused, answered

    assert asyncio.run(go()) == (Failed(code=FailureCode.CIRCUIT_OPEN), NOTHING)
