"""Whether live answers bear out a replay, asked before an opening (RULINGS 38)."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from esra.domain.capability import Scoring
from eval import bulk
from eval.bulk import Bulk, Labels, Mask
from eval.evidence import Scores, split
from eval.table import pair

# The queries answered again, live, under other numbers, in their order.
Again = Callable[[Scoring, Sequence[str]], Bulk]
LIVE_SAMPLE = 50
DETERMINISTIC = 1e-9  # what a mean may differ by where the model answers the same again


def as_predicted(
    laid: Bulk, labels: Labels, numbers: Scoring, scores: Scores, again: Again | None
) -> bool:
    """Whether live answers agree with the replay, where the candidate changes what is asked.

    A listwise model's score depends on its shortlist, so that a replay may be wrong (RULINGS 38).
    """
    wanted = bulk.shortlisted(laid, bulk.weights(laid, numbers), numbers.shortlist)
    changed = np.unique(laid.query[wanted != laid.asked])
    if not laid.asked.any() or not len(changed) or again is None:
        return True
    development = np.flatnonzero(labels.measured)[~split(scores).sealed]
    sample = [int(q) for q in development if q in set(changed.tolist())][:LIVE_SAMPLE]
    if not sample:
        return True
    live = again(numbers, [laid.queries[q] for q in sample])
    return _agree(laid, labels, numbers, sample, live)


def _agree(laid: Bulk, labels: Labels, numbers: Scoring, sample: list[int], live: Bulk) -> bool:
    """The live mean is the replayed one, where the replay lacks no score that was answered live.

    So only what the model says otherwise of records it had scored before tells them apart.
    """
    chosen = np.zeros(len(laid.queries), dtype=bool)
    chosen[sample] = True
    if live.queries != tuple(laid.queries[query] for query in sample):
        return False
    whole = bulk.order(_completed(laid, chosen, live), numbers, cut=True)
    predicted = float(bulk.ndcg(whole, labels)[chosen[labels.measured]].mean())
    judgements = {
        laid.queries[query]: {
            pair(laid.ids[at]): int(labels.gain[at]) for at in np.flatnonzero(laid.query == query)
        }
        for query in sample
    }
    found = bulk.label(live, judgements, labels.k)
    ideal = replace(found, ideal=labels.ideal[sample], measured=np.ones(len(sample), dtype=bool))
    answered = float(bulk.ndcg(bulk.order(live, numbers), ideal).mean())
    return abs(answered - predicted) <= DETERMINISTIC


def _completed(laid: Bulk, chosen: Mask, live: Bulk) -> Bulk:
    """The recording, and of the ``chosen`` [Q] queries the live scores of what it never asked."""
    heard = {(live.queries[live.query[at]], live.ids[at]): at for at in np.flatnonzero(live.asked)}
    group, semantic, asked = laid.group.copy(), laid.semantic.copy(), laid.asked.copy()
    for at in np.flatnonzero(chosen[laid.query] & ~laid.asked):
        place = heard.get((laid.queries[laid.query[at]], laid.ids[at]))
        if place is not None:
            group[at], semantic[at], asked[at] = live.group[place], live.semantic[place], True
    return replace(laid, group=group, semantic=semantic, asked=asked)
