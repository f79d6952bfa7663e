"""How old what is shown is. Times are seconds since the epoch; ages and spans are days."""

from collections.abc import Sequence
from dataclasses import dataclass

DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One result: its own time (None: it has none), and whether it is right (None: unjudged)."""

    timestamp: float | None
    relevant: bool | None = None
    stale: bool = False


def staleness(shown: Sequence[Shown], now: float, k: int, *, days: float) -> float | None:
    """Staleness@k: of the first ``k`` results with a time, the share older than ``days``.

    A result marked stale counts as old whatever its time. None where no result tells its age.
    """
    told = [one for one in shown[:k] if one.stale or one.timestamp is not None]
    if not told:
        return None
    return sum(one.stale or age(one, now) > days for one in told) / len(told)


def age(one: Shown, now: float) -> float:
    """Days between a result's time and ``now``, never below 0. ValueError without a time."""
    if one.timestamp is None:
        raise ValueError("a result without a time has no age")
    return max(0.0, now - one.timestamp) / DAY


def age_of_first_right(shown: Sequence[Shown], now: float) -> float | None:
    """Days: the age of the first right result that has a time; None where there is none."""
    dated = (one for one in shown if one.relevant and one.timestamp is not None)
    first = next(dated, None)
    return None if first is None else age(first, now)
