"""A sentence-embedding model on this machine as reranker and selector.

Both answer in the same closed JSON forms as a language model, and pass the same checks. Cosine
becomes a score by one fixed map: negative ones count 0 (``score_of``).
"""

import asyncio
import json
import time
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from esra.briefs import RerankBrief, SelectBrief
from esra.domain.usage import Usage
from esra.ports import Reply, Trouble

SCORE_MAP = "max(0, cosine)"
FRAGMENT_TOKENS = 64
# A source is taken when its description is nearly as close to the prompt as the closest one's.
MARGIN = 0.1


class Embeds(Protocol):
    """Sentence vectors: float32 [n, d], each of length 1."""

    @property
    def identity(self) -> str: ...

    def embed(self, texts: list[str], max_tokens: int = 64) -> NDArray[np.float32]: ...


def score_of(cosine: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n] scores in 0..1."""
    return np.clip(cosine, 0.0, 1.0)


def cosines(embedder: Embeds, prompt: str, texts: list[str]) -> NDArray[np.float64]:
    """[n] cosine of the prompt with each text, first 64 tokens each."""
    vectors = embedder.embed([prompt, *texts], FRAGMENT_TOKENS).astype(np.float64)
    # Row by row, so that a text's score does not depend on which others were asked with it.
    products: NDArray[np.float64] = vectors[1:] * vectors[0]
    return np.asarray(products.sum(axis=1), dtype=np.float64)


class LocalReranker:
    """Scores a candidate by the cosine of its title and fragment with the prompt."""

    def __init__(self, embedder: Embeds) -> None:
        self._embedder = embedder

    @property
    def identity(self) -> str:
        return f"{self._embedder.identity};{SCORE_MAP};{FRAGMENT_TOKENS} tokens"

    async def rerank(self, brief: RerankBrief) -> Reply:
        texts = ["\n".join((c.title, *c.fragments)) for c in brief.candidates]
        cosine, seconds = await _timed(self._embedder, brief.prompt, texts)
        rows = [
            {"resultId": candidate.resultId, "score": score}
            for candidate, score in zip(brief.candidates, score_of(cosine).tolist(), strict=True)
        ]
        return Reply(text=json.dumps({"scores": rows}), usage=Usage(seconds=seconds))


class LocalSelector:
    """Takes the sources whose description is within a margin of the closest one."""

    def __init__(self, embedder: Embeds) -> None:
        self._embedder = embedder

    @property
    def identity(self) -> str:
        return f"{self._embedder.identity};margin {MARGIN}"

    async def select(self, brief: SelectBrief) -> Reply:
        texts = [" ".join((c.description, c.usage, *c.tags, *c.examples)) for c in brief.candidates]
        cosine, seconds = await _timed(self._embedder, brief.prompt, texts)
        near = cosine >= cosine.max() - MARGIN
        ids = [c.id for c, taken in zip(brief.candidates, near.tolist(), strict=True) if taken]
        return Reply(text=json.dumps({"sources": ids}), usage=Usage(seconds=seconds))


async def _timed(
    embedder: Embeds, prompt: str, texts: list[str]
) -> tuple[NDArray[np.float64], float]:
    """The cosines, made in a thread so that the loop goes on, and the seconds they took."""
    started = time.perf_counter()
    try:
        cosine = await asyncio.to_thread(cosines, embedder, prompt, texts)
    except (RuntimeError, OSError) as error:
        raise Trouble("the model on this machine did not answer") from error
    return cosine, time.perf_counter() - started
