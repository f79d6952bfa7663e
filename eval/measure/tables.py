"""A report as tables, which text and HTML print alike. Only here is a figure rounded."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eval.measure.explain import FACTORS, Explained
from eval.measure.report import Report, Told
from eval.measure.sources import Rate
from eval.measures.interval import Interval
from eval.misses.table import notes

NOTHING = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """``notes`` stand under it. The first column is text, the others figures."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def tables(report: Report) -> list[Table]:
    """Every table that has something to say, arm by arm, then between the arms."""
    found: list[Table] = []
    for told in report.arms:
        found += filter(None, (make(told, report) for make in OF_ONE))
    return found + list(filter(None, (make(report) for make in BETWEEN)))


def _quality(told: Told, report: Report) -> Table:
    arm, found = told.arm, told.quality.evaluation
    level = max(one.level for one in report.asked.measures)
    lacking = "relevant document" if level <= 1 else f"document of grade {level} or more"
    counts = (
        ("not answered: the recording is partial", arm.missing),
        ("no result, counted 0", found.empty),
        ("no judgement, left out", found.no_judgements),
        (f"no {lacking}, left out of every column", found.no_relevant),
    )
    rows = []
    for one in told.quality.figures:
        ways = one.ways
        own = (
            (ways.judged, ways.irrelevant, ways.condensed, ways.worst, ways.best)
            if ways
            else (None,) * 5
        )
        rows.append((one.name, _number(one.mean), _interval(one.interval), *map(_number, own)))
    noise = arm.noise
    return Table(
        title=f"{arm.name}: {len(found.queries)} queries measured, {told.status}",
        head=("", "mean", "95 %", "judged", "irrelevant", "condensed", "worst", "best"),
        rows=tuple(rows),
        notes=(
            *(f"{len(own)} queries: {what} ({_first(own)})" for what, own in counts if own),
            *((f"{arm.tied:.1%} of results share their score with another",) if arm.tied else ()),
            *((f"noise floor of {noise['measure']}: {noise['floor']:.4f}",) if noise else ()),
            *arm.notes,
        ),
    )


def _choices(told: Told, report: Report) -> Table | None:
    found = told.choices
    if found is None:
        return None
    rows = [
        (
            name,
            str(one.figures.chosen),
            str(one.figures.right),
            *_rated(one.precision, one.recall, one.f1),
        )
        for name, one in found.sources.items()
    ]
    rows.append(("all", "", "", *_rated(found.precision, found.recall, found.f1)))
    wasted = NOTHING if found.wasted is None else f"{found.wasted:.1%}"
    return Table(
        title=f"{told.arm.name}: sources chosen, {found.queries} queries",
        head=("source", "chosen", "right", "precision", "95 %", "recall", "95 %", "F1", "95 %"),
        rows=tuple(rows),
        notes=(
            f"exactly the right set: {' '.join(_rated(found.exact))}",
            f"searched for nothing: {' '.join(_rated(found.extra))} sources a query, "
            f"{wasted} of all searches",
        ),
    )


def _service(told: Told, report: Report) -> Table | None:
    spent, rates = told.spent, told.rates
    if spent is None or rates is None:
        return None
    told_cost = NOTHING if spent.cost is None else f"{spent.cost:.6g}"
    rows = [
        ("seconds, mean", f"{spent.seconds:.3f}"),
        ("seconds, 95th percentile", f"{spent.seconds_p95:.3f}"),
        ("commands", f"{spent.commands:.2f}"),
        ("model calls", f"{spent.calls:.2f}"),
        ("tokens in", f"{spent.tokens_in:.0f}"),
        ("tokens out", f"{spent.tokens_out:.0f}"),
        ("cost", told_cost),
        ("no result", f"{rates.zero_result:.1%}"),
        ("degraded", f"{rates.degraded:.1%}"),
        *((code, f"{share:.1%}") for code, share in rates.warnings.items()),
        *((code, f"{share:.1%}") for code, share in rates.notices.items()),
    ]
    return Table(
        title=f"{told.arm.name}: an invocation, mean of {rates.traces}",
        head=("", ""),
        rows=tuple(rows),
    )


def _content(told: Told, report: Report) -> Table | None:
    k, rows = report.asked.k, []
    found = told.nothing
    if found is not None and (found.unanswerable or found.false_refusals):
        rows += [
            ("nothing is right: AUC of the best score", _number(found.auc)),
            (f"  refused, of {found.unanswerable} unanswerable", _share(found.refused)),
            (f"  falsely refused, of {found.answerable} answerable", _share(found.false_refusals)),
        ]
    fresh = told.freshness
    if fresh is not None:
        rows += [
            (f"staleness@{k}, older than {fresh.days:g} days", _share(fresh.staleness.value)),
            ("age of the first right result, days, median", _number(fresh.age.value, 1)),
        ]
    own = told.window
    if own is not None:
        rows += [
            (f"Recall@{own.tokens}tok", _number(own.recall.value)),
            ("tokens before the first right result, median", _number(own.offset.value, 0)),
            (f"  no right result shown, of {own.recall.queries}", str(own.lost)),
        ]
    mix = told.mix
    if mix is not None:
        rows += [
            (f"source coverage@{k}", _number(mix.coverage.value)),
            (f"R@{k} of small sources", _number(mix.small.value)),
            *((f"results from {name}", f"{share:.1%}") for name, share in mix.sources.items()),
            *((f"results of family {name}", f"{s:.1%}") for name, s in mix.families.items()),
        ]
    notes = ("tokens are estimated, four characters each",) if own is not None else ()
    return _table(f"{told.arm.name}: what is shown", ("", ""), rows, notes)


def _policy(told: Told, report: Report) -> Table | None:
    rows = [
        (p.name, _number(p.visible), _number(p.full), f"{p.price:+.4f}", str(p.queries))
        for p in told.policy
    ]
    blind = told.policy[0].blind if told.policy else 0
    return _table(
        f"{told.arm.name}: against what its caller may see",
        ("", "visible", "full", "price", "queries"),
        rows,
        (f"{blind} queries of which nothing right is visible",) if blind else (),
    )


def _misses(told: Told, report: Report) -> Table | None:
    found = told.misses
    if found is None:
        return None
    rows = [
        (row.cause.value, str(row.lost), str(row.queries), f"{row.price:+.4f}")
        for row in found.rows
    ]
    return _table(
        f"{told.arm.name}: {found.shown} of {found.right} right documents among the first "
        f"{found.k}; what lost the others",
        ("cause", "lost", "queries", f"nDCG@{found.k} to be won at most"),
        rows,
        notes(found, told.arm.known),
    )


def _explained(told: Told, report: Report) -> Table | None:
    found = told.explained
    if found is None:
        return None
    return Table(
        title=f"{told.arm.name}: query {found.query} {found.prompt or ''}".rstrip(),
        head=("rank  record", "grade", "query", *FACTORS, "bonus", "merged", "semantic", "final"),
        rows=tuple(_factors(found)),
        notes=tuple(f"{source} {key}: {why}" for (source, key), why in found.lost),
    )


def _factors(found: Explained) -> Iterable[tuple[str, ...]]:
    for row in found.rows:
        semantic = row["semantic"]
        told = _number(semantic) if isinstance(semantic, float) else semantic
        end = (_number(row["bonus"]), _number(row["weighted"]), told, _number(row["final"]))
        grade = NOTHING if row["grade"] is None else str(row["grade"])
        for place, match in enumerate(row["matches"]):
            first = place == 0
            name = f"{row['rank']:4}  {row['source']} {row['key']}" if first else ""
            factors = (_number(match[factor]) for factor in FACTORS)
            asked = f"{match['query']} {match['strategy']}"
            yield (name, grade if first else "", asked, *factors, *(end if first else [""] * 4))


def _segments(report: Report) -> Table | None:
    names = [told.arm.name for told in report.arms]
    rows = [
        (f"{one.kind}: {one.value}", str(one.queries), *(_number(one.means[n]) for n in names))
        for one in report.segments
    ]
    measure = report.arms[0].quality.figures[0].name
    return _table(f"{measure} by segment", ("segment", "queries", *names), rows)


def _beside(report: Report) -> Table | None:
    if len(report.arms) < 2:
        return None
    measure = report.arms[0].quality.figures[0].name
    rows = []
    for told in report.arms:
        spent = told.spent
        own = (
            (spent.seconds, spent.calls, spent.tokens_in + spent.tokens_out, spent.cost)
            if spent
            else (None,) * 4
        )
        best = "yes" if told.arm.name in report.undominated else ""
        mean = told.quality.figures[0].mean
        rows.append((told.arm.name, _number(mean), *(_number(v, 3) for v in own), best))
    return Table(
        title="quality beside cost, an invocation",
        head=("arm", measure, "seconds", "calls", "tokens", "cost", "undominated"),
        rows=tuple(rows),
        notes=("undominated: no arm is as good in less time, nor better in as much",),
    )


def _alike(report: Report) -> Table | None:
    rows = [
        (
            f"{one.one} / {one.other}",
            _number(one.jaccard),
            _number(one.rbo),
            _number(one.tau),
            str(one.queries),
        )
        for one in report.alike
    ]
    head = ("arms", f"Jaccard@{report.asked.k}", "RBO(.9)", "Kendall tau", "queries")
    return _table("how alike the lists are", head, rows)


OF_ONE = (_quality, _choices, _content, _service, _policy, _misses, _explained)
BETWEEN = (_beside, _alike, _segments)


def _table(
    title: str, head: Sequence[str], rows: Sequence[tuple[str, ...]], notes: Sequence[str] = ()
) -> Table | None:
    return (
        Table(title=title, head=tuple(head), rows=tuple(rows), notes=tuple(notes)) if rows else None
    )


def _rated(*rates: Rate) -> tuple[str, ...]:
    return tuple(text for one in rates for text in (_number(one.value), _interval(one.interval)))


def _number(value: float | None, digits: int = 4) -> str:
    return NOTHING if value is None else f"{value:.{digits}f}"


def _share(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1%}"


def _interval(interval: Interval | None) -> str:
    return NOTHING if interval is None else f"{interval[0]:.3f} to {interval[1]:.3f}"


def _first(queries: Sequence[str], most: int = 3) -> str:
    return ", ".join(queries[:most]) + (", ..." if len(queries) > most else "")
