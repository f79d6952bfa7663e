"""How alike two orders are: the model's and the fallback's, or today's and a candidate's."""

from collections.abc import Hashable, Sequence


def jaccard(one: Sequence[Hashable], other: Sequence[Hashable], k: int) -> float:
    """Shared among the first ``k`` over all among them; 1 for two empty lists."""
    first, second = set(one[:k]), set(other[:k])
    union = first | second
    return len(first & second) / len(union) if union else 1.0


def rbo(one: Sequence[Hashable], other: Sequence[Hashable], p: float = 0.9) -> float:
    """Extrapolated rank-biased overlap of two lists without ties, 0..1; 1 for two empty lists.

    Lists may differ in length. Source: Webber, Moffat and Zobel, *A similarity measure for
    indefinite rankings*, ACM TOIS 28 (2010), equation 32.
    """
    if not 0 < p < 1:
        raise ValueError("p lies strictly between 0 and 1")
    short, long = sorted((one, other), key=len)
    if not long:
        return 1.0
    if not short:
        return 0.0
    s, length = len(short), len(long)
    overlap = _overlaps(short, long)
    total = sum(overlap[depth - 1] / depth * p**depth for depth in range(1, length + 1))
    at_s = overlap[s - 1]
    # Beyond the short list's end its agreement is taken to go on as it stood there.
    total += sum(at_s * (depth - s) / (s * depth) * p**depth for depth in range(s + 1, length + 1))
    rest = (overlap[length - 1] - at_s) / length + at_s / s
    return (1 - p) / p * total + rest * p**length


def _overlaps(short: Sequence[Hashable], long: Sequence[Hashable]) -> list[int]:
    """[len(long)] how many ids both lists share down to each depth."""
    seen_short: set[Hashable] = set()
    seen_long: set[Hashable] = set()
    found, shared = [], 0
    for depth, id in enumerate(long):
        seen_long.add(id)
        shared += id in seen_short
        if depth < len(short):
            seen_short.add(short[depth])
            shared += short[depth] in seen_long
        found.append(shared)
    return found


def kendall_tau(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Kendall's tau over the ids both lists hold, -1..1; None where these are fewer than two."""
    # It takes seconds to import, and most reports compare no two lists.
    from scipy.stats import kendalltau

    place = {id: rank for rank, id in enumerate(other)}
    ranks = [place[id] for id in one if id in place]
    if len(ranks) < 2:
        return None
    return float(kendalltau(range(len(ranks)), ranks).statistic)
