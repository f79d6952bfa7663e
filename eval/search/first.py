"""What is said before anything is searched: which numbers cannot be learned from a recording and
why, and the smallest difference that each of the others can show.
"""

from collections.abc import Sequence

from esra.domain.capability import Scoring
from eval.bulk import Bulk, Labels, Mask
from eval.evidence import Scores, smallest_detectable, split
from eval.evidence.ledger import at_level
from eval.replay import Recorded
from eval.search.cost import queries_a_call
from eval.search.learnable import everything, fitted, why_not
from eval.search.tunables import Tunable, change, tunable
from eval.search.ways import Way

UNDECLARED = (
    "nothing says how often each source is asked for: give every query its `traffic`, or say "
    "--as-asked where they are mixed as callers mix them"
)


def asked_for(bulk: Bulk, own: Scoring, names: Sequence[str] | None) -> tuple[Tunable, ...]:
    """The numbers by ``names``, None: all of the table. ``UnknownTunable`` for a name of none."""
    if names is None:
        return everything(bulk, own)
    # A source that never answered is none of the recorded ones, and that is what is said of it.
    return tuple(tunable(n, (*bulk.sources, n.partition(":")[2])) for n in dict.fromkeys(names))


def told_apart(
    bulk: Bulk,
    labels: Labels,
    recordings: Sequence[Recorded],
    today: Scoring,
    own: Scoring,
    asked: Sequence[Tunable],
    chosen: Mask,
    *,
    mixed: bool,
) -> tuple[list[Tunable], list[tuple[Tunable, str]]]:
    """(what can be learned of the ``chosen`` [Q] queries, what cannot, with the reason).

    mixed: queries are mixed over the sources as callers mix them
    """
    numbers = [fitted(bulk, own, one, chosen) for one in asked]
    reasons = {}
    for one in numbers:
        reason = why_not(bulk, labels, today, one, chosen)
        if reason is not None and one.name == "ceiling":
            reason = f"{reason}; {_saving(recordings, today, one)}"
        if reason is None and one.name == "priority" and not mixed:
            # A priority is worth what its source is asked for, which a made set does not say.
            reason = UNDECLARED
        reasons[one] = reason
    lost = [(one, reason) for one, reason in reasons.items() if reason is not None]
    return [one for one, reason in reasons.items() if reason is None], lost


def _saving(recordings: Sequence[Recorded], today: Scoring, one: Tunable) -> str:
    """What a ceiling that no answer depends on costs."""
    before, after = queries_a_call(recordings, [today, change(today, one, 1.0)])
    return f"at 1 query a call asks {after:.2f} queries in all, today {before:.2f}"


def shows(way: Way, scores: Scores, level: float) -> tuple[str, float | None]:
    """The smallest difference along a way that its sealed part can show, at the next opening's
    ``level``.
    """
    parts = split(scores)
    return way.name, smallest_detectable(parts.development, parts.stated_for, level=level).value


def can_show(scores: Scores, found: Sequence[tuple[str, float | None]], level: float) -> str:
    """The same in a sentence."""
    told = ", ".join(
        f"{name} {'no difference' if least is None else f'{least:.4f}'}" for name, least in found
    )
    return (
        f"{len(scores.groups)} queries in {scores.group_count} groups, "
        f"{split(scores).sealed_groups} of them sealed; smallest difference in {scores.measure} "
        f"that they can show{at_level(level)}: {told}"
    )
