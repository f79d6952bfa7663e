"""Cuts the answer: top-K, field allowlist, then masking, then size cap (stage 8). Pure.

Errors need no sanitising here: no record that reaches this stage can hold driver text.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, replace

from esra.domain.codes import NoticeCode
from esra.domain.hit import Given, Match, NotAsked, Omitted, Ranked, RecordId
from esra.domain.invocation import Call, Mode
from esra.domain.outcome import Note, Warn
from esra.domain.ranking import OrderedBy
from esra.domain.response import Factors, Response, Result
from esra.domain.scope import Scope
from esra.domain.source import Field, Mapping, Masking


def respond(
    call: Call,
    scope: Scope,
    ranked: tuple[Ranked, ...],
    ordered_by: OrderedBy,
    warnings: Sequence[Warn],
    notices: Sequence[Note],
) -> Response:
    """The response; its status follows from its warnings."""
    most = min(call.limit, scope.limits.results)
    results = [_result(call, scope, one) for one in ranked[:most]]
    kept, cut = _within(results, scope.limits.size)
    said = list(notices)
    if call.limit > scope.limits.results:
        said.append(Note(code=NoticeCode.SETTING_CLAMPED, detail="limit"))
    if len(ranked) > most:
        said.append(Note(code=NoticeCode.HAS_MORE))
    if cut:
        said.append(Note(code=NoticeCode.RESPONSE_TRUNCATED, count=cut))
    return Response(
        invocation=call.id,
        results=tuple(kept),
        warnings=tuple(warnings),
        notices=tuple(said),
        ordered_by=ordered_by,
        configuration=scope.revision,
    )


def _result(call: Call, scope: Scope, ranked: Ranked) -> Result:
    hit = ranked.candidate.hit
    source = next(s.source for s in scope.sources if s.source.id == hit.id.source)
    mapping = next(m for m in source.mappings if m.id == hit.id.relation)
    return Result(
        id=_opaque(call, hit.id),
        source=source.id,
        title=hit.title,
        fragment=hit.fragment,
        score=ranked.final,
        fields=allowed_and_masked(hit.fields, mapping),
        factors=_factors(ranked) if call.mode is Mode.EXPLAIN else None,
    )


def _opaque(call: Call, record: RecordId) -> str:
    # Not the id the reranker saw: what a model's log holds must not name a caller's result.
    text = "\0".join(("result", call.salt, call.id, record.source, record.relation, record.key))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def allowed_and_masked(
    fields: Sequence[tuple[str, object]], mapping: Mapping
) -> tuple[tuple[str, object], ...]:
    """Returnable, unrestricted fields only, and masked before anything is cut."""
    allowed = {f.name: f for f in mapping.fields if f.returnable and not f.restricted}
    return tuple((name, mask(value, allowed[name])) for name, value in fields if name in allowed)


def mask(value: object, field: Field) -> object:
    """The value as its field's masking lets it be seen."""
    match field.masking:
        case Masking.NONE:
            return value
        case Masking.ALL:
            return "***"
        case Masking.LAST4:
            text = str(value)
            return "***" + text[-4:] if len(text) > 8 else "***"


def _within(results: list[Result], size: int) -> tuple[list[Result], int]:
    """(the results whose JSON fits into ``size`` bytes, how many were cut or shortened).

    The first that does not fit is shortened at the end of its fragment, if that is enough.
    """
    kept: list[Result] = []
    left = size
    for result in results:
        left -= _bytes(result)
        if left < 0:
            short = _shortened(result, -left)
            kept += [] if short is None else [short]
            return kept, len(results) - len(kept) + (short is not None)
        kept.append(result)
    return kept, 0


def _bytes(result: Result) -> int:
    """Bytes of the result as JSON, every character outside ASCII escaped: the longest form."""
    return len(json.dumps(asdict(result), default=str)) + 2


def _shortened(result: Result, excess: int) -> Result | None:
    """The result with the end of its fragment cut, on a character boundary; None: not enough."""
    fragment = result.fragment
    # A character is twelve bytes of JSON at the most, so that this many go in one step.
    while fragment and len(json.dumps(result.fragment)) - len(json.dumps(fragment)) < excess:
        fragment = fragment[: min(len(fragment) - 1, len(fragment) - excess // 12)]
    return replace(result, fragment=fragment) if fragment else None


def _factors(ranked: Ranked) -> Factors:
    semantic: float | None
    match ranked.semantic:
        case Given(value=value):
            semantic, state = value, "given"
        case Omitted():
            semantic, state = None, "omitted"
        case NotAsked():
            semantic, state = None, "not asked"
    return Factors(
        matches=tuple(_match(match) for match in ranked.candidate.matches),
        bonus=ranked.candidate.bonus,
        weighted=ranked.candidate.weighted,
        semantic=semantic,
        semantic_state=state,
        final=ranked.final,
    )


def _match(match: Match) -> tuple[tuple[str, object], ...]:
    return (
        ("query", match.query),
        ("strategy", match.strategy.value),
        ("native", match.native),
        ("min", match.low),
        ("max", match.high),
        ("normalised", match.normalised),
        ("priority", match.priority),
        ("freshness", match.freshness),
        ("evidence", match.evidence),
        ("weighted", match.weighted),
    )
