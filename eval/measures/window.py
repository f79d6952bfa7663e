"""What a context window holds: an assistant reads so many tokens, not ten links.

``lengths`` are tokens of each shown result in order. A result is read where it ends inside the
window; one that is cut by its edge is not counted as read.
"""

from collections.abc import Hashable, Sequence
from itertools import accumulate
from math import ceil

from eval.measures.arrays import Judgements

CHARACTERS_A_TOKEN = 4.0  # the usual rule of thumb, where no tokenizer is given


def tokens(text: str) -> int:
    """About how many tokens a text has. An estimate, and called one wherever it is printed."""
    return ceil(len(text) / CHARACTERS_A_TOKEN)


def recall_in(
    ids: Sequence[Hashable],
    lengths: Sequence[int],
    judgements: Judgements,
    window: int,
    level: int = 1,
) -> float:
    """Recall@<window>tok: the share of relevant documents read within ``window`` tokens.

    ValueError where nothing is relevant.
    """
    wanted = sum(grade >= level for grade in judgements.values())
    if not wanted:
        raise ValueError(f"no document of grade {level} or better: recall is not defined")
    ends = accumulate(lengths)
    read = [id for id, end in zip(ids, ends, strict=True) if end <= window]
    return sum(judgements.get(id, 0) >= level for id in read) / wanted


def offset_of_first_right(
    ids: Sequence[Hashable], lengths: Sequence[int], judgements: Judgements, level: int = 1
) -> int | None:
    """Tokens before the first right result begins; None where none is shown."""
    starts = accumulate(lengths, initial=0)
    for id, start in zip(ids, starts, strict=False):
        if judgements.get(id, 0) >= level:
            return start
    return None
