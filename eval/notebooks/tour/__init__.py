"""What notebooks/00_tour walks through: a bakery's documents, a scripted model, ways to look."""

from eval.notebooks.tour.bakery import DOCUMENTS, NOW, QUESTION, house
from eval.notebooks.tour.looks import (
    answers_table,
    audit_table,
    brief_table,
    factors_table,
    matches_table,
    results_table,
)
from eval.notebooks.tour.model import forged, honest, rambling

__all__ = [
    "DOCUMENTS",
    "NOW",
    "QUESTION",
    "answers_table",
    "audit_table",
    "brief_table",
    "factors_table",
    "forged",
    "honest",
    "house",
    "matches_table",
    "rambling",
    "results_table",
]
