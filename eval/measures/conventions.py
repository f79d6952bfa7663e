"""What a figure rests on, in lines for the head of every report."""

from eval.measures.named import PERSISTENCE, SCALE


def conventions(*, imported: bool = False, scale: int = SCALE, as_of: str = "") -> list[str]:
    """``imported``: a run of another system, whose ties go by trec_eval's rule.

    ``as_of`` says for a dated set whether later documents were filtered out (RULINGS 6).
    """
    ties = "32-bit scores, ties by id descending (trec_eval)" if imported else "the runtime's order"
    lines = [
        f"ties: {ties}",
        "gain: linear, a grade below 1 gains nothing; ideal list: all judged documents",
        "a query without results counts 0; without judgements, or without a relevant document, "
        "it is listed and left out",
        f"unjudged: no gain, and Judged@k says how many; ERR and graded RBP scale to {scale}; "
        f"RBP's p {PERSISTENCE:g} unless named",
    ]
    return [*lines, f"recorded as of: {as_of}"] if as_of else lines
