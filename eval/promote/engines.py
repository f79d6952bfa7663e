"""The semantic share in the words of other engines, and what of a tuned file they cannot say.

Sources: OpenSearch, search pipelines, "Normalization processor" (2.10 and later); Elasticsearch,
"Linear retriever" (8.18, 9.0 and later).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from esra.config.tuned import TunedFile
from esra.domain.capability import Scoring

# What a person puts the question and his own fields into.
QUERY, TEXT_FIELD, SEMANTIC_FIELD = "QUERY", "TEXT_FIELD", "SEMANTIC_FIELD"
PLACES = 6  # decimals of a weight; the two still add up to 1
SIZE = 10  # of a search that names none; a smaller window than that is refused by Elasticsearch
OWN_NUMBERS = "the catalog's own numbers: priorities, match bonus, freshness and floors"


class Form(StrEnum):
    OPENSEARCH = "opensearch-pipeline"
    ELASTIC = "elastic-linear"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much words and meaning count; they add up to 1."""

    lexical: float
    semantic: float


def weights_of(file: TunedFile) -> Weights:
    """Only the ratio of the two tuned weights orders."""
    numbers = file.tunables
    whole = numbers.semantic_weight + numbers.lexical_weight
    semantic = round(numbers.semantic_weight / whole, PLACES)
    return Weights(lexical=round(1 - semantic, PLACES), semantic=semantic)


def document(form: Form, file: TunedFile) -> dict[str, object]:
    """What the engine takes, or for ``json`` the numbers with their meaning."""
    match form:
        case Form.OPENSEARCH:
            return _opensearch(file)
        case Form.ELASTIC:
            return _elastic(file)
        case Form.JSON:
            return _plain(file)


def _said(file: TunedFile) -> str:
    return f"esra: {file.capability}, revision {file.revision}, {file.hash[:12]}"


def _opensearch(file: TunedFile) -> dict[str, object]:
    """The body of ``PUT /_search/pipeline/NAME``; the hybrid query names words first."""
    own = weights_of(file)
    processor = {
        "normalization": {"technique": "min_max"},
        "combination": {
            "technique": "arithmetic_mean",
            "parameters": {"weights": [own.lexical, own.semantic]},
        },
    }
    return {
        "description": _said(file),
        "phase_results_processors": [{"normalization-processor": processor}],
    }


def _elastic(file: TunedFile) -> dict[str, object]:
    """The body of ``GET /INDEX/_search``."""
    own = weights_of(file)
    lexical = {"match": {TEXT_FIELD: {"query": QUERY}}}
    semantic = {"semantic": {"field": SEMANTIC_FIELD, "query": QUERY}}
    parts = [
        {"retriever": _standard(lexical), "weight": own.lexical, "normalizer": "minmax"},
        {"retriever": _standard(semantic), "weight": own.semantic, "normalizer": "minmax"},
    ]
    window = max(SIZE, file.tunables.shortlist or Scoring().shortlist)
    return {"retriever": {"linear": {"retrievers": parts, "rank_window_size": window}}}


def _standard(query: dict[str, object]) -> dict[str, object]:
    return {"standard": {"query": query}}


def _plain(file: TunedFile) -> dict[str, object]:
    own = weights_of(file)
    return {
        "capability": file.capability,
        "revision": file.revision,
        "hash": file.hash,
        "weights": {"lexical": own.lexical, "semantic": own.semantic},
        "normalization": {"lexical": "min-max per query and source", "semantic": "as it is, 0..1"},
        "tunables": file.tunables.model_dump(exclude_none=True, exclude_defaults=True),
        "models": file.models.model_dump(),
        "data": file.data,
    }


def by_hand(form: Form) -> list[str]:
    """What is left for a person to do, a line each."""
    match form:
        case Form.OPENSEARCH:
            return ["the hybrid query has to name the clause of words first, then that of meaning"]
        case Form.ELASTIC:
            return [
                f"fill in {QUERY}, {TEXT_FIELD} and {SEMANTIC_FIELD}",
                "raise rank_window_size where the search's own size is larger",
            ]
        case Form.JSON:
            return []


def left_behind(form: Form, file: TunedFile) -> list[str]:
    """What does not come along, a line each."""
    if form is Form.JSON:
        return ["the evidence: it stays in the tuned file", OWN_NUMBERS]
    return [
        "the figures: they were measured in esra; measure again where the weights are used",
        *_tuned(file),
        OWN_NUMBERS,
        "min-max per query and source: the engine takes it over a whole clause, and the semantic "
        "score, which esra takes as it is in 0..1, is stretched too",
        "the shortlist: esra asks the model about the best by words alone, a clause scores "
        "whatever it retrieves",
        "the order of groups: in esra what the model left out stands after what it scored",
    ]


def _tuned(file: TunedFile) -> list[str]:
    own = file.tunables.model_dump(exclude_none=True, exclude_defaults=True, exclude={"sources"})
    names = [name for name in own if name not in ("semantic_weight", "lexical_weight")]
    names += [
        f"{name} of {source}"
        for source, block in file.tunables.sources.items()
        for name in block.model_dump(exclude_none=True)
    ]
    return [f"tuned besides the share: {', '.join(names)}"] if names else []
