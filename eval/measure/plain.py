"""A report as plain JSON values: the document of ``measure --json``."""

from dataclasses import asdict
from typing import Any

from eval import misses
from eval.measure.quality import Figure
from eval.measure.report import Report, Told
from eval.measure.sources import Choices

Plain = dict[str, Any]


def plain(report: Report) -> Plain:
    """The whole report. Figures are unrounded; what cannot be told is null."""
    return {
        "conventions": report.conventions,
        "k": report.asked.k,
        "measures": [one.name for one in report.asked.measures],
        "status": "partial" if report.partial else "complete",
        "arms": [_arm(told) for told in report.arms],
        "segments": [asdict(one) for one in report.segments],
        "overlap": [asdict(one) for one in report.alike],
        "undominated": sorted(report.undominated),
    }


def _arm(told: Told) -> Plain:
    arm, found = told.arm, told.quality.evaluation
    return {
        "arm": arm.name,
        "status": told.status,
        "queries": {
            "labelled": len(arm.labels),
            "measured": len(found.queries),
            "missing": list(arm.missing),
            "empty": list(found.empty),
            "no_judgements": list(found.no_judgements),
            "no_relevant": list(found.no_relevant),
            "nothing_shown": list(found.nothing_shown),
        },
        "tied": arm.tied,
        "noise": arm.noise,
        "notes": list(arm.notes),
        "measures": [_figure(one) for one in told.quality.figures],
        "selection": None if told.choices is None else _choices(told.choices),
        "nothing_is_right": _or_none(told.nothing),
        "freshness": _or_none(told.freshness),
        "mix": _or_none(told.mix),
        "window": _or_none(told.window),
        "rates": _or_none(told.rates),
        "spent": _or_none(told.spent),
        "policy": [{**asdict(one), "price": one.price} for one in told.policy],
        "misses": None if told.misses is None else misses.as_json(told.misses),
        "explained": _or_none(told.explained),
    }


def _figure(one: Figure) -> Plain:
    return {
        "measure": one.name,
        "mean": one.mean,
        "interval": one.interval,
        "unjudged": _or_none(one.ways),
        "values": dict(one.values),
    }


def _choices(found: Choices) -> Plain:
    told = asdict(found)
    for name, source in told["sources"].items():
        source["figures"] |= {key: source[key]["value"] for key in ("precision", "recall", "f1")}
        told["sources"][name] = source
    return told


def _or_none(value: Any) -> Plain | None:
    return None if value is None else asdict(value)
