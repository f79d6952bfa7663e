"""What every door does with a call: govern and run it, time it, and turn any trouble into a value.

MCP and HTTP differ in how they read and write; between the two stands ``Door.ask``, so that no
door can forget to count, to trace, or to catch.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from opentelemetry.context import Context
from opentelemetry.trace import Tracer

from esra.domain.capability import Catalog, Exposure
from esra.domain.invocation import Mode, Principal
from esra.governance.denial import record_denial
from esra.ports import Governance, House, Step
from esra.serve.arguments import Arguments
from esra.serve.counted import CountedAudit
from esra.serve.faults import fault_of
from esra.serve.invoke import Ask, invoke
from esra.serve.metrics import Metrics
from esra.serve.spans import Name, Spans, ended
from esra.serve.wire import Answer, Fault, answer_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call as it came in. ``token`` None is a local caller, "" one who brought none.

    ``read`` gives its exposure's arguments, or raises ``Refused``; it is called inside, so that a
    call that cannot be read is counted like any other.
    """

    token: str | None
    slug: str
    read: Callable[[], Arguments]
    correlation: str
    name: str  # of the span
    known: Mapping[Name, str]  # attributes of the span
    context: Context | None = None


class Door:
    """``seconds`` is the whole time of one call."""

    def __init__(
        self,
        house: House,
        governance: Governance,
        *,
        seconds: float = 30.0,
        tracer: Tracer | None = None,
    ) -> None:
        self.metrics, self.spans = Metrics(house.catalog), Spans(tracer)
        audit = CountedAudit(house.audit, self.metrics)
        self._house = replace(house, watch=self._watch, audit=audit)
        house.resilience.listen(self.metrics.hear)
        self._governance, self._seconds = governance, seconds

    @property
    def catalog(self) -> Catalog:
        return self._house.catalog

    @property
    def house(self) -> House:
        """What the next call will meet."""
        return self._house

    def order_by(self, catalog: Catalog) -> None:
        """Calls from now on meet this catalog; a call that runs keeps the house it began with.

        Sources and exposures are those of before: who may call, and what is counted, stay.
        """
        self._house = replace(self._house, catalog=catalog)

    @contextmanager
    def _watch(self, step: Step) -> Iterator[None]:
        with self.spans.step(step), self.metrics.step(step):
            yield

    async def ask(self, asked: Asked) -> Answer | Fault:
        """The answer, or why there is none. Only cancellation and the end of the process pass."""
        slug = asked.slug
        known = {**asked.known, Name.EXPOSURE: self.metrics.exposure(slug)}
        known[Name.CORRELATION] = asked.correlation
        with (
            self.metrics.call(slug),
            self.spans.call(asked.name, asked.context, known) as span,
        ):
            try:
                answer = await self._answer(asked)
            except Exception as trouble:
                fault = fault_of(trouble, asked.correlation)
                self.metrics.ended(slug, "refused", error=fault.code)
                ended(span, "refused", fault.code)
                return fault
            except BaseException:
                self.metrics.ended(slug, "cancelled")
                ended(span, "cancelled", "cancelled")
                raise
            self.metrics.ended(slug, answer.status)
            ended(span, answer.status)
            return answer

    async def _answer(self, asked: Asked) -> Answer:
        arguments = asked.read()
        ask = Ask(
            exposure=asked.slug,
            prompt=arguments.prompt,
            limit=arguments.limit,
            mode=Mode(arguments.mode),
            seconds=self._seconds,
            correlation=asked.correlation,
        )
        response = await invoke(asked.token, ask, self._house, self._governance)
        self.metrics.warned(asked.slug, response.warnings)
        return answer_of(response, asked.correlation)

    async def visible(self, token: str | None) -> tuple[Exposure, ...]:
        """What this caller may use, in the catalog's order; ``Refused`` if nobody is known."""
        principal = await self._governance.authenticate(token)
        return await self._governance.visible(principal)

    async def known(self, token: str | None, correlation: str) -> Principal:
        """Who stands at a network's threshold; whoever is turned away there is written down too."""
        try:
            return await self._governance.authenticate(token)
        except Exception as trouble:
            record_denial(
                self._house, trouble, correlation=correlation, exposure="", principal=None
            )
            raise
