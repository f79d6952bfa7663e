"""The one way from a door to the pipeline: govern, then retrieve.

In this order: authenticate, authorize, admit (the audit's begin record), retrieve. A caller who is
turned away costs no model call, no connection and no begin record; that it happened is audited
with the true reason and without the prompt. One correlation id stands in every record.
"""

import re
import secrets
from dataclasses import dataclass

from esra.domain.invocation import Caller, Mode, Principal, Request
from esra.domain.response import Response
from esra.governance.admission import admit
from esra.governance.denial import record_denial
from esra.pipeline import retrieve
from esra.ports import Governance, House, Step

# It stands in logs and headers of others, so it holds nothing that could break a line there.
CORRELATION = re.compile(r"\A[A-Za-z0-9][A-Za-z0-9._:-]{0,127}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a door was asked. ``exposure`` is a slug, ``seconds`` the whole invocation's time.

    ``correlation`` is the client's own id of the call; an empty or odd one is replaced.
    """

    exposure: str
    prompt: str
    limit: int = 10
    mode: Mode = Mode.BRIEF
    seconds: float = 10.0
    correlation: str = ""


async def invoke(token: str | None, ask: Ask, house: House, governance: Governance) -> Response:
    """The response to one call; ``Refused`` carries one of the closed error codes.

    ``token`` None stands for a local caller. Over a network a missing token is "", never None.
    """
    correlation = correlation_of(ask.correlation)
    caller = await _governed(token, ask.exposure, house, governance, correlation)
    request = Request(
        exposure=ask.exposure,
        prompt=ask.prompt,
        caller=caller,
        limit=ask.limit,
        mode=ask.mode,
        seconds=ask.seconds,
        correlation=correlation,
    )
    with house.watch(Step.AUDIT):
        admitted = admit(request, house)
    return await retrieve(admitted, house)


def correlation_of(given: str) -> str:
    """The id a client gave, where it is fit to be written down; a fresh one otherwise."""
    return given if CORRELATION.match(given) else secrets.token_hex(8)


async def _governed(
    token: str | None, exposure: str, house: House, governance: Governance, correlation: str
) -> Caller:
    principal: Principal | None = None
    try:
        with house.watch(Step.AUTHENTICATE):
            principal = await governance.authenticate(token)
        with house.watch(Step.AUTHORIZE):
            return await governance.authorize(principal, exposure)
    except Exception as trouble:
        # A bug in governance is a refusal too: nothing runs, and the audit knows.
        record_denial(
            house, trouble, correlation=correlation, exposure=exposure, principal=principal
        )
        raise
