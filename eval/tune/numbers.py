"""Tunes any number of a capability, or several at once, as ``verdict`` tunes the semantic share.

What cannot be learned is said first, and the smallest difference that each of the others can show.
One number is decided along all its stops. Several are climbed together on the development part
alone, and decided along the straight way from today's numbers to where the climb ended; their
held-out estimate climbs again for every fold.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np

from esra.domain.capability import Scoring
from eval import bulk, publish
from eval.command import Expected
from eval.evidence import Decision, Estimate, Ledger, Scores, decide, split
from eval.evidence.promote import due
from eval.evidence.propose import GROUPS_A_PARAMETER, LEAST_COVERAGE
from eval.search.across import cross_fitted
from eval.search.ascent import ascend
from eval.search.cost import queries_a_call
from eval.search.first import asked_for, can_show, shows, told_apart
from eval.search.learnable import report
from eval.search.part import part
from eval.search.tunables import Tunable
from eval.search.ways import Way, along, towards
from eval.tune.judged import Judged, shares
from eval.tune.material import Material
from eval.tune.predicted import Again, as_predicted
from eval.tune.turned import Turned
from eval.tune.verdict import Case

ALL = "all"
Say = Callable[[str], None]


class NothingToLearn(Expected):
    """No asked number can be learned from this recording; the message says why of each."""


def turn(
    case: Case,
    names: Sequence[str],
    ledger: Ledger,
    promoted: Path,
    candidate: Path,
    say: Say = lambda text: None,
    again: Again | None = None,
    processes: int = 1,
) -> Turned:
    """Decides, and writes the promoted revision or the candidate.

    processes: that climb for the held-out estimate; -1 is one a core
    """
    if not case.explore:
        ledger.require(publish.named_heads(promoted, candidate))
    over = Material.of(case)
    turned, lost = _known(over, names, say)
    ways = [_from_today(along(over.today, one), over.today) for one in turned]
    tables = [over.scores(way) for way in ways]
    level = due(tables[0], split(tables[0]), None if case.explore else ledger)
    found = [shows(way, scores, level) for way, scores in zip(ways, tables, strict=True)]
    told = can_show(tables[0], found, level)
    say(f"{case.capability}: {told}")
    if len(turned) == 1:
        chosen = _Chosen(way=ways[0], scores=tables[0])
    else:
        chosen = _climbed(over, turned, processes, say)
    decision = _decide(over, chosen, ledger, again)
    way = chosen.way
    numbers = way.numbers(Fraction(decision.setting))
    judged = _judged(over, numbers)
    return Turned(
        case=case,
        way=way,
        decision=decision,
        numbers=numbers,
        config=_write(case, chosen, decision, numbers, judged, promoted, candidate),
        unlearnable=tuple(lost),
        can_show=(told, dict(found)),
        queries=tuple(queries_a_call(case.recordings, [way.numbers(x) for x in way.settings])),
        tried=chosen.tried,
        unknown=_unknown(over, numbers),
        judged=judged,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """The way to decide along. estimate: the held-out one of a climb; tried: points of it."""

    way: Way
    scores: Scores
    estimate: Estimate | None = None
    tried: int = 0


def _climbed(over: Material, turned: Sequence[Tunable], processes: int, say: Say) -> _Chosen:
    """The straight way from today's numbers to where a climb over several ends."""
    say(f"{over.case.capability}: climbing over {', '.join(str(one) for one in turned)}")
    _warn_of_many(over, len(turned), say)
    climbed = ascend(
        *part(over.laid, over.labels, over.looked_at),
        over.today,
        turned,
        rng=np.random.default_rng(1),
    )
    way = towards(over.today, climbed.numbers, turned)
    scores, estimate = over.scores(way), None
    if len(way.settings) > 1:
        estimate = cross_fitted(
            over.laid,
            over.labels,
            over.today,
            turned,
            split(scores).development,
            over.looked_at,
            processes=processes,
            say=say,
        )
    return _Chosen(way=way, scores=scores, estimate=estimate, tried=climbed.tried)


def _from_today(way: Way, today: Scoring) -> Way:
    """The way with today's stop as it is in force, to the last bit."""
    own = way.settings[way.today]
    return replace(way, numbers=lambda x: today if x == own else way.numbers(x))


def _known(over: Material, names: Sequence[str], say: Say) -> tuple[list[Tunable], list[str]]:
    """What can be learned; what cannot is said, a line each."""
    case = over.case
    own = case.own or over.today
    asked = asked_for(over.laid, own, None if ALL in names else names)
    turned, reasons = told_apart(
        over.laid,
        over.labels,
        case.recordings,
        over.today,
        own,
        asked,
        over.looked_at,
        mixed=case.mixed,
    )
    lost = report(reasons)
    for line in lost:
        say(f"{case.capability}: {line}")
    if not turned:
        raise NothingToLearn("; ".join(lost), cannot_be_learned=lost)
    return turned, lost


def _warn_of_many(over: Material, count: int, say: Say) -> None:
    queries = zip(over.laid.queries, over.looked_at, strict=True)
    groups = {over.case.groups[query] for query, ok in queries if ok}
    allowed = max(1, len(groups) // GROUPS_A_PARAMETER)
    if count > allowed:
        say(f"  {count} numbers at once: {len(groups)} groups allow {allowed}, so this is a look")


def _unknown(over: Material, numbers: Scoring) -> tuple[float, float]:
    """Mean of the development part with the scores that are not recorded at 0 and at 1."""
    own = over.looked_at[over.labels.measured]
    low, high = (
        float(bulk.ndcg(bulk.order(over.laid, numbers, assumed, cut=True), over.labels)[own].mean())
        for assumed in ((0.0, 1.0) if over.asks else (None, None))
    )
    return low, high


def _judged(over: Material, numbers: Scoring) -> Judged:
    case, laid = over.case, over.laid
    today, setting = (
        shares(laid, case.judgements, bulk.order(laid, arm, cut=True), case.k)[
            over.looked_at
        ].mean()
        for arm in (over.today, numbers)
    )
    return Judged(k=case.k, today=float(today), setting=float(setting))


def _decide(over: Material, chosen: _Chosen, ledger: Ledger, again: Again | None) -> Decision:
    case, way, scores = over.case, chosen.way, chosen.scores
    coverage = [
        bulk.coverage(over.laid, way.numbers(setting)) if over.asks else 1.0
        for setting in way.settings
    ]
    unknown = min(coverage) < LEAST_COVERAGE
    bounds = [over.scores(way, assumed).values for assumed in (0.0, 1.0)]
    tried = _tried(way, scores)
    return decide(
        scores,
        ledger=None if case.explore else ledger,
        lineage_inputs={"data": case.data, "recording": case.recording},
        candidate_hash_of=lambda setting: publish.candidate_hash(
            _claim(case, way.numbers(Fraction(setting))), tried
        ),
        coverage=coverage,
        now=datetime.now(UTC),
        lower_bound_values=bounds if unknown else None,
        explore=case.explore,
        parameters=way.parameters,
        estimate=chosen.estimate,
        as_predicted=lambda setting: as_predicted(
            over.laid,
            over.labels,
            way.numbers(Fraction(setting)),
            scores,
            again,
            recordings=case.recordings,
            judgements=case.judgements,
        ),
        told=way.told,
    )


def _tried(way: Way, scores: Scores) -> str:
    """SHA-256 of what a candidate is tried on: its way, and every figure of the table."""
    told = sha256(f"{way.name}\n{scores.settings}\n{way.today}".encode())
    told.update(scores.values.tobytes())
    return told.hexdigest()


def _claim(case: Case, numbers: Scoring) -> dict[str, object]:
    own = case.own or case.recordings[0].numbers
    return publish.body_of(case.capability, numbers, own, case.models, case.data)


def _write(
    case: Case,
    chosen: _Chosen,
    decision: Decision,
    numbers: Scoring,
    judged: Judged,
    promoted: Path,
    candidate: Path,
) -> Path:
    way = chosen.way
    facts = {
        **decision.as_json(),
        "way": way.name,
        "against": case.against,
        "asked": list(case.asked),
        "unasked": case.unasked,
        "told": {"today": way.told(way.settings[way.today]), "setting": way.told(decision.setting)},
        "judged": judged.as_json(),
        "notes": [*decision.notes, *judged.notes, *case.doubts],
        "recording": case.recording,
        "tried": _tried(way, chosen.scores),
        "date": datetime.now(UTC).date().isoformat(),
    }
    claim = _claim(case, numbers)
    if decision.promoted:
        return publish.promote(promoted, claim, facts)
    name = "explored.json" if case.explore else candidate.name
    return publish.write_candidate(candidate.with_name(name), claim, facts)
