"""What notebooks/20_rerank_weights looks at: one recording under every semantic share.

It explores and cannot do otherwise: no ledger is at hand, so no sealed part can be opened, and
every look at single queries leaves the sealed ones out: a person who has seen them has opened them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from eval import demo, plot, runfolder
from eval.evidence import Decision, decide, sealed
from eval.replay import Recorded, replay
from eval.table import GRID, Table, pair, tabulate
from eval.tune.verdict import Case, scores_of

SHOWN = 5


def case_of(recording: str, k: int) -> Case:
    """The case in a run folder of ``tune``; the shipped demo where the name is empty."""
    return replace(runfolder.read(Path(recording)), k=k) if recording else demo.case(k)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """One case, its table of nDCG@k by query and share, and what follows from it."""

    case: Case
    table: Table
    decision: Decision

    @property
    def shares(self) -> list[float]:
        return list(self.table.shares)

    @property
    def open_part(self) -> NDArray[np.bool_]:
        """[queries] those that may be looked at; all of them where nothing is sealed."""
        if not self.decision.sealed_groups:
            return np.ones(len(self.table.queries), dtype=np.bool_)
        return ~sealed(scores_of(self.case, self.table).groups)

    @property
    def today(self) -> int:
        """The column of the share in force."""
        return self.table.settings.index(self.case.today)

    @property
    def peak(self) -> int:
        """The column of the highest mean, on the part that may be looked at."""
        return self.table.settings.index(self.decision.choice.peak * 1000)


def weigh(case: Case) -> Weighed:
    """Measures and decides, exactly as ``tune --explore`` does."""
    table = tabulate(
        case.recordings,
        case.judgements,
        sorted({*GRID, case.today}),
        k=case.k,
        single=case.single,
        weights=case.weights,
    )
    decision = decide(
        scores_of(case, table),
        ledger=None,
        lineage_inputs={},
        candidate_hash_of=str,
        coverage=table.coverage,
        now=datetime.now(UTC),
        explore=True,
    )
    return Weighed(case=case, table=table, decision=decision)


def picture(weighed: Weighed) -> bytes:
    """The curve with its band, as PNG."""
    choice, case = weighed.decision.choice, weighed.case
    low, high = (float(edge) for edge in choice.plateau)
    return plot.png(
        plot.curve(
            weighed.shares,
            choice.curve,
            margin=choice.margin,
            plateau=(low, high),
            today=case.share,
            setting=float(choice.setting),
            measure=weighed.table.measure,
            title=f"{case.capability}: {weighed.table.measure} at each semantic share",
        )
    )


def curve_figures(weighed: Weighed) -> pd.Series:
    """The curve in numbers; in sample, so none of them is a claim."""
    choice, table = weighed.decision.choice, weighed.table
    low, high = (float(edge) for edge in choice.plateau)
    return pd.Series(
        {
            "without a model": table.no_model[weighed.open_part].mean(),
            "today's share": weighed.case.share,
            f"{table.measure} at today's share": choice.curve[weighed.today],
            "best share": float(choice.peak),
            f"{table.measure} at the best share": choice.curve[weighed.peak],
            "plateau from": low,
            "plateau to": high,
        }
    ).round(3)


def held_out_figures(weighed: Weighed) -> pd.Series:
    """What choosing is worth on questions that did not choose."""
    estimate = weighed.decision.estimate
    low, high = estimate.interval
    return (
        pd.Series(
            {
                "today": estimate.before,
                "the procedure": estimate.after,
                "difference": estimate.difference,
                f"{estimate.level:.0%} interval from": low,
                f"{estimate.level:.0%} interval to": high,
            }
        ).round(4)
        + 0.0
    )  # a bound of -0.0 is one of 0.0


def judged(weighed: Weighed) -> pd.Series:
    """judged@k: how much of what is shown anybody has judged."""
    shown = weighed.table.judged[weighed.open_part]
    columns = {"today's share": weighed.today, "best share": weighed.peak}
    return pd.Series({name: shown[:, at].mean() for name, at in columns.items()}).round(3)


def moved(weighed: Weighed) -> pd.DataFrame:
    """The queries that gain and lose most from today's share to the best one."""
    table = weighed.table
    frame = pd.DataFrame(
        {
            "query": table.queries,
            "today": table.values[:, weighed.today],
            "best share": table.values[:, weighed.peak],
        }
    )[weighed.open_part]
    frame["gain"] = frame["best share"] - frame["today"]
    ordered = frame.sort_values(["gain", "query"], ascending=[False, True])
    ends = pd.concat([ordered.head(SHOWN), ordered.tail(SHOWN)]).drop_duplicates()
    return ends[ends["gain"] != 0].round(3).reset_index(drop=True)


def counts(weighed: Weighed) -> pd.Series:
    """How many queries gain, stay and lose from today's share to the best one."""
    values = weighed.table.values[weighed.open_part]
    gain = values[:, weighed.peak] - values[:, weighed.today]
    return pd.Series(
        {"gain": (gain > 0).sum(), "stay": (gain == 0).sum(), "lose": (gain < 0).sum()}
    )


def side_by_side(weighed: Weighed, query: str) -> pd.DataFrame:
    """The first results of one query under both shares, with their grades; "" is unjudged."""
    one = next(one for one in weighed.case.recordings if one.query == query)
    grades = weighed.case.judgements[query]
    columns: dict[str, list[str]] = {}
    for name, at in (("today", weighed.today), ("best share", weighed.peak)):
        weights = weighed.case.weights(weighed.table.settings[at])
        columns[name] = _first(one, weights, grades)
    rows = max(map(len, columns.values()), default=0)
    padded = {name: [*found, *[""] * (rows - len(found))] for name, found in columns.items()}
    return pd.DataFrame(padded, index=pd.RangeIndex(1, rows + 1, name="rank"))


def _first(
    one: Recorded, weights: tuple[float, float], grades: Mapping[tuple[str, str], int]
) -> list[str]:
    semantic, lexical = weights
    ranked = replay(one, replace(one.numbers, semantic_weight=semantic, lexical_weight=lexical))
    return [_named(pair(ranked.candidate.hit.id), grades) for ranked in ranked[:SHOWN]]


def _named(record: tuple[str, str], grades: Mapping[tuple[str, str], int]) -> str:
    grade = grades.get(record)
    return record[1] if grade is None else f"{record[1]} (grade {grade})"
