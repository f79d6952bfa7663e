"""The one arithmetic: every number that orders results is computed here.

Each function takes floats or numpy arrays of float64 and broadcasts, so that one record in the
runtime, a whole query in a stage and ten thousand recorded candidates in a replay run the very
same operations in the same order, and give the same floats. Source: stages 6 and 7, RULINGS 1-10.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

DAY = 86_400.0

Floats = NDArray[np.float64]


def _floats(value: ArrayLike) -> Floats:
    return np.asarray(value, dtype=np.float64)


def normalise(native: ArrayLike, low: ArrayLike, high: ArrayLike) -> Floats:
    """(native - min) / (max - min), and 1.0 where max == min. 0..1.

    Halved before subtracting when the range would overflow, which changes no quotient.
    """
    native, low, high = _floats(native), _floats(low), _floats(high)
    with np.errstate(over="ignore", invalid="ignore"):
        wide = ~np.isfinite(high - low)
        scale = np.where(wide, 0.5, 1.0)
        span = high * scale - low * scale
        flat = span == 0.0
        return np.where(flat, 1.0, (native * scale - low * scale) / np.where(flat, 1.0, span))


def floored(found: ArrayLike, floor: ArrayLike) -> Floats:
    """floor + (1 - floor) * found: a weight that never falls below ``floor``.

    ``found`` in 0..1, NaN where there is nothing to weigh: 1.0 then, and 1.0 under a floor of 1.
    """
    found, floor = _floats(found), _floats(floor)
    return np.where(np.isnan(found), 1.0, floor + (1.0 - floor) * found)


def halved(age: ArrayLike, half_life: ArrayLike) -> Floats:
    """0.5 ** (max(0, age) / half_life); age in seconds, half_life in days.

    An age or a half-life that is NaN means "no timestamp" or "off" and gives NaN.
    """
    age, half_life = _floats(age), _floats(half_life)
    off = np.isnan(age) | np.isnan(half_life)
    lives = np.maximum(0.0, np.where(off, 0.0, age)) / (np.where(off, 1.0, half_life) * DAY)
    # numpy's vectorised power may differ from its scalar one in the last bit, so that an array
    # and a single record would disagree; Python's own is one function for both.
    flat = [0.5**life for life in np.ravel(lives).tolist()]
    return np.where(off, np.nan, np.array(flat, dtype=np.float64).reshape(np.shape(lives)))


def freshness(age: ArrayLike, half_life: ArrayLike, floor: ArrayLike) -> Floats:
    """floor + (1 - floor) * 0.5 ** (max(0, age) / half_life), and 1.0 where off (RULINGS 6)."""
    return floored(halved(age, half_life), floor)


def demote(fresh: ArrayLike, stale: ArrayLike, stale_weight: ArrayLike) -> Floats:
    """The freshness weight of records marked stale, times ``stale_weight`` (RULINGS 6)."""
    return _floats(fresh) * np.where(np.asarray(stale, dtype=bool), _floats(stale_weight), 1.0)


def evidence(found: ArrayLike, floor: ArrayLike) -> Floats:
    """How far a source's words speak for a question, never below ``floor`` (RULINGS 47)."""
    return floored(found, floor)


def weight(
    normalised: ArrayLike, priority: ArrayLike, fresh: ArrayLike, evident: ArrayLike = 1.0
) -> Floats:
    """normalised x priorityWeight x freshnessWeight, and the source's evidence where it is on."""
    return _floats(normalised) * _floats(priority) * _floats(fresh) * _floats(evident)


def bonus(matches: ArrayLike, each: ArrayLike, cap: ArrayLike) -> Floats:
    """What being found by other queries adds: ``each`` for every match but the first, capped."""
    return np.minimum((_floats(matches) - 1.0) * _floats(each), _floats(cap))


def merged(best: ArrayLike, extra: ArrayLike) -> Floats:
    """The weighted score of a candidate: its best match's, and the bonus for the others."""
    return _floats(best) + _floats(extra)


def blend(semantic: ArrayLike, weighted: ArrayLike, share: ArrayLike, rest: ArrayLike) -> Floats:
    """share x semantic + rest x weighted: the final score of a candidate the model scored."""
    return _floats(share) * _floats(semantic) + _floats(rest) * _floats(weighted)


# The groups of the final order (RULINGS 7): a smaller one comes first.
GIVEN, OMITTED, NOT_ASKED = 0, 1, 2

OrderKey = tuple[int, float, tuple[float, ...], str, bytes, bytes]


def order_key(
    group: int, score: float, tie: Sequence[float], source: str, key: str, relation: str
) -> OrderKey:
    """The total order of an answer, ascending: group, score descending, tie fields, id as bytes."""
    return (group, -score, tuple(tie), source, key.encode(), relation.encode())


def round_robin(lanes: Iterable[Sequence[int]], size: int) -> list[int]:
    """The first ``size`` positions, one from each lane in turn; lanes are sorted best first."""
    waiting = [list(lane) for lane in lanes if len(lane)]
    taken: list[int] = []
    depth = 0
    while len(taken) < size and any(depth < len(lane) for lane in waiting):
        taken.extend(lane[depth] for lane in waiting if depth < len(lane))
        depth += 1
    return taken[:size]


def weights(thousandths: int) -> tuple[float, float]:
    """The two rerank weights of a semantic share given in thousandths: 700 is (0.7, 0.3)."""
    if not 0 <= thousandths <= 1000:
        raise ValueError(f"a semantic share lies in 0..1000 thousandths, not {thousandths}")
    return thousandths / 1000, (1000 - thousandths) / 1000


def weights_of(share: float) -> tuple[float, float]:
    """The two rerank weights of a semantic share in 0..1.

    A share that somebody typed in thousandths gives what ``weights`` gives: 1 - 0.7 is not 0.3.
    """
    thousandths = round(share * 1000)
    return weights(thousandths) if thousandths / 1000 == share else (share, 1.0 - share)
