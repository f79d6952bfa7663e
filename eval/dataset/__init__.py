"""Labelled folders: read, checked, and joined to a federation of sources.

A folder holds ``corpus.jsonl``, ``queries.jsonl`` and ``qrels.tsv`` (or BEIR's ``qrels/test.tsv``).
Start at ``load_federation``.
"""

from eval.dataset.errors import DatasetError
from eval.dataset.federation import Federation, load_federation
from eval.dataset.folder import load_folder
from eval.dataset.records import Document, Query, SourceFolder

__all__ = [
    "DatasetError",
    "Document",
    "Federation",
    "Query",
    "SourceFolder",
    "load_federation",
    "load_folder",
]
