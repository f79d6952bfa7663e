"""A server over stdio in a process of its own, full of things that print where they should not."""

import asyncio
import logging
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from esra.serve.stdio import claim

wire = claim()

# What a careless library does at import: through Python, and past it.
print("a greeting at import")
os.write(1, b"a greeting of a C library\n")
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)

from esra.serve.mcp import mcp_server  # noqa: E402  (after the greeting, as with a real one)
from esra.serve.stdio import serve_stdio  # noqa: E402
from tests.house import FakeEngine  # noqa: E402
from tests.serve.doors import door, served_house  # noqa: E402


class Chatty(FakeEngine):
    """Prints at each call, and starts a program that does."""

    async def run(self, query):
        print("a word at a call")
        os.write(1, b"one past Python\n")
        sys.__stdout__.write("one through the stream that was there first\n")
        sys.__stdout__.flush()
        logging.getLogger("chatty").debug("a debug line")
        return await super().run(query)


async def main() -> None:
    quiet = served_house()
    engine = Chatty(quiet.providers["fake"].script)
    house = served_house(engine=engine)
    await serve_stdio(mcp_server(door(house)), wire)


asyncio.run(main())
