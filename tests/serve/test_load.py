"""Twenty callers at a time while one search in twenty fails: no answer is wrong, nothing grows."""

import asyncio
import itertools
import os
import time
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client

from tests.serve.doors import ERAS, run
from tests.serve.measured import LONG, loaded, settled

CALLERS = 20
SECONDS = float(os.environ.get("ESRA_LOAD_SECONDS", "60" if LONG else "4"))

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="only Linux says what a process holds"
)


def place(results) -> list[tuple]:
    return [(one["source"], one["title"], one["score"]) for one in results]


def expected(reference, number: int, failed: set[str]) -> list[tuple]:
    """The answer without faults, for this question, of the sources that did not fail."""
    return [
        (source, title.replace("q0 ", f"q{number} "), score)
        for source, title, score in reference
        if source not in failed
    ]


@asynccontextmanager
async def service(url: str):
    """Asks over /v1/retrieve."""
    async with httpx2.AsyncClient(base_url=url, timeout=20) as client:

        async def ask(number: int):
            body = {"exposure": "ask", "prompt": f"flutter q{number}"}
            return (await client.post("/v1/retrieve", json=body)).json()

        yield ask


@asynccontextmanager
async def assistant(url: str, era: str):
    """Asks over MCP."""
    async with Client(f"{url}/mcp", mode=era) as client:

        async def ask(number: int):
            arguments = {"prompt": f"flutter q{number}"}
            return (await client.call_tool("esra_ask", arguments)).structured_content

        yield ask


async def caller(kind, reference, numbers, until: float) -> tuple[int, int]:
    """(answers, failed sources in them); fails at the first wrong one."""
    answers = failures = 0
    async with kind as ask:
        while not answers or time.monotonic() < until:
            number = next(numbers)
            answer = await ask(number)
            failed = {w["source"] for w in answer["warnings"] if w["code"] == "ESRA_SOURCE_FAILED"}
            assert place(answer["results"]) == expected(reference, number, failed)
            assert (answer["status"] == "degraded") is bool(answer["warnings"])
            answers, failures = answers + 1, failures + len(failed)
    return answers, failures


async def reference_of(url: str) -> list[tuple]:
    """The answer to question 0 without a fault, however often it has to be asked."""
    async with httpx2.AsyncClient(base_url=url, timeout=20) as client:
        while True:
            body = {"exposure": "ask", "prompt": "flutter q0"}
            answer = (await client.post("/v1/retrieve", json=body)).json()
            if answer["status"] == "complete":
                return place(answer["results"])


async def crowd(url: str, seconds: float, reference, numbers) -> tuple[int, int]:
    until = time.monotonic() + seconds
    kinds = [
        assistant(url, ERAS[number % 2]) if number % 5 == 0 else service(url)
        for number in range(CALLERS)
    ]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(caller(kind, reference, numbers, until)) for kind in kinds]
    answers, failures = zip(*(task.result() for task in tasks), strict=True)
    return sum(answers), sum(failures)


def test_twenty_callers_get_no_wrong_answer_and_cost_no_growing_memory():
    """One caller's answer in another's hands is the worst thing a door can do."""
    numbers = itertools.count(1)
    with loaded(odds=0.05) as server:
        descriptors = server.descriptors()
        reference = run(reference_of(server.url))
        assert len(reference) == 6
        asyncio.run(crowd(server.url, max(1.0, SECONDS / 4), reference, numbers))
        memory = server.memory()
        answers, failures = asyncio.run(crowd(server.url, SECONDS, reference, numbers))
        grown = server.memory() / memory - 1
        left = settled(server.descriptors, descriptors)
        print(f"{answers} answers, {failures} failed sources, memory {grown:+.1%}")
    assert 0.02 < failures / (2 * answers) < 0.09
    assert left <= descriptors
    assert grown < 0.05
