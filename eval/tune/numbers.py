"""Tunes any number of a capability, or several at once, as ``verdict`` tunes the semantic share.

What cannot be learned is said first, and the smallest difference that each of the others can show.
One number is decided along all its stops. Several are climbed together on the development part
alone, and decided along the straight way from today's numbers to where the climb ended; their
held-out estimate climbs again for every fold.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np

from esra.domain.capability import Scoring
from eval import bulk, publish
from eval.bulk import Bulk, Floats, Labels
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
from eval.tune.predicted import Again, as_predicted
from eval.tune.turned import Turned
from eval.tune.verdict import Case, NothingToScore

ALL = "all"
Say = Callable[[str], None]


class NothingToLearn(ValueError):
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
    laid = bulk.lay_out(case.recordings)
    labels = bulk.label(laid, case.judgements, case.k)
    if not labels.measured.any():
        raise NothingToScore("no query that was run has a relevant document; nothing to tune on")
    today = case.numbers or case.recordings[0].numbers
    looked_at = _development(case, laid, labels)
    turned, lost = _known(case, laid, labels, today, names, looked_at, say)
    ways = [_from_today(along(today, one), today) for one in turned]
    tables = [_scores(case, laid, labels, way) for way in ways]
    level = due(tables[0], split(tables[0]), None if case.explore else ledger)
    found = [shows(way, scores, level) for way, scores in zip(ways, tables, strict=True)]
    told = can_show(tables[0], found, level)
    say(f"{case.capability}: {told}")
    estimate, tried = None, 0
    if len(turned) == 1:
        way, scores = ways[0], tables[0]
    else:
        say(f"{case.capability}: climbing over {', '.join(str(one) for one in turned)}")
        _warn_of_many(case, looked_at, laid, len(turned), say)
        climbed = ascend(
            *part(laid, labels, looked_at), today, turned, rng=np.random.default_rng(1)
        )
        way, tried = towards(today, climbed.numbers, turned), climbed.tried
        scores = _scores(case, laid, labels, way)
    if len(turned) > 1 and len(way.settings) > 1:
        estimate = cross_fitted(
            laid,
            labels,
            today,
            turned,
            split(scores).development,
            looked_at,
            processes=processes,
            say=say,
        )
    decision = _decide(case, laid, labels, way, scores, ledger, estimate, again)
    numbers = way.numbers(Fraction(decision.setting))
    judged = _judged(case, laid, (today, numbers), looked_at)
    path = _write(case, way, decision, numbers, judged, promoted, candidate)
    return Turned(
        case=case,
        way=way,
        decision=decision,
        numbers=numbers,
        config=path,
        unlearnable=tuple(lost),
        can_show=(told, dict(found)),
        queries=tuple(queries_a_call(case.recordings, [way.numbers(x) for x in way.settings])),
        tried=tried,
        unknown=_unknown(case, laid, labels, numbers, looked_at),
        judged=judged,
    )


def _from_today(way: Way, today: Scoring) -> Way:
    """The way with today's stop as it is in force, to the last bit."""
    own = way.settings[way.today]
    return replace(way, numbers=lambda x: today if x == own else way.numbers(x))


def _known(
    case: Case,
    laid: Bulk,
    labels: Labels,
    today: Scoring,
    names: Sequence[str],
    looked_at: np.ndarray,
    say: Say,
) -> tuple[list[Tunable], list[str]]:
    """What can be learned; what cannot is said, a line each."""
    own = case.own or today
    asked = asked_for(laid, own, None if ALL in names else names)
    turned, reasons = told_apart(
        laid, labels, case.recordings, today, own, asked, looked_at, mixed=case.mixed
    )
    lost = report(reasons)
    for line in lost:
        say(f"{case.capability}: {line}")
    if not turned:
        raise NothingToLearn("; ".join(lost))
    return turned, lost


def _development(case: Case, laid: Bulk, labels: Labels) -> np.ndarray:
    """[Q] the measured queries that may be looked at before an opening."""
    queries = [q for q, ok in zip(laid.queries, labels.measured, strict=True) if ok]
    groups = tuple(case.groups[query] for query in queries)
    blank = Scores(
        measure="", settings=(0,), values=np.zeros((len(groups), 1)), groups=groups, today=0
    )
    sealed = np.zeros(len(laid.queries), dtype=bool)
    sealed[labels.measured] = split(blank).sealed
    return labels.measured & ~sealed


def _warn_of_many(case: Case, looked_at: np.ndarray, laid: Bulk, count: int, say: Say) -> None:
    groups = {case.groups[q] for q, ok in zip(laid.queries, looked_at, strict=True) if ok}
    allowed = max(1, len(groups) // GROUPS_A_PARAMETER)
    if count > allowed:
        say(f"  {count} numbers at once: {len(groups)} groups allow {allowed}, so this is a look")


def _asks(case: Case) -> bool:
    """Whether a reranker is asked at all; where none is, no score can be unknown."""
    return bool(case.models.get("rerank"))


def _unknown(
    case: Case, laid: Bulk, labels: Labels, numbers: Scoring, looked_at: np.ndarray
) -> tuple[float, float]:
    """Mean of the development part with the scores that are not recorded at 0 and at 1."""
    own = looked_at[labels.measured]
    low, high = (
        float(bulk.ndcg(bulk.order(laid, numbers, assumed, cut=True), labels)[own].mean())
        for assumed in ((0.0, 1.0) if _asks(case) else (None, None))
    )
    return low, high


def _judged(case: Case, laid: Bulk, arms: tuple[Scoring, Scoring], looked_at: np.ndarray) -> Judged:
    today, setting = (
        shares(laid, case.judgements, bulk.order(laid, arm, cut=True), case.k)[looked_at].mean()
        for arm in arms
    )
    return Judged(k=case.k, today=float(today), setting=float(setting))


def _scores(
    case: Case, laid: Bulk, labels: Labels, way: Way, assumed: float | None = None
) -> Scores:
    measured = [q for q, ok in zip(laid.queries, labels.measured, strict=True) if ok]
    return Scores(
        measure=f"nDCG@{case.k}",
        settings=way.settings,
        values=figures(laid, labels, way, assumed),
        groups=tuple(case.groups[query] for query in measured),
        today=way.today,
        strata=tuple(case.strata.get(query, "") for query in measured),
        tags=tuple(case.tags.get(query, ()) for query in measured),
        texts=tuple(case.texts.get(query, "") for query in measured),
    )


def figures(laid: Bulk, labels: Labels, way: Way, assumed: float | None = None) -> Floats:
    """[measured queries, settings] nDCG@k along a way, each setting with its own shortlist."""
    columns = [
        bulk.ndcg(bulk.order(laid, way.numbers(setting), assumed, cut=True), labels)
        for setting in way.settings
    ]
    return np.column_stack(columns)


def _decide(
    case: Case,
    laid: Bulk,
    labels: Labels,
    way: Way,
    scores: Scores,
    ledger: Ledger,
    estimate: Estimate | None,
    again: Again | None,
) -> Decision:
    coverage = [
        bulk.coverage(laid, way.numbers(setting)) if _asks(case) else 1.0
        for setting in way.settings
    ]
    unknown = min(coverage) < LEAST_COVERAGE
    bounds = [_scores(case, laid, labels, way, assumed).values for assumed in (0.0, 1.0)]
    tried = sha256(f"{way.name}\n{scores.settings}\n{way.today}".encode())
    tried.update(scores.values.tobytes())
    return decide(
        scores,
        ledger=None if case.explore else ledger,
        lineage_inputs={"data": case.data, "recording": case.recording},
        candidate_hash_of=lambda setting: publish.candidate_hash(
            _claim(case, way.numbers(Fraction(setting))), tried.hexdigest()
        ),
        coverage=coverage,
        now=datetime.now(UTC),
        lower_bound_values=bounds if unknown else None,
        explore=case.explore,
        parameters=way.parameters,
        estimate=estimate,
        as_predicted=lambda setting: as_predicted(
            laid,
            labels,
            way.numbers(Fraction(setting)),
            scores,
            again,
            recordings=case.recordings,
            judgements=case.judgements,
        ),
        told=way.told,
    )


def _claim(case: Case, numbers: Scoring) -> dict[str, object]:
    own = case.own or case.recordings[0].numbers
    return publish.body_of(case.capability, numbers, own, case.models, case.data)


def _write(
    case: Case,
    way: Way,
    decision: Decision,
    numbers: Scoring,
    judged: Judged,
    promoted: Path,
    candidate: Path,
) -> Path:
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
        "date": datetime.now(UTC).date().isoformat(),
    }
    claim = _claim(case, numbers)
    if decision.promoted:
        return publish.promote(promoted, claim, facts)
    name = "explored.json" if case.explore else candidate.name
    return publish.write_candidate(candidate.with_name(name), claim, facts)
