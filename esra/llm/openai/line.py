"""One bounded exchange over HTTP: a JSON question out, the whole answer in, or ``Trouble``.

No redirect is followed, no proxy, password file or certificate setting is taken from the
environment, no cookie is kept, no compressed body is taken, and no body is larger than
``MOST_BYTES``. The key stands in one header and in no error, repr or log line of ours.
Time is bounded by the caller, and whoever is cancelled closes the connection.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from esra.llm.embedder import ModelMissing
from esra.llm.openai.endpoint import Endpoint
from esra.llm.openai.headers import read_key, request_headers, seconds_to_wait
from esra.ports import Trouble

if TYPE_CHECKING:
    import httpx2

MOST_BYTES = 4_000_000
# Shorter ones are stand-ins ("none", "EMPTY") that honest text may hold.
_LEAST_SECRET = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """``kind`` is the content type alone, ``wait`` the seconds of Retry-After where it has any."""

    status: int
    kind: str
    wait: float | None
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    """What belongs to one event loop: connections, and the turns to use them."""

    client: httpx2.AsyncClient
    turns: asyncio.Semaphore


class Line:
    """The way to one endpoint, a connection a request. ``close`` ends those of the running loop."""

    def __init__(self, endpoint: Endpoint) -> None:
        try:
            # Here, since it takes a fifth of a second and many installations ask no model.
            import httpx2
        except ModuleNotFoundError as error:
            raise ModelMissing(
                "a language model needs the package httpx2: install esra[model]"
            ) from error
        _trusted()  # now, since it takes a while and would hold up the loop later
        self._httpx = httpx2
        self._endpoint = endpoint
        self._open: WeakKeyDictionary[asyncio.AbstractEventLoop, _Open] = WeakKeyDictionary()

    async def post(self, document: Mapping[str, object]) -> Answer:
        """The endpoint's answer, whatever its status."""
        opened, key = self._opened(), read_key(self._endpoint.key)
        content = json.dumps(document).encode()
        async with opened.turns:
            try:
                answer = await self._exchange(opened.client, request_headers(key), content)
                return _without_key(answer, key)
            except (self._httpx.HTTPError, self._httpx.InvalidURL, OSError, ValueError) as error:
                reason = type(error).__name__
        # Not inside the handler: the library's error knows the request, and so the key.
        raise Trouble(f"the endpoint cannot be used: {reason}")

    async def close(self) -> None:
        opened = self._open.pop(asyncio.get_running_loop(), None)
        if opened is not None:
            await opened.client.aclose()

    def _opened(self) -> _Open:
        loop = asyncio.get_running_loop()
        if loop not in self._open:
            self._open[loop] = _Open(
                client=self._client(), turns=asyncio.Semaphore(self._endpoint.concurrency)
            )
        return self._open[loop]

    def _client(self) -> httpx2.AsyncClient:
        return self._httpx.AsyncClient(
            verify=_trusted(),
            timeout=None,
            follow_redirects=False,
            trust_env=False,
            proxy=self._endpoint.proxy,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            # A kept connection may be closed by the other end just when the next step needs it:
            # one step's trouble would become another's.
            limits=self._httpx.Limits(max_keepalive_connections=0),
        )

    async def _exchange(
        self, client: httpx2.AsyncClient, headers: Mapping[str, str], content: bytes
    ) -> Answer:
        body = bytearray()
        async with client.stream(
            "POST", self._endpoint.url, content=content, headers=headers
        ) as response:
            # Raw: a compressed body, which nobody asked for, is not blown up, and is no JSON.
            async for part in response.aiter_raw():
                body += part
                if len(body) > MOST_BYTES:
                    raise Trouble("the endpoint's answer is too large")
        return Answer(
            status=response.status_code,
            kind=response.headers.get("content-type", "").partition(";")[0].strip().lower(),
            wait=seconds_to_wait(response.headers, time.time()),
            body=bytes(body),
        )


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates this machine trusts, read once."""
    import httpx2

    return httpx2.create_ssl_context(trust_env=False)


def _without_key(answer: Answer, key: str | None) -> Answer:
    if key is not None and len(key) >= _LEAST_SECRET and key.encode() in answer.body:
        raise Trouble("the endpoint sent the key back")
    return answer
