"""An endpoint on loopback that behaves as it is told, and a house that asks it for every step.

The double answers well by itself: it takes every source, plans one keyword search, and scores a
candidate 1 where its title holds an x and 0.5 elsewhere. A behaviour, by step, does otherwise.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from esra.briefs import SelectBrief, SourceBrief
from esra.domain.capability import Forms, PlanForm, Presence, RerankForm, SelectForm
from esra.governance.admission import admit
from esra.governance.audit import ListAudit
from esra.llm.openai import Endpoint, LanguageModel
from esra.llm.openai.fence import unfenced
from esra.llm.prompts import load_prompts
from esra.pipeline import retrieve
from esra.ports import Trouble
from tests.house import catalog, hit, house, request, source

KEY = "sk-canary-1f2e3d4c5b6a79880"
MODELS = Forms(select=SelectForm.MODEL, plan=PlanForm.MODEL, rerank=RerankForm.MODEL)
STEPS = ("select", "plan", "rerank")


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    path: str
    port: int  # of the other end: one a connection
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> dict:
        return json.loads(self.body)

    @property
    def rules(self) -> str:
        return self.document["messages"][0]["content"]

    @property
    def data(self) -> dict:
        return unfenced(self.document["messages"][1]["content"])

    @property
    def step(self) -> str:
        return step_of(self.data)


Behaviour = Callable[["Line", Asked], None]


def step_of(data: dict) -> str:
    """Which of the three steps asks, told by what it gives."""
    if "mappings" in data:
        return "plan"
    return "rerank" if "resultId" in data["candidates"][0] else "select"


def wise(asked: Asked) -> str:
    """The reply of a model that does as it is told."""
    return wise_reply(asked.data)


def wise_reply(data: dict) -> str:
    match step_of(data):
        case "select":
            return json.dumps({"sources": [each["id"] for each in data["candidates"]]})
        case "plan":
            query = {"mapping": data["mappings"][0]["id"], "strategy": "keyword"}
            return json.dumps({"queries": [{**query, "optional": ["wing"]}]})
    rows = [
        {"resultId": each["resultId"], "score": 1.0 if "x" in each["title"] else 0.5}
        for each in data["candidates"]
    ]
    return json.dumps({"scores": rows})


def completion(text: object, **choice: object) -> bytes:
    message = {"role": "assistant", "content": text}
    return json.dumps(
        {
            "choices": [{"index": 0, "finish_reason": "stop", "message": message, **choice}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20},
        }
    ).encode()


class Line(BaseHTTPRequestHandler):
    """One connection. Behaviours write with ``answer``, or bare bytes to ``wfile``."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.path, self.client_address[1], headers, body)
        self.server.asked.append(asked)
        behave = self.server.behaviours.get(asked.step, good)
        try:
            behave(self, asked)
        except OSError:
            # The other end hung up, which is what half of the tests are about.
            self.server.hung_up.set()
            self.close_connection = True

    def answer(
        self,
        body: bytes,
        *,
        status: int = 200,
        kind: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing: a test's output is its own."""


def good(line: Line, asked: Asked) -> None:
    line.answer(completion(wise(asked)))


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Line)
        self.asked: list[Asked] = []
        self.behaviours: dict[str, Behaviour] = {}
        self.hung_up = threading.Event()
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def steps(self) -> list[str]:
        return [asked.step for asked in self.asked]

    def handle_error(self, *_: object) -> None:
        """A broken connection is a behaviour here, not news."""


@contextmanager
def running() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()


def endpoint(server: Server, **more) -> Endpoint:
    more.setdefault("key", lambda: KEY)
    more.setdefault("timeout", 5.0)
    return Endpoint(base_url=server.url, model=more.pop("model", "small"), **more)


def language_model(server: Server, **more) -> LanguageModel:
    return LanguageModel(endpoint(server, **more), load_prompts())


def select_brief(*ids: str, prompt: str = "wing flutter") -> SelectBrief:
    """What a selector is told of sources with these ids (one, where none is named)."""
    facts = dict.fromkeys(("description", "usage", "exclusions", "freshness"), "")
    lists = dict.fromkeys(("tags", "languages", "examples"), ())
    candidates = (SourceBrief(id=id, **facts, **lists) for id in ids or ("news",))
    return SelectBrief(prompt=prompt, candidates=tuple(candidates))


NEWS = source("news", description="daily news", usage="for events")
LAW = source("law", description="court rulings", usage="for cases")
HITS = {
    "news": ([hit("a", 1.0), hit("b", 3.0), hit("c", 2.0)],),
    "law": ([hit("x", 0.5, source="law"), hit("y", 0.9, source="law")],),
}


def modelled(model: LanguageModel, script=None, **more):
    """A house with a mandatory and an Optional source whose three steps ask ``model``."""
    known = more.pop("known", None) or catalog(
        NEWS, LAW, source("far", description="weather"), forms=MODELS, **_presence()
    )
    return house(
        known,
        HITS if script is None else script,
        selectors={"model": model.selector},
        planners={"model": model.planner},
        rerankers={"model": model.reranker},
        **more,
    )


def _presence() -> dict:
    return {"presence": {"news": Presence.MANDATORY}}


@dataclass
class ListTraces:
    traces: list[Mapping[str, object]] = field(default_factory=list)

    def write(self, trace: Mapping[str, object]) -> None:
        self.traces.append(trace)


@dataclass(frozen=True)
class Told:
    """Everything one invocation left behind, and everything the endpoint was asked."""

    response: object
    audit: list
    traces: list

    @property
    def codes(self) -> list[str]:
        return [warning.code.value for warning in self.response.warnings]

    @property
    def titles(self) -> list[str]:
        return [result.title for result in self.response.results]

    def text(self) -> str:
        return repr(self.response) + json.dumps(self.audit) + json.dumps(self.traces)


def tell(
    model: LanguageModel,
    prompt: str = "wing flutter",
    *,
    limit: int = 10,
    seconds: float = 10.0,
    **more,
) -> Told:
    """One invocation from door to answer, over the wire; ``more`` goes to the house."""
    audit, traces = ListAudit(), ListTraces()
    own = modelled(model, audit=audit, traces=traces, **more)

    async def run():
        asked = request(prompt, limit=limit, seconds=seconds)
        response = await retrieve(admit(asked, own), own)
        await model.close()
        return response

    return Told(asyncio.run(run()), audit.records, traces.traces)


def ask(*models: LanguageModel, times: int = 1):
    """The replies of ``times`` selections by each model, one after the other, on one loop."""

    async def run():
        return [await m.selector.select(select_brief()) for m in models for _ in range(times)]

    return asyncio.run(run())


def fails(model: LanguageModel, match: str) -> None:
    """The model's selection ends in this trouble."""
    with pytest.raises(Trouble, match=match):
        ask(model)
