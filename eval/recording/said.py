"""How a recording went, in words and as the document of ``record --json``."""

from pathlib import Path

from eval.command import DEGRADED, OK, Done
from eval.misses import Known
from eval.misses.known import silence
from eval.misses.table import ASK
from eval.recording.about import About
from eval.recording.claims import words
from eval.recording.expect import Expected
from eval.recording.noise import Noise
from eval.recording.session import Session

NAMED = 10


def dry(folder: Path, expected: Expected) -> Done:
    """What a recording would cost; nothing was asked of a model."""
    document = {"run": str(folder), "expected": expected.as_json()}
    return Done(document=document, text=expected.line())


def done(
    folder: Path,
    told: About,
    went: Session,
    questions: int,
    floor: Noise | None,
    known: Known,
) -> Done:
    """``questions`` were wanted; ``floor`` is there where the recording was repeated."""
    recorded = questions - len(went.missing)
    lines = [
        f"{told.arm}: {recorded} of {questions} questions recorded",
        f"  paid     {_paid(went)}",
    ]
    again, unknown = "; the same command", went.bill.unknown
    failed = len({*went.degraded, *went.in_repeats})
    for name, text in (
        ("unknown", f"{unknown} askings whose cost nobody told" * bool(unknown)),
        ("stopped", went.stopped and f"{went.stopped}{again} goes on"),
        ("degraded", f"{failed} questions{again} asks them" * bool(failed)),
        ("known", _looked(known)),
        ("as of", told.as_of),
        ("caller", "; ".join(words(told.claims))),
        ("", _filled(went, questions)),
        ("noise", floor.line() if floor else ""),
        ("run", str(folder)),
        ("next", f"./workbench measure {folder}"),
    ):
        lines += [f"  {name:8} {text}"] if text else []
    document = {
        "arm": told.arm,
        "run": str(folder),
        "status": "partial" if went.partial else "complete",
        "questions": questions,
        "recorded": recorded,
        "missing": list(went.missing),
        "degraded": went.degraded,
        "degraded_in_repeats": list(went.in_repeats),
        "stopped": went.stopped,
        "expected": went.expected.as_json(),
        "paid": _plain(went),
        "as_of": told.as_of,
        "claims": {name: list(own) for name, own in told.claims.items()},
        "filled_by_later": {query: list(sources) for query, sources in went.filled.items()},
        "noise": floor.as_json() if floor else None,
        "known": _counts(known),
        "silent": sorted(known.silent),
    }
    return Done(document=document, text="\n".join(lines), code=DEGRADED if went.partial else OK)


def _looked(known: Known) -> str:
    found = _counts(known)
    behind = found["matched"] + found["unmatched"]
    told = (
        f"{found['matched']} of {behind} right documents behind a row cap match" * bool(behind),
        f"of {found['unsaid']} behind one it is not known: {ASK}" * bool(found["unsaid"]),
        f"{found['hidden']} right documents are hidden from the caller" * bool(found["hidden"]),
        f"{found['absent']} are not in their source" * bool(found["absent"]),
        silence(known),
    )
    return "; ".join(filter(None, told))


def _counts(known: Known) -> dict[str, int]:
    return {
        "hidden": len(known.hidden),
        "absent": len(known.absent),
        "matched": sum(map(len, known.matched.values())),
        "unmatched": sum(map(len, known.unmatched.values())),
        "unsaid": sum(map(len, known.unsaid.values())),
    }


def _filled(went: Session, questions: int) -> str:
    """A warning: below such an answer there may be records that a query of its date had found."""
    if not went.filled:
        return ""
    named = ", ".join(map(repr, list(went.filled)[:NAMED]))
    rest = ", ..." if len(went.filled) > NAMED else ""
    return (
        f"warning: in {len(went.filled)} of {questions} questions later records filled the "
        f"answer of a source, and what stood below is lost: {named}{rest}"
    )


def _paid(went: Session) -> str:
    paid = went.bill.paid
    cost = "" if paid.cost is None else f", {paid.cost:.4g} by the price"
    return (
        f"{paid.calls} calls, {paid.tokens_in:,} tokens in, {paid.tokens_out:,} out{cost}; "
        f"{went.bill.kept} askings answered from what was kept"
    )


def _plain(went: Session) -> dict[str, object]:
    paid = went.bill.paid
    return {
        "calls": paid.calls,
        "tokens_in": paid.tokens_in,
        "tokens_out": paid.tokens_out,
        "cost": paid.cost,
        "unknown": went.bill.unknown,
        "kept": went.bill.kept,
    }
