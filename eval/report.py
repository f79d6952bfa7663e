"""A verdict in words, for a person who has to defend it."""

from eval.evidence import Decision, Estimate, Sealed
from eval.plot import sketch
from eval.tune.verdict import Verdict

LISTED = 10


def text(verdict: Verdict) -> str:
    """The report of one capability."""
    case, table, decision = verdict.case, verdict.table, verdict.decision
    estimate, groups, judged = decision.estimate, decision.groups, verdict.judged
    shares = table.shares
    lines = [
        f"{case.capability}: {len(table.queries)} queries in {groups} groups, {table.measure}",
        *_conventions(verdict),
        _part(verdict),
        f"  without a model                {verdict.no_model:.4f}",
        f"  today, semantic share {case.share:g}".ljust(33) + f"{decision.before:.4f}",
        "  the procedure, held out".ljust(33) + f"{decision.after:.4f}",
        f"  difference {estimate.difference:+.4f}, {_interval(estimate)}, nested cross-validation",
        f"  smallest detectable {_where(decision)}, of the median setting: "
        f"{_number(decision.smallest_detectable.value)}",
        f"  judged@{case.k} {judged.today:.3f} today, {judged.setting:.3f} under "
        f"{float(decision.setting):g}; coverage {decision.coverage:.3f}",
        "  the curve, in sample on the development part:",
        *(f"  {line}" for line in sketch(shares, decision.choice.curve).splitlines()),
        f"  plateau {float(decision.choice.plateau[0]):g} to {float(decision.choice.plateau[1]):g}",
        *_sealed(verdict),
        *(f"  note: {note}" for note in (*decision.notes, *judged.notes, *case.notes)),
        *_left_out(verdict),
        _headline(verdict),
        f"  {verdict.config}",
    ]
    return "\n".join(lines)


def _part(verdict: Verdict) -> str:
    """Whose means the figures below are: those of all queries, as `measure` has, are others."""
    looked, all_ = int(verdict.looked_at.sum()), len(verdict.table.queries)
    if looked == all_:
        return f"  means of all {all_} queries, none of them sealed:"
    return f"  means of the development part, {looked} queries; {all_ - looked} are sealed:"


def _where(decision: Decision) -> str:
    """On what the power is stated: without a sealed part, on what is looked at."""
    if decision.sealed_groups:
        return "on the sealed part"
    return f"on all {decision.groups} groups, none of them sealed"


def _interval(estimate: Estimate) -> str:
    if not estimate.bounded:
        return "no interval from one group"
    low, high = estimate.interval
    return f"{estimate.level:.0%} interval {low:+.4f} to {high:+.4f}"


def _headline(verdict: Verdict) -> str:
    why = verdict.why
    return f"  {why}" if verdict.decision.promoted else f"  not promoted: {why}"


def _conventions(verdict: Verdict) -> list[str]:
    ties = "32-bit scores, ties by id descending" if verdict.case.single else "the runtime's order"
    return [
        f"  gain linear, ideal list of all judged documents, unjudged gain 0, {ties}",
    ]


def _sealed(verdict: Verdict) -> list[str]:
    sealed = verdict.decision.sealed
    if sealed is None:
        return ["  sealed part: not opened"]
    low, high = sealed.interval
    return [
        f"  sealed part, opening {sealed.opening}: {sealed.before:.4f} to {sealed.after:.4f}, "
        f"{sealed.difference:+.4f} ({low:+.4f} to {high:+.4f}), p {sealed.p:.3g} "
        f"at level {sealed.level:.3g}",
        *segments(sealed),
    ]


def segments(sealed: Sealed) -> list[str]:
    """A line for each segment of the sealed part, those that hold a number back first."""
    lines = [
        f"    {one['kind']}:{one['value']}  {one['before']:.4f} to {one['after']:.4f} "
        f"({one['after'] - one['before']:+.4f}, {one['queries']} queries"
        f"{', too few to block' if one['small'] else ''})"
        f"{' loses too much' if one['blocks'] else ''}"
        for one in sealed.segments[:LISTED]
    ]
    left = len(sealed.segments[LISTED:]) + sealed.more_segments
    return [*lines, *([f"    and {left} more segments"] if left else [])]


def _left_out(verdict: Verdict) -> list[str]:
    table = verdict.table
    lists = {
        "no result, counted 0": table.empty,
        "no judgement, left out": table.no_judgements,
        "no relevant document, left out": table.no_relevant,
    }
    return [
        f"  {len(ids)} {what}: {', '.join(ids[:LISTED])}{' ...' if len(ids) > LISTED else ''}"
        for what, ids in lists.items()
        if ids
    ]


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4f}"
