"""A house with a scripted engine behind every door, and ways to knock at each."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator

import uvicorn

from esra.domain.capability import Presence
from esra.governance.local import LocalGovernance
from esra.serve.door import Door
from esra.serve.http import Front, http_app
from tests import house as build

ERAS = ("2026-07-28", "legacy")


def served_house(**more):
    """Two sources of two hits each behind the tool ``esra_ask``."""
    known = build.catalog(
        build.source("news"),
        build.source("wiki"),
        presence={"news": Presence.MANDATORY, "wiki": Presence.MANDATORY},
        description="What the newsroom knows.",
    )
    script = {
        id: [[build.hit(f"{id}{n}", float(n), source=id) for n in (1, 2)]]
        for id in ("news", "wiki")
    }
    return build.house(more.pop("known", known), more.pop("script", script), **more)


def door(house=None, governance=None, **more) -> Door:
    house = house or served_house()
    return Door(house, governance or LocalGovernance(house.catalog), **more)


@contextlib.contextmanager
def listening(own: Door, front: Front | None = None, **more) -> Iterator[str]:
    """The address of a real server of this door in another thread."""
    config = uvicorn.Config(
        http_app(own, front), port=0, log_config=None, access_log=False, lifespan="on", **more
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        threading.Event().wait(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(20)


def run(work):
    """The result of a coroutine, in a bounded time."""
    return asyncio.run(asyncio.wait_for(work, 60))
