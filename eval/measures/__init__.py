"""Measures over an order that is given: nothing here sorts results.

``measure("nDCG@10")`` makes one of its name in the field's own spelling (ir-measures); the bare
functions of ``arrays`` take many settings at once. What a figure rests on stands in
``conventions`` and is printed above every table.
"""

from eval.measures.arrays import (
    Floats,
    Judgements,
    Measured,
    NeverRan,
    dcg,
    ideal,
    judged,
    judged_at,
    measure_ndcg,
    ndcg,
    ndcg_at,
    recall,
    recall_at,
    rr,
    rr_at,
)
from eval.measures.evaluation import Evaluation, evaluate
from eval.measures.named import Measure, UnknownMeasure, measure

__all__ = [
    "Evaluation",
    "Floats",
    "Judgements",
    "Measure",
    "Measured",
    "NeverRan",
    "UnknownMeasure",
    "dcg",
    "evaluate",
    "ideal",
    "judged",
    "judged_at",
    "measure",
    "measure_ndcg",
    "ndcg",
    "ndcg_at",
    "recall",
    "recall_at",
    "rr",
    "rr_at",
]
