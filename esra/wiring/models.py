"""The adapters of the model stages: on this machine, behind an endpoint, or none."""

from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

from esra.config.catalog import Loaded
from esra.config.strict import ConfigError
from esra.domain.capability import Capability, Catalog, PlanForm, RerankForm, SelectForm
from esra.governance import places, secrets
from esra.llm.embedder import Embedder, ModelMissing, ModelUnusable
from esra.llm.local import LocalReranker, LocalSelector
from esra.llm.openai import Endpoint, LanguageModel
from esra.llm.planner import LocalPlanner
from esra.llm.prompts import load_prompts
from esra.llm.statistics import StatisticsSelector
from esra.llm.vector_cache import CachedEmbedder, EmbeddingCache
from esra.sources.evidence import Statistics
from esra.wiring.wishes import CannotOpen

# Adapters of the model stages: "selectors", "planners", "rerankers", each by the form's name.
Models = dict[str, dict[str, Any]]


def models_for(
    loaded: Loaded,
    catalog: Catalog,
    folder: Path,
    base: Path,
    known: dict[str, Statistics],
    stack: AsyncExitStack,
) -> Models:
    """The adapters that the forms of ``catalog`` ask for; ``CannotOpen`` where one is missing."""
    try:
        models = _models(catalog, base, known)
        _add_language_model(models, loaded, folder, stack)
    except (ModelMissing, ModelUnusable) as error:
        raise CannotOpen(str(error)) from error
    return models


async def identities_of(loaded: Loaded, folder: Path, base: Path) -> dict[str, dict[str, str]]:
    """For each capability the identity of each stage's model, with no engine opened.

    Raises ``CannotOpen`` where a model is not on this machine.
    """
    async with AsyncExitStack() as stack:
        models = models_for(loaded, loaded.catalog, folder, base, {}, stack)
        return {c.id: models_of(c, models) for c in loaded.catalog.capabilities}


def models_of(capability: Capability, models: Models) -> dict[str, str]:
    """The identity of each stage's model under the capability's forms; "" where none is asked."""
    forms = capability.forms
    asked = {
        "select": models["selectors"].get(forms.select.value),
        "plan": models["planners"].get(forms.plan.value),
        "rerank": models["rerankers"].get(forms.rerank.value),
    }
    return {stage: model.identity if model else "" for stage, model in asked.items()}


def _models(catalog: Catalog, base: Path, known: dict[str, Statistics]) -> Models:
    """The selectors, planners and rerankers by form; a model is looked up only if one is asked."""
    models: Models = {
        "selectors": {SelectForm.STATISTICS.value: StatisticsSelector(known)},
        "planners": {PlanForm.LOCAL.value: LocalPlanner()},
        "rerankers": {},
    }
    forms = [capability.forms for capability in catalog.capabilities]
    if any(f.select is SelectForm.LOCAL or f.rerank is RerankForm.LOCAL for f in forms):
        embedder = CachedEmbedder(Embedder.find(), EmbeddingCache(places.embeddings_file(base)))
        models["selectors"][SelectForm.LOCAL.value] = LocalSelector(embedder)
        models["rerankers"][RerankForm.LOCAL.value] = LocalReranker(embedder)
    return models


def _add_language_model(
    models: Models, loaded: Loaded, folder: Path, stack: AsyncExitStack
) -> None:
    """The catalog's language model behind the form ``model`` of every stage, if it has one."""
    block = loaded.model
    if block is None:
        return
    key = None if block.key is None else partial(secrets.resolve, block.key, folder)
    try:
        prompts = load_prompts(None if block.prompts is None else folder / block.prompts)
        settings = block.model_dump(exclude={"key", "prompts", "price"})
        price = None if block.price is None else (block.price[0], block.price[1])
        model = LanguageModel(Endpoint(key=key, price=price, **settings), prompts)
    except ValueError as error:
        raise ConfigError(f"[model]: {error}") from error
    stack.push_async_callback(model.close)
    models["selectors"][SelectForm.MODEL.value] = model.selector
    models["planners"][PlanForm.MODEL.value] = model.planner
    models["rerankers"][RerankForm.MODEL.value] = model.reranker
