"""A canary in every exception that can be raised behind a door: it comes out at none."""

import json
import logging
from dataclasses import replace

import httpx2
import pytest
from mcp import Client

from esra.domain.plan import Strategy
from esra.governance.audit import ListAudit
from esra.governance.local import LocalGovernance
from esra.ports import Capabilities
from esra.serve.bearer import Resource
from esra.serve.http import Front, http_app
from esra.serve.mcp import mcp_server
from tests.serve.calls import BEGIN, CALL
from tests.serve.doors import ERAS, door, listening, run, served_house

CANARY = "postgresql://canary:4711@db.internal/secret"


class Leaky(RuntimeError):
    def __init__(self):
        super().__init__(CANARY)


class Grouped(ExceptionGroup):
    def __new__(cls):
        return super().__new__(cls, CANARY, [Leaky()])


class Engine:
    capabilities = Capabilities(strategies=frozenset(Strategy))

    def __init__(self, trouble):
        self.trouble = trouble

    async def run(self, query):
        raise self.trouble()


class Model:
    identity = "model"

    def __init__(self, trouble):
        self.trouble = trouble

    async def select(self, brief):
        raise self.trouble()

    plan = rerank = select


class Ledger(ListAudit):
    def __init__(self, trouble):
        super().__init__()
        self.trouble = trouble

    def write(self, records):
        raise self.trouble()


class Clock:
    def __init__(self, trouble):
        self.trouble = trouble

    def now(self):
        raise self.trouble()

    monotonic = now


class Closed(LocalGovernance):
    """``where`` is the method that raises."""

    def __init__(self, catalog, where, trouble):
        super().__init__(catalog)
        self.where, self.trouble = where, trouble

    async def authenticate(self, token):
        return await self._or_raise("authenticate", None)

    async def authorize(self, principal, exposure):
        return await self._or_raise("authorize", exposure)

    async def _or_raise(self, where, exposure):
        if where == self.where:
            raise self.trouble()
        principal = await super().authenticate(None)
        return principal if exposure is None else await super().authorize(principal, exposure)


def broken(part, trouble):
    """A door with a part behind it that raises."""
    house = served_house()
    match part:
        case "engine":
            return door(served_house(engine=Engine(trouble)))
        case "audit":
            return door(served_house(audit=Ledger(trouble)))
        case "evidence":
            return door(replace(house, evidence=lambda *_: (_ for _ in ()).throw(trouble())))
        case "clock":
            return door(replace(house, clock=Clock(trouble)))
        case _:
            return door(house, Closed(house.catalog, part, trouble))


PARTS = ["engine", "audit", "evidence", "clock", "authenticate", "authorize"]
# A timeout and a cancellation that nobody asked for are troubles like any other.
TROUBLES = [Leaky, Grouped, lambda: TimeoutError(CANARY), lambda: KeyError(CANARY)]


def over_mcp(own, era):
    async def work():
        async with Client(mcp_server(own), mode=era) as client:
            return repr(await client.call_tool("esra_ask", {"prompt": "wing flutter"}))

    return run(work())


@pytest.mark.parametrize("trouble", TROUBLES, ids=["error", "group", "timeout", "key"])
@pytest.mark.parametrize("part", PARTS)
def test_no_exceptions_text_comes_out_of_a_tool_or_a_service(part, trouble):
    """The text of an exception holds addresses, paths and values, and a model repeats them."""
    own = broken(part, trouble)
    shown = [over_mcp(own, era) for era in ERAS]
    transport = httpx2.ASGITransport(app=http_app(own))
    shown.append(run(posted(transport)))
    for text in shown:
        assert "canary" not in text
        assert "4711" not in text
        assert "ESRA_" in text


async def posted(transport):
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        found = await client.post("/v1/retrieve", json={"exposure": "ask", "prompt": "wing"})
        return f"{found.status_code}{dict(found.headers)}{found.text}"


@pytest.mark.parametrize("path", ["/mcp", "/v1/retrieve"])
def test_none_comes_out_at_the_threshold_either(path):
    """A check of tokens that breaks shows keys and addresses of the issuer."""
    front = Front(resource=Resource(url="https://esra.example", issuers=("https://i.example",)))
    with listening(broken("authenticate", Leaky), front) as url:
        found = httpx2.post(url + path, json={}, headers={"Authorization": "Bearer x"})
    assert found.status_code == 500
    assert "canary" not in f"{found.headers}{found.text}"


def test_a_bug_in_the_http_face_itself_is_a_problem_without_a_text(monkeypatch):
    """The framework's own answer would be a page with a traceback, or nothing."""
    own = door()
    monkeypatch.setattr(own.metrics, "text", lambda: (_ for _ in ()).throw(Leaky()))
    with listening(own) as url:
        found = httpx2.get(f"{url}/metrics")
    assert (found.status_code, found.headers["Content-Type"]) == (500, "application/problem+json")
    assert "canary" not in found.text


def test_the_cause_is_in_the_log_under_the_id_the_caller_got(caplog):
    """A safe answer without a cause anywhere cannot be repaired."""
    text = over_mcp(broken("evidence", Leaky), ERAS[0])
    (record,) = [one for one in caplog.records if one.exc_info and CANARY in str(one.exc_info[1])]
    assert record.args[0] in text


LEGACY = {"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-06-18"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'[{"jsonrpc":"2.0","id":5,"method":"canary-4711"}]', -32600),
        (b'"canary-4711"', -32600),
        (b'{"jsonrpc":"2.0","canary-4711":1}', -32600),
        (b'{"canary-4711":', -32700),
        (b'"canary-4711\xff"', -32700),
    ],
)
def test_a_body_that_is_no_message_is_not_repeated_to_an_older_client(body, code):
    """The SDK would answer with its exception's text, and the body in it."""
    with listening(door()) as url:
        begun = httpx2.post(f"{url}/mcp", json=BEGIN, headers=LEGACY)
        session = {**LEGACY, "Mcp-Session-Id": begun.headers["Mcp-Session-Id"]}
        session["Content-Type"] = "application/json"
        found = httpx2.post(f"{url}/mcp", content=body, headers=session)
    assert (found.status_code, found.json()["error"]["code"]) == (400, code)
    assert "canary" not in found.text
    assert "pydantic" not in found.text


def test_half_a_character_is_a_tool_error_for_an_older_client_too():
    """A parse error names no call, and its client would wait."""
    broken = json.dumps({**CALL, "params": {**CALL["params"], "arguments": {"prompt": "x\ud800"}}})
    with listening(door()) as url:
        begun = httpx2.post(f"{url}/mcp", json=BEGIN, headers=LEGACY)
        session = {**LEGACY, "Mcp-Session-Id": begun.headers["Mcp-Session-Id"]}
        session["Content-Type"] = "application/json"
        found = httpx2.post(f"{url}/mcp", content=broken, headers=session)
    assert found.status_code == 200
    assert "ESRA_INVALID_REQUEST" in found.text
    assert "prompt: text of 1 to" in found.text


@pytest.mark.parametrize("era", ERAS)
def test_no_log_line_holds_what_was_asked_or_found_however_much_is_logged(caplog, era):
    """Logs are kept longer than documents, and read by more people."""
    caplog.set_level(logging.DEBUG)

    async def work(url):
        async with Client(f"{url}/mcp", mode=era) as client:
            return await client.call_tool("esra_ask", {"prompt": "canary-4711 flutter"})

    with listening(door()) as url:
        assert run(work(url)).structured_content["results"][0]["title"].startswith("title ")
    ours = [
        one.getMessage()
        for one in caplog.records
        if not one.name.startswith(("mcp.client", "httpx", "httpcore"))
    ]
    assert any("mcp.server" in one.name for one in caplog.records)
    assert [line for line in ours if "canary" in line or "title " in line] == []
