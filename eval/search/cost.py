"""What a setting asks of the engines. The ceiling is the one number that saves them work."""

from collections import Counter
from collections.abc import Sequence

from esra.domain.capability import Scoring
from eval.replay import Recorded


def queries_a_call(recordings: Sequence[Recorded], settings: Sequence[Scoring]) -> list[float]:
    """Queries that ran in one invocation, on average, under each setting.

    Failed ones and those that found nothing count: they were asked. ValueError without a recording.
    """
    if not recordings:
        raise ValueError("no recording: nothing was asked")
    ran = Counter((answer.source, answer.query) for one in recordings for answer in one.answers)
    found = []
    for numbers in settings:
        ceiling = {source: numbers.of(source).ceiling for source, _ in ran}
        kept = sum(count for (source, place), count in ran.items() if place < ceiling[source])
        found.append(kept / len(recordings))
    return found
