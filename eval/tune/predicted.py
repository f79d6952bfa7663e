"""Whether live answers bear out a replay, asked before an opening (RULINGS 38).

Where a candidate changes what the model is asked, a sample of development queries is answered live
under it. If the model says what was replayed, that is all. If not, it is asked again, until each
query was answered four times in all, earlier recordings counted; then ``evidence.agree`` tells what
is the model's own noise. Where that noise could take the whole gain, all such queries are asked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from esra.domain.capability import Scoring
from eval import bulk
from eval.bulk import Bulk, Floats, Labels
from eval.evidence import Scores, split
from eval.evidence.agree import DETERMINISTIC, Agreement, Bearing, agreement
from eval.replay import Recorded, planned_anew
from eval.search.part import part
from eval.table import Judgements, pair

LIVE_SAMPLE = 50
ANSWERS = 4  # of each query in all: of fewer, little could be told of a handful of queries


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """How queries are answered once more.

    ask:     the queries answered live under other numbers, in their order; the draw counts from 0
    repeats: what further recordings of these queries hold, one ``Bulk`` each, in their order
    warn:    told before anything is asked: how many queries, and how often each at most
    """

    ask: Callable[[Scoring, Sequence[str], int], Bulk]
    repeats: Callable[[Sequence[str]], Sequence[Bulk]] = lambda queries: ()
    warn: Callable[[int, int], None] = lambda queries, times: None


def as_predicted(
    laid: Bulk,
    labels: Labels,
    numbers: Scoring,
    scores: Scores,
    again: Again | None,
    *,
    recordings: Sequence[Recorded] = (),
    judgements: Judgements | None = None,
) -> Agreement | None:
    """What live answers say of the replay; None where the candidate changes nothing that is asked.

    A listwise model's score depends on its shortlist, so that a replay may be wrong (RULINGS 38).
    So does a language model's plan on the ceiling it was told: of ``recordings`` [Q] that is known,
    and the ``judgements`` grade what another plan finds.
    """
    if again is None:
        return None
    changed = np.zeros(len(laid.queries), dtype=bool)
    changed[: len(recordings)] = [planned_anew(one, numbers) for one in recordings]
    if laid.asked.any():
        wanted = bulk.shortlisted(laid, bulk.weights(laid, numbers), numbers.shortlist)
        changed[laid.query[wanted != laid.asked]] = True
    open_part = split(scores).development
    development = np.flatnonzero(labels.measured)[~split(scores).sealed]
    able = [int(query) for query in development if changed[query]]
    if not able:
        return None
    # By each query's own key: ids are often numbered source by source.
    able.sort(key=lambda query: sha256(laid.queries[query].encode()).digest())
    own = np.isin(np.flatnonzero(labels.measured), development)
    after = bulk.ndcg(bulk.order(laid, numbers, cut=True), labels)[own]
    reached = len(able) / len(development)
    claimed = float(after.mean() - open_part.values[:, open_part.today].mean())
    found = _asked(laid, labels, numbers, able[:LIVE_SAMPLE], again, judgements)
    found = replace(found, reached=reached, claimed=claimed)
    if found.bearing is Bearing.UNCLEAR and len(able) > LIVE_SAMPLE:
        found = _asked(laid, labels, numbers, able, again, judgements)
    return replace(found, reached=reached, claimed=claimed)


def _asked(
    laid: Bulk,
    labels: Labels,
    numbers: Scoring,
    sample: Sequence[int],
    again: Again,
    judgements: Judgements | None,
) -> Agreement:
    """The ``sample`` of queries, asked as often as it takes."""
    chosen = np.zeros(len(laid.queries), dtype=bool)
    chosen[list(sample)] = True
    first, known = part(laid, labels, chosen)
    recordings = [
        first,
        *(one for one in again.repeats(first.queries) if one.queries == first.queries),
    ]
    grades = judgements or _grades(first, known)
    times = max(1, ANSWERS - len(recordings))
    again.warn(len(first.queries), times)
    live = [again.ask(numbers, first.queries, 0)]
    predicted = [
        _figures(_completed(one, live[0]), grades, known, numbers, cut=True) for one in recordings
    ]
    answered = [_figures(live[0], grades, known, numbers)]
    if max(float(np.abs(answered[0] - own).max()) for own in predicted) > DETERMINISTIC:
        live += [again.ask(numbers, first.queries, draw) for draw in range(1, times)]
        answered += [_figures(one, grades, known, numbers) for one in live[1:]]
    return agreement(
        np.stack(predicted),
        np.stack(answered),
        repeats_itself=_alike(recordings) and _alike(live),
        rng=np.random.default_rng(0),
    )


def _grades(first: Bulk, known: Labels) -> Judgements:
    """What is known of the records that were recorded; others have no grade."""
    grades: dict[str, dict[tuple[str, str], int]] = {query: {} for query in first.queries}
    for place, id, gain in zip(first.query, first.ids, known.gain, strict=True):
        grades[first.queries[place]][pair(id)] = int(gain)
    return grades


def _figures(
    one: Bulk, grades: Judgements, known: Labels, numbers: Scoring, *, cut: bool = False
) -> Floats:
    """[queries] nDCG@k of another layout of the same queries."""
    own = bulk.label(one, grades, known.k)
    # The ideal list holds what was judged and not found, too.
    own = replace(own, ideal=known.ideal, measured=known.measured)
    return bulk.ndcg(bulk.order(one, numbers, cut=cut), own)


def _completed(one: Bulk, live: Bulk) -> Bulk:
    """The recording, and the live scores of what it never asked: so that only what the model says
    otherwise of records it had scored before tells the two apart.
    """
    heard = {(live.queries[live.query[at]], live.ids[at]): at for at in np.flatnonzero(live.asked)}
    group, semantic, asked = one.group.copy(), one.semantic.copy(), one.asked.copy()
    for at in np.flatnonzero(~one.asked):
        place = heard.get((one.queries[one.query[at]], one.ids[at]))
        if place is not None:
            group[at], semantic[at], asked[at] = live.group[place], live.semantic[place], True
    return replace(one, group=group, semantic=semantic, asked=asked)


def _alike(answers: Sequence[Bulk]) -> bool:
    """Whether the model said the very same each time, of the very same records."""
    first = answers[0]
    return all(
        one.ids == first.ids
        and np.array_equal(one.group, first.group)
        and np.array_equal(one.semantic, first.semantic, equal_nan=True)
        for one in answers[1:]
    )
