"""One bounded exchange over HTTP: a JSON question out, the whole answer in, or ``Trouble``.

No redirect is followed, no proxy, password file or certificate setting is taken from the
environment, no cookie is kept, no compressed body is taken, and no body is larger than
``MOST_BYTES``. The key stands in one header and nowhere else: no error, log line or repr has it.
Time is bounded by the caller, and whoever is cancelled closes the connection.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from esra.llm.embedder import ModelMissing
from esra.llm.openai.endpoint import Endpoint
from esra.ports import Trouble

if TYPE_CHECKING:
    import httpx2

MOST_BYTES = 4_000_000
# A key is printable; anything else would be refused later, by an error that shows it.
_KEY = re.compile(r"[\x21-\x7e]+")
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
    """The way to one endpoint. ``close`` ends the connections of the running loop."""

    def __init__(self, endpoint: Endpoint) -> None:
        try:
            # Here, since it takes a fifth of a second and many installations ask no model.
            import httpx2
        except ModuleNotFoundError as error:
            raise ModelMissing(
                "a language model needs the package httpx2: install esra[model]"
            ) from error
        self._httpx = httpx2
        self._endpoint = endpoint
        self._open: WeakKeyDictionary[asyncio.AbstractEventLoop, _Open] = WeakKeyDictionary()

    async def post(self, document: Mapping[str, object]) -> Answer:
        """The endpoint's answer, whatever its status."""
        opened, key = self._opened(), _resolved(self._endpoint.key)
        content = json.dumps(document).encode()
        async with opened.turns:
            try:
                answer = await self._exchange(opened.client, _headers(key), content)
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
                client=self._httpx.AsyncClient(
                    timeout=None,
                    follow_redirects=False,
                    trust_env=False,
                    proxy=self._endpoint.proxy,
                    cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
                ),
                turns=asyncio.Semaphore(self._endpoint.concurrency),
            )
        return self._open[loop]

    async def _exchange(
        self, client: httpx2.AsyncClient, headers: Mapping[str, str], content: bytes
    ) -> Answer:
        body = bytearray()
        async with client.stream(
            "POST", self._endpoint.url, content=content, headers=headers
        ) as response:
            if response.headers.get("content-encoding", "identity") != "identity":
                raise Trouble("the endpoint answered compressed, which was not asked for")
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


def _without_key(answer: Answer, key: str | None) -> Answer:
    if key is not None and len(key) >= _LEAST_SECRET and key.encode() in answer.body:
        raise Trouble("the endpoint sent the key back")
    return answer


def seconds_to_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Retry-After in seconds, from either of its forms (RFC 9110, 10.2.3); None without one.

    A date counts from the answer's own ``Date`` where it has one, since two clocks differ.
    """
    written = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", written):
        return float(written)
    until = _moment(written)
    return None if until is None else max(0.0, until - (_moment(headers.get("date", "")) or now))


def _moment(written: str) -> float | None:
    try:
        return parsedate_to_datetime(written).timestamp()
    except (ValueError, OverflowError):
        return None


def _headers(key: str | None) -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": "esra",
    }
    return headers if key is None else {**headers, "Authorization": f"Bearer {key}"}


def _resolved(key: Callable[[], str] | None) -> str | None:
    if key is None:
        return None
    value = ""
    try:
        value = key().strip()
    except (LookupError, OSError, ValueError):
        value = ""
    # Not inside the handler: what another resolver says may hold what it resolved.
    if not _KEY.fullmatch(value):
        raise Trouble("the endpoint's key cannot be had, or no header can carry it")
    return value
