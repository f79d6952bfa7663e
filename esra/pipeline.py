"""retrieve(): what happens between an AI client's call and its results. Start here.

Each stage is one file of its own name under ``stages/``; each returns a value with what there is
to say about it; the ledger keeps the words. ``house.watch`` hears when each begins and ends.
"""

from esra.deadline import EXECUTE, PLAN, RERANK, SELECT, Deadline
from esra.domain.codes import ErrorCode
from esra.domain.invocation import Call
from esra.domain.outcome import Refused
from esra.domain.response import Response
from esra.governance.admission import Admitted
from esra.governance.cache import remembering
from esra.governance.closing import close
from esra.ledger import Ledger
from esra.ports import House, Step
from esra.stages.aggregate import aggregate
from esra.stages.execute import execute
from esra.stages.normalize import normalize
from esra.stages.plan import plan_searches
from esra.stages.rerank import rerank
from esra.stages.respond import respond
from esra.stages.scope import resolve_scope
from esra.stages.select import admit_selection, select_sources
from esra.stages.validate import validate_plans
from esra.trace import Seen


async def retrieve(admitted: Admitted, house: House) -> Response:
    """The response to an admitted call; ``Refused`` carries one of the closed error codes."""
    call, ledger = admitted.call, Ledger()
    try:
        response, seen = await _stages(call, house, ledger)
    except Refused as refused:
        ledger.facts.extend(refused.facts)
        close(call, house, ledger, error=refused.code)
        raise
    except BaseException:
        close(call, house, ledger, error=ErrorCode.INTERNAL)
        raise
    close(call, house, ledger, response=response, seen=seen)
    return response


async def _stages(call: Call, house: House, ledger: Ledger) -> tuple[Response, Seen]:
    providers, watch = house.providers, house.watch
    time = Deadline(house.clock.monotonic, call.seconds)
    with watch(Step.SCOPE):
        scope = ledger.take(resolve_scope(call, house.catalog))
    numbers = scope.scoring
    selectors = remembering(
        house.selectors,
        house.selections,
        admit_selection,
        call=call,
        version=scope.version,
        retention=house.retention,
    )
    with watch(Step.SELECT):
        chosen = ledger.take(await select_sources(call, scope, selectors, time.part(SELECT)))
    with watch(Step.PLAN):
        plans = ledger.take(
            await plan_searches(call, scope, chosen, house.planners, providers, time.part(PLAN))
        )
    with watch(Step.VALIDATE):
        queries = ledger.take(validate_plans(call, plans, chosen, scope, providers))
    with watch(Step.EXECUTE):
        answers = ledger.take(
            await execute(
                queries,
                chosen,
                providers,
                house.gates,
                house.resilience,
                scope.limits,
                house.clock,
                time.part(EXECUTE),
            )
        )
    evidence = house.evidence(call.prompt, [scoped.source.id for scoped in chosen])
    with watch(Step.NORMALIZE):
        scored = ledger.take(normalize(answers, numbers, call.now, evidence))
    with watch(Step.AGGREGATE):
        candidates = ledger.take(aggregate(scored, numbers))
    with watch(Step.RERANK):
        ranking = ledger.take(
            await rerank(call, scope, candidates, house.rerankers, time.part(RERANK))
        )
    with watch(Step.RESPOND):
        response = respond(
            call, scope, ranking.ranked, ranking.ordered_by, ledger.warnings, ledger.notices
        )
    return response, Seen(
        scope=scope,
        chosen=chosen,
        plans=plans,
        answers=answers,
        evidence=evidence,
        ranking=ranking,
        calls=tuple(ledger.asked),
    )
