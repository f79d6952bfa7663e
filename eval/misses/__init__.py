"""Why right documents are not in an answer, exactly one cause each, and what each cause costs."""

from eval.misses.causes import Cause, cause
from eval.misses.known import Known, KnownUnusable
from eval.misses.table import Misses, Row, as_json, as_text, misses

__all__ = [
    "Cause",
    "Known",
    "KnownUnusable",
    "Misses",
    "Row",
    "as_json",
    "as_text",
    "cause",
    "misses",
]
