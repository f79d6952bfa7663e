"""What tuning numbers came to: the decision along one way, as a document and as a report."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from esra.domain.capability import Scoring
from eval import publish
from eval.evidence import Decision
from eval.evidence.agree import Agreement, Bearing
from eval.evidence.propose import LEAST_COVERAGE
from eval.plot import sketch
from eval.report import segments
from eval.search.ways import Way
from eval.tune.judged import Judged
from eval.tune.verdict import Case

BEARS = {
    Bearing.BORNE_OUT: "the replay is borne out",
    Bearing.CONTRADICTED: "the replay is contradicted",
    Bearing.UNCLEAR: "that could take the whole gain, so nobody can tell",
}
UNKNOWN = (
    "these numbers would ask for records that were never scored; a catalog with a longer shortlist "
    "(up to 200) records them, and `--parameter shortlist` says then how short it may be"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """The decision along one way, and the file that holds the numbers."""

    case: Case
    way: Way
    decision: Decision
    numbers: Scoring
    config: Path
    unlearnable: tuple[str, ...]
    can_show: tuple[str, Mapping[str, float | None]]  # in words, and the smallest difference each
    queries: tuple[float, ...]  # that a call asks of the engines, at each stop of the way
    tried: int
    unknown: tuple[float, float]  # in sample: the chosen setting, what is not recorded at 0, at 1
    judged: Judged

    @property
    def why(self) -> str:
        return f"{self.case.advice} {self.decision.why}".strip()

    @property
    def notes(self) -> tuple[str, ...]:
        known = (*self.decision.notes, *self.judged.notes, *self.case.notes)
        return known if self.decision.coverage >= LEAST_COVERAGE else (*known, UNKNOWN)

    def as_json(self) -> dict[str, object]:
        """The document of ``tune --parameter --json`` for one capability."""
        plain, choice = self.decision.as_json(), self.decision.choice
        return {
            "capability": self.case.capability,
            "parameter": self.way.name,
            "part": self.decision.part,
            **{key: value for key, value in plain.items() if key not in ("notes", "ledger")},
            "why": self.why,
            "told": self.told,
            "numbers": publish.tunables_of(self.numbers, self.case.own or self.numbers),
            "config": str(self.config),
            "curve": {
                "setting": [float(setting) for setting in self.way.settings],
                "told": self._stops(),
                self.decision.measure: list(choice.curve),
                "half_width_of_band": list(choice.margin),
                "queries_a_call": list(self.queries),
            },
            "unknown_in_sample": self.unknown,
            "judged": self.judged.as_json(),
            "settings_tried": len(self.way.settings) + self.tried,
            "cannot_be_learned": list(self.unlearnable),
            "smallest_detectable_of_each": dict(self.can_show[1]),
            "degraded": self.case.degraded,
            "notes": list(self.notes),
        }

    def _stops(self) -> list[str]:
        """What each stop is called. A coordinate is none of the number's own values where it is a
        rate, stands for "off", or is a part of the way.
        """
        if self.way.parameters > 1:
            return [f"{float(setting):.0%} of the way" for setting in self.way.settings]
        return [self.way.told(setting) for setting in self.way.settings]

    def _work(self) -> list[str]:
        """What stops ask of the engines beside their figures, where they differ in it."""
        if min(self.queries) == max(self.queries):
            return []
        stops = list(zip(self.way.settings, self.queries, self.decision.choice.curve, strict=True))
        if self.way.parameters > 1:  # between the ends lie numbers that nobody would type
            stops = [stop for stop in stops if stop[0] in (stops[0][0], self.decision.setting)]
        return [
            f"queries a call, and {self.decision.measure} in sample:",
            *(f"  {self.way.told(x):24} {count:6.2f}  {figure:.4f}" for x, count, figure in stops),
        ]

    @property
    def told(self) -> dict[str, str]:
        """Today's setting and the chosen one, in words."""
        today = self.way.told(self.way.settings[self.way.today])
        return {"today": today, "setting": self.way.told(self.decision.setting)}

    def as_text(self) -> str:
        """The report of one capability."""
        decision, low = self.decision, self.way.told(self.decision.choice.plateau[0])
        estimate, high = decision.estimate, self.way.told(self.decision.choice.plateau[1])
        lines = [
            f"{self.case.capability}: {self.way.name}, {decision.measure}",
            *self._heard(),
            *self._segments(),
            *(f"  {line}" for line in self.unlearnable),
            f"  {self.can_show[0]}",
            f"  {len(self.way.settings) + self.tried} settings tried, {self.way.parameters} "
            f"number{'s' if self.way.parameters > 1 else ''} free to turn",
            f"  means of {self._part()}:",
            f"  today      {self.told['today']:24} {decision.before:.4f}",
            f"  chosen     {self.told['setting']}",
            f"  the procedure, held out             {decision.after:.4f} "
            f"({estimate.difference:+.4f}, {estimate.level:.0%} interval "
            f"{estimate.interval[0]:+.4f} to {estimate.interval[1]:+.4f})",
            f"  judged@{self.judged.k} {self.judged.today:.3f} today, "
            f"{self.judged.setting:.3f} under the chosen setting",
            f"  coverage {decision.coverage:.3f}; the chosen setting with the scores that are not "
            f"recorded at 0 and at 1, in sample: {self.unknown[0]:.4f}, {self.unknown[1]:.4f}",
            "  the curve, in sample on the development part, each stop under its own shortlist:",
            *(f"  {line}" for line in sketch(self._stops(), decision.choice.curve).splitlines()),
            f"  plateau {low} to {high}",
            *(f"  {line}" for line in self._work()),
            *(f"  note: {note}" for note in self.notes),
            f"  {self.why}" if decision.promoted else f"  not promoted: {self.why}",
            f"  {self.config}",
        ]
        return "\n".join(lines)

    def _part(self) -> str:
        return "all queries" if self.decision.part == "all" else "the development part"

    def _segments(self) -> list[str]:
        sealed = self.decision.sealed
        found = [] if sealed is None else segments(sealed)
        return ["  segments of the sealed part:", *found] if found else []

    def _heard(self) -> list[str]:
        return [] if self.decision.heard is None else heard(self.decision.heard)


def heard(one: Agreement) -> list[str]:
    """What live answers say of the replay, for a person."""
    if one.floor == 0:
        own = "the model repeats itself"
    elif one.bearing is Bearing.CONTRADICTED and abs(one.difference) <= one.floor:
        own = "the means are close, but query by query they differ by more than the model's noise"
    else:
        own = f"up to {one.floor:.4f} of the difference may be the model's own noise"
    return [
        f"  {one.queries} development queries answered live under the chosen setting: "
        f"{one.live:.4f} where the replay said {one.predicted:.4f}",
        f"    {own}: {BEARS[one.bearing]}",
    ]
