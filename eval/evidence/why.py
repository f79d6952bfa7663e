"""Says in one sentence how a decision ended, with the figures that made it end so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eval.evidence.agree import Agreement
from eval.evidence.choose import Choice
from eval.evidence.confirm import Sealed
from eval.evidence.outcome import Outcome
from eval.evidence.scores import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the sentences are made of.

    detectable: smallest detectable difference of the candidate
    told:       a setting in words, e.g. a half-life in days
    """

    measure: str
    today: Setting
    choice: Choice
    groups: int
    development_groups: int
    parameters: int
    allowed: int
    least_groups: int
    coverage: float
    least_coverage: float
    detectable: float | None
    sealed: Sealed | None
    heard: Agreement | None
    shown_before: str | None
    told: Callable[[Setting | float], str]


def sentence(outcome: Outcome, facts: Facts) -> str:
    """One sentence; it names an earlier date where the verdict is the stored one."""
    if facts.sealed is None:
        return f"{_closed(outcome, facts)}."
    before = "" if facts.shown_before is None else f"shown before on {facts.shown_before}: "
    return f"{before}{_opened(outcome, facts, facts.sealed)}."


def _closed(outcome: Outcome, facts: Facts) -> str:
    today, setting = facts.told(facts.today), facts.told(facts.choice.setting)
    low, high = map(facts.told, facts.choice.plateau)
    match outcome:
        case Outcome.ONE_SETTING:
            return f"there is one setting, {today}, and nothing to choose"
        case Outcome.NOTHING_VARIES:
            return f"{facts.measure} is the same under every setting, so today's {today} stays"
        case Outcome.TOO_FEW_GROUPS:
            return _too_few(facts)
        case Outcome.TOO_MANY_PARAMETERS:
            return (
                f"{facts.parameters} parameters are too many for "
                f"{_count(facts.development_groups, 'group')} in the development part, "
                f"which allow {facts.allowed}"
            )
        case Outcome.TODAY_STAYS:
            return (
                f"today's {today} lies in the plateau {low} to {high} and stays; nothing was opened"
            )
        case Outcome.EXPLORED:
            return (
                f"explored only: {setting} is the candidate against today's {today}; "
                "nothing was opened"
            )
        case Outcome.NOT_COVERED:
            return (
                f"only {facts.coverage:.3f} of the shortlist under {setting} has a recorded "
                f"semantic score ({facts.least_coverage:g} is needed) and no bounds were given; "
                "nothing was opened"
            )
        case Outcome.NOT_AS_PREDICTED:
            return (
                f"a sample of development queries, answered live under {setting}, is not ordered "
                f"as the replay predicted{_heard(facts)}, so the recording cannot speak for it; "
                "nothing was opened"
            )
        case Outcome.NOISE_TAKES_THE_GAIN:
            return (
                f"live answers under {setting} do not contradict the replay, but the model varies "
                f"so much from answer to answer that the gain may be none{_heard(facts)}; nothing "
                "was opened"
            )
        case _:
            raise AssertionError(f"{outcome} without an opening")


def _heard(facts: Facts) -> str:
    """The figures of the live answers, in brackets."""
    if facts.heard is None:
        return ""
    one = facts.heard
    return (
        f" ({one.live:.4f} against {one.predicted:.4f} over {one.queries} queries, the model's own "
        f"noise floor {one.floor:.4f})"
    )


def _detectable(facts: Facts) -> str:
    """Of the candidate alone; the report's figure is that of the median setting."""
    if facts.detectable is None:
        return "it moves too few queries for any gain of it to be detectable"
    return f"smallest detectable of this setting {facts.detectable:.4f}"


def _too_few(facts: Facts) -> str:
    today, low, high = map(facts.told, (facts.today, *facts.choice.plateau))
    if facts.groups == 1:
        return (
            "one group of queries cannot show anything, for nobody knows how the next would differ "
            f"({facts.least_groups} groups are needed to promote); today's {today} stays"
        )
    in_plateau = f"today's {today} lies in the plateau {low} to {high}"
    advice = f"{facts.told(facts.choice.setting)} is advice only"
    return (
        f"{facts.groups} groups of queries are too few to promote "
        f"({facts.least_groups} are needed); {in_plateau if facts.choice.stays else advice}"
    )


def _opened(outcome: Outcome, facts: Facts, sealed: Sealed) -> str:
    setting, today = facts.told(sealed.setting), facts.told(sealed.today)
    gain = (
        f"{setting} against today's {today} gives {sealed.difference:+.4f} {facts.measure} "
        f"on {_count(sealed.groups, 'sealed group')}"
    )
    tested = f"p = {sealed.p:.3g} at level {sealed.level:.3g}, opening {sealed.opening}"
    match outcome:
        case Outcome.CANNOT_SHOW:
            return (
                f"{gain}, whose smallest possible p {sealed.smallest_p:.3g} exceeds the level "
                f"{sealed.level:.3g} of opening {sealed.opening}, so no gain can be shown"
            )
        case Outcome.NO_GAIN_SHOWN:
            return f"no gain shown: {gain} ({tested}; {_detectable(facts)})"
        case Outcome.GAIN_LOST_AT_BOUND:
            return (
                f"{gain}, but only {facts.coverage:.3f} of the shortlist's semantic scores are "
                f"recorded and the gain is lost with the unknown ones at 0 or at 1 ({tested})"
            )
        case Outcome.SEGMENT_LOSES:
            return f"{gain} ({tested}), but one segment loses too much: {sealed.segment}"
        case Outcome.PROMOTED:
            return f"promoted: {gain} ({tested})"
        case _:
            raise AssertionError(f"{outcome} with an opening")


def number(setting: Setting | float) -> str:
    return f"{float(setting):.4g}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
