"""A server in a process of its own whose sources repeat the question, and now and then fail."""

import asyncio
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from esra._check import check
from esra.domain.codes import FailureCode
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.domain.plan import Strategy
from esra.governance.clock import SystemClock
from esra.ports import Capabilities
from esra.serve.http import Front, http_app
from esra.serve.server import Listen, listen
from tests.house import hit
from tests.serve.doors import door, served_house


class Echo:
    """Finds three records that name the question, so that answers cannot be mixed up.

    A source fails for a whole call, with the odds given and in a way of its own.
    """

    capabilities = Capabilities(strategies=frozenset(Strategy))

    def __init__(self, odds: float) -> None:
        self.odds = odds

    async def run(self, query):
        content = check(query)
        dice = random.Random(f"{content.invocation}{content.source}")
        await asyncio.sleep(dice.random() * 0.005)
        if dice.random() < self.odds:
            return Failed(code=dice.choice(list(FailureCode)))
        named = re.search(r"q\d+", repr((content.required, content.optional, content.phrases)))
        found = [
            hit(f"{content.source}-{n}", n / 10, source=content.source, title=f"{named[0]} #{n}")
            for n in (1, 2, 3)
        ]
        return Hits.of(found, capped=False)


class Forgetful:
    """An audit that keeps nothing, so that what grows is the server's own."""

    def write(self, records) -> None:
        assert records


async def main(odds: float) -> None:
    house = served_house(engine=Echo(odds), audit=Forgetful(), clock=SystemClock())
    app = http_app(door(house), Front(idle=1.0))
    await listen(app, Listen(port=0), lambda url: print(url, flush=True))


asyncio.run(main(float(sys.argv[1])))
