"""Why a right document is not in the answer: exactly one cause each.

Causes stand in the order of the stages; the first that holds is *the* cause, since nothing after
it had a chance. A trace tells nearly all of them. Whether a document that a filled row cap kept out
had matched at all, no trace can tell: the engine is asked, with the plan's own queries, when it is
recorded (``eval.recording.engines``). To compare the words of question and document here instead
would be a second opinion on what matches: each engine has its own stemmer and its own stop words.
Nor can it tell a document that did not match from one that is hidden or gone. Where nobody asked,
or no engine could say, the miss is counted apart, and not guessed.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from eval.misses.known import Known, Record

Trace = Mapping[str, Any]
TIMEOUT, TRUNCATED, MORE = "TIMEOUT", "RESPONSE_TRUNCATED", "HAS_MORE"


class Cause(StrEnum):
    HIDDEN = "hidden from this caller"
    ABSENT = "not in its source"
    LATER = "dated after its question"
    NOT_IN_SCOPE = "source not in scope"
    NOT_SELECTED = "source not selected"
    NOT_PLANNED = "source not planned"
    REJECTED = "every query rejected"
    FAILED = "source failed"
    PAST_DEADLINE = "past the deadline"
    NO_TERM_MATCHED = "no term matched"
    NOT_KNOWN = "not found, why is not known"
    BELOW_ROW_CAP = "matched below the row cap"
    MERGED_AWAY = "merged away or discarded"
    NOT_ASKED = "not shown to the model"
    OMITTED = "omitted by the model"
    BELOW_K = "ranked below k"
    CUT_BY_LIMIT = "cut by the answer's limit"
    CUT_BY_SIZE = "cut by size"
    MASKED = "masked"


def cause(trace: Trace, query: str, record: Record, k: int, known: Known) -> Cause | None:
    """Why ``record`` is not among the first ``k`` results; None where it is."""
    source = record[0]
    if record in known.hidden:
        return Cause.HIDDEN
    if record in known.absent:
        return Cause.ABSENT
    if record in known.later.get(query, ()):
        return Cause.LATER
    if source not in trace["scope"]:
        return Cause.NOT_IN_SCOPE
    if source not in trace["chosen"]:
        return Cause.NOT_SELECTED
    order = list(ranking(trace))
    if record in order:
        return _after_ranking(trace, record, order.index(record), k, known)
    return _before_ranking(trace, query, record, known)


def ranking(trace: Trace) -> dict[Record, list[Any]]:
    """The best row of each record in the order of the answer: two relations of a source may hold
    one key, and labels know no relation.
    """
    found: dict[Record, list[Any]] = {}
    for row in trace["ranking"]:
        found.setdefault((row[0], row[2]), row)
    return found


def sent(trace: Trace) -> tuple[Record, ...]:
    """What left the house, in its order, each record once."""
    return tuple(dict.fromkeys((row[0], row[2]) for row in trace["ranking"][: trace["shown"]]))


def answers_of(trace: Trace, source: str) -> list[Mapping[str, Any]]:
    """Of every query that ran at a source."""
    return [answer for answer in trace["answers"] if answer["source"] == source]


def found_by(trace: Trace, record: Record) -> bool:
    """Whether a row of some answer is the record."""
    answers = answers_of(trace, record[0])
    return any(row[1] == record[1] for answer in answers for row in answer.get("rows", ()))


def _before_ranking(trace: Trace, query: str, record: Record, known: Known) -> Cause:
    source = record[0]
    plans = [plan for plan in trace["plans"] if plan["source"] == source and plan["strategies"]]
    answers = answers_of(trace, source)
    if not plans:
        return Cause.NOT_PLANNED
    if not answers:
        return Cause.REJECTED
    if found_by(trace, record):
        return Cause.MERGED_AWAY
    failed = [answer["failed"] for answer in answers if "failed" in answer]
    if failed:
        return Cause.PAST_DEADLINE if set(failed) == {TIMEOUT} else Cause.FAILED
    full = any(answer["capped"] for answer in answers)
    if full and known.matches(query, record):
        return Cause.BELOW_ROW_CAP
    if record in known.sought and (not full or known.matches(query, record) is False):
        return Cause.NO_TERM_MATCHED
    return Cause.NOT_KNOWN


def _after_ranking(trace: Trace, record: Record, place: int, k: int, known: Known) -> Cause | None:
    row = ranking(trace)[record]
    if place < k:
        if record in sent(trace):
            return Cause.MASKED if (row[0], row[1]) in known.masked else None
        return (
            Cause.CUT_BY_SIZE if trace["ranking"].index(row) < _most(trace) else Cause.CUT_BY_LIMIT
        )
    if trace["ordered_by"] == "final":
        if row[3] == "not asked":
            return Cause.NOT_ASKED
        if row[3] == "omitted":
            return Cause.OMITTED
    return Cause.BELOW_K


def _most(trace: Trace) -> int:
    """How many results the limit let through, before the size cap cut any.

    The last result that fits may be one whose text was shortened; the notice counts it among those
    that were cut, so that the first one behind the limit then passes for one of them.
    """
    counts = {one["code"]: one["count"] for one in trace["notices"]}
    if TRUNCATED not in counts:
        return trace["shown"]
    if MORE not in counts:
        return len(trace["ranking"])
    return trace["shown"] + counts[TRUNCATED]
