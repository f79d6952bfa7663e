"""Where the pipeline touches the world: what stands behind each port, and the house of them all.

Each model step is *brief -> ask -> admit*: the brief (``esra/briefs.py``) bounds what is seen, the
port makes the call, and an admit function in the stage takes any text at all.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from esra.briefs import PlanBrief, RerankBrief, SelectBrief
from esra.domain.capability import Catalog, Exposure
from esra.domain.codes import FailureCode
from esra.domain.hit import Hits
from esra.domain.invocation import Caller, Principal, Retention
from esra.domain.outcome import Failed
from esra.domain.plan import Strategy
from esra.domain.resilience import BreakerChange
from esra.domain.source import Source
from esra.domain.usage import Usage
from esra.sealed import ValidatedQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back, whatever it is: untrusted text, for an admit function."""

    text: str
    usage: Usage = Usage()


class Trouble(Exception):
    """A port's expected failure (refused, timed out, unusable); the stage falls back.

    ``usage`` is what the failed asking cost all the same, None where nobody can say.
    """

    def __init__(self, *said: object, usage: Usage | None = None) -> None:
        super().__init__(*said)
        self.usage = usage


def spent(trouble: Exception, reply: Reply | None = None) -> Usage | None:
    """What a futile asking cost: an unusable reply's own cost, else the trouble's."""
    return reply.usage if reply else getattr(trouble, "usage", None)


async def within(seconds: float, asking: Awaitable[Reply]) -> Reply:
    """The reply, if it comes within ``seconds``; ``Trouble`` otherwise."""
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            return await asking
    except TimeoutError as error:
        raise Trouble("no answer in time") from error


class Selector(Protocol):
    identity: str

    async def select(self, brief: SelectBrief) -> Reply: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionKey:
    """All that a selection depends on; the prompt in the one form of its equals."""

    tenant: str
    exposure: str
    prompt: str
    version: str
    candidates: str  # a hash of the business metadata offered and of the model


class SelectionCache(Protocol):
    """Chosen source ids by key. Trouble is a miss, never an error."""

    async def get(self, key: SelectionKey) -> tuple[str, ...] | None:
        """The ids kept under ``key``, in a bounded time."""
        ...

    def put(self, key: SelectionKey, ids: tuple[str, ...]) -> None:
        """Returns at once, so that keeping an answer never costs the answer its deadline."""
        ...


class Planner(Protocol):
    identity: str

    async def plan(self, brief: PlanBrief) -> Reply: ...


class Reranker(Protocol):
    identity: str

    async def rerank(self, brief: RerankBrief) -> Reply: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What an engine can do; its strategies are stated to the planner, and the validator enforces
    them. ``snapshots``: several queries of an invocation can see one state of the data.
    ``leaves_out``: its index does not hold the stop words of a mapping's language."""

    strategies: frozenset[Strategy]
    snapshots: bool = False
    leaves_out: bool = False


class Provider(Protocol):
    """An engine that runs sealed queries, and nothing else."""

    capabilities: Capabilities

    async def run(self, query: ValidatedQuery) -> Hits | Failed: ...


class Governance(Protocol):
    """The platform around the pipeline: who calls, and what may he? It asks no model and no source.

    Both raise ``Refused``: ESRA_UNAUTHENTICATED, and ESRA_FORBIDDEN with one text for an exposure
    that is not there, not published or not his.
    """

    async def authenticate(self, token: str | None) -> Principal:
        """The principal behind a bearer token; None stands for a local caller over stdio."""
        ...

    async def authorize(self, principal: Principal, exposure: str) -> Caller:
        """The caller of one exposure, with what policy grants him there."""
        ...

    async def visible(self, principal: Principal) -> tuple[Exposure, ...]:
        """The exposures this principal may call, in the catalog's order."""
        ...


class Audit(Protocol):
    """Append-only. A write that fails raises ``AuditUnavailable``."""

    def write(self, records: Sequence[Mapping[str, object]]) -> None: ...


class AuditUnavailable(Exception):
    """The audit sink did not take the records."""


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        ...


class TraceSink(Protocol):
    """Takes one invocation's trace, as plain JSON values."""

    def write(self, trace: Mapping[str, object]) -> None: ...


# (prompt, source ids) -> how far each source's own words speak for the prompt, 0..1 (RULINGS 47);
# a source about which nothing is known is left out.
Evidence = Callable[[str, Sequence[str]], Mapping[str, float]]


def no_evidence(prompt: str, sources: Sequence[str]) -> Mapping[str, float]:
    """Nothing is known of any source."""
    return {}


class Gates(Protocol):
    """Bounds how many commands run at a time over all invocations."""

    def hold(self, source: Source) -> AbstractAsyncContextManager[None]:
        """A place for one command of this source, waited for in turn and given back at the end."""
        ...


class OpenGates:
    """No bound but the invocation's own."""

    def hold(self, source: Source) -> AbstractAsyncContextManager[None]:
        return nullcontext()


# One try of one query at its engine.
Attempt = Callable[[], Awaitable[Hits | Failed]]
Hear = Callable[[BreakerChange], None]


class Resilience(Protocol):
    """Stands between a query and a source in trouble: retry, breaker and timeout, per source."""

    async def run(self, source: Source, attempt: Attempt, seconds: float) -> Hits | Failed:
        """The answer within ``seconds``, else TIMEOUT; CIRCUIT_OPEN where nobody was asked."""
        ...

    def changes(self) -> tuple[BreakerChange, ...]:
        """What became of the breakers since this was last asked; each change is told once."""
        ...

    def listen(self, hear: Hear) -> None:
        """Tells ``hear`` of every change from now on, as it happens."""
        ...


class Unprotected:
    """One attempt a query, within its time."""

    async def run(self, source: Source, attempt: Attempt, seconds: float) -> Hits | Failed:
        try:
            async with asyncio.timeout(seconds):
                return await attempt()
        except TimeoutError:
            return Failed(code=FailureCode.TIMEOUT)

    def changes(self) -> tuple[BreakerChange, ...]:
        return ()

    def listen(self, hear: Hear) -> None:
        """Nothing ever changes."""


class Step(StrEnum):
    """What happens in a call, in its order: governance's three, then the nine stages."""

    AUTHENTICATE = "authenticate"
    AUTHORIZE = "authorize"
    AUDIT = "audit"
    SCOPE = "scope"
    SELECT = "select"
    PLAN = "plan"
    VALIDATE = "validate"
    EXECUTE = "execute"
    NORMALIZE = "normalize"
    AGGREGATE = "aggregate"
    RERANK = "rerank"
    RESPOND = "respond"


# Opened around each step; an observer learns that it happens, and nothing of what passes through.
Watch = Callable[[Step], AbstractContextManager[None]]


def unwatched(step: Step) -> AbstractContextManager[None]:
    """Nobody looks."""
    return nullcontext()


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The pipeline's surroundings. ``selectors`` and the like are keyed by the form's name."""

    catalog: Catalog
    providers: Mapping[str, Provider]
    audit: Audit
    clock: Clock
    selectors: Mapping[str, Selector] = field(default_factory=dict)
    planners: Mapping[str, Planner] = field(default_factory=dict)
    rerankers: Mapping[str, Reranker] = field(default_factory=dict)
    evidence: Evidence = no_evidence
    traces: TraceSink | None = None
    gates: Gates = field(default_factory=OpenGates)
    resilience: Resilience = field(default_factory=Unprotected)
    retention: Retention = Retention.KEYED_HASH
    prompt_key: bytes = field(default=b"", repr=False)  # empty: one of this process's own
    selections: SelectionCache | None = None  # None: every selection is asked
    watch: Watch = unwatched
