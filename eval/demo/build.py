"""Records the demo trace: known-item questions of pydocs through the real pipeline.

The engine is the memory provider, the reranker the model on this machine. Names of functions,
scores and judgements are kept; prompts, titles and texts are not.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from esra.domain.capability import Binding, Capability, Catalog, Exposure, Forms, RerankForm
from esra.domain.invocation import Retention
from esra.domain.source import Limits, Mapping, Relation, Source
from esra.governance import places
from esra.governance.audit import ListAudit
from esra.governance.clock import StillClock
from esra.llm.embedder import Embedder
from esra.llm.local import LocalReranker
from esra.llm.vector_cache import CachedEmbedder, EmbeddingCache
from esra.ports import House
from esra.providers.memory import MemoryProvider, Record
from eval import pydocs, record
from eval.dataset import Federation, SourceFolder, load_federation
from eval.demo.shipped import NAME, QRELS, QUERIES, TRACES, source_of
from eval.formats.qrels import QrelsForm, write_qrels
from eval.formats.writing import checked_id, write_lines
from eval.pydocs.labels import Track
from eval.record import Question
from eval.replay import Trace

QUESTIONS = 72
ROWS = 3  # of a query and source: the file stays under 400 KB


def build(folder: Path, work: Path, say: Callable[[str], None]) -> None:
    """Writes the demo's three files into ``folder``; what it needs on the way goes to ``work``."""
    built = pydocs.build(work / "pydocs", queries=QUESTIONS, say=say)
    federation = load_federation(built.tracks[Track.KNOWN])
    asked = [Question(id=query.id, text=query.text) for query in federation.queries]
    say(f"recording {len(asked)} questions")
    draft = work / TRACES
    asyncio.run(record.record(asked, NAME, house(federation.sources), draft))
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / TRACES, _steady(draft))
    _write_labels(federation, folder)


def house(sources: Sequence[SourceFolder]) -> House:
    """The pipeline over the folders' documents in memory."""
    relations = {
        source.name: [Record(key=d.key, title=d.title, text=d.text) for d in source.documents]
        for source in sources
    }
    cache = EmbeddingCache(places.embeddings_file(places.home()))
    return House(
        catalog=_catalog([source.name for source in sources]),
        providers={"memory": MemoryProvider(relations)},
        audit=ListAudit(),
        clock=StillClock(),
        retention=Retention.NONE,
        rerankers={RerankForm.LOCAL.value: LocalReranker(CachedEmbedder(Embedder.find(), cache))},
    )


def _catalog(names: Sequence[str]) -> Catalog:
    capability = Capability(
        id=NAME,
        name=NAME,
        bindings=tuple(Binding(source=name) for name in names),
        forms=Forms(rerank=RerankForm.LOCAL),
        limits=Limits(rows=ROWS),
    )
    return Catalog(
        sources=tuple(_source(name) for name in names),
        capabilities=(capability,),
        exposures=(Exposure(slug=NAME, capability=NAME),),
        version=NAME,
    )


def _source(name: str) -> Source:
    relation = Relation(
        schema=NAME, table=name, key="key", title="title", text="text", vector="vector"
    )
    mapping = Mapping(id="api", name="API", description="", relation=relation)
    return Source(id=name, name=name, provider="memory", mappings=(mapping,))


def _steady(draft: Path) -> list[str]:
    """The lines in the order of their queries, without what differs from one making to the next."""
    return [
        json.dumps(
            {"query": query, "trace": _timeless(trace, f"{NAME}-{number:03}")},
            separators=(",", ":"),
            allow_nan=False,
        )
        for number, (query, trace) in enumerate(sorted(record.lines(draft)), 1)
    ]


def _timeless(trace: Trace, invocation: str) -> Trace:
    """The trace under a steady id, without what its models took and how long its texts are."""
    told = {key: value for key, value in trace.items() if key != "lengths"}
    return {**told, "invocation": invocation, "calls": []}


def _write_labels(federation: Federation, folder: Path) -> None:
    graded: dict[str, dict[str, int]] = {}
    for query, grades in sorted(federation.judgements.items()):
        for (source, key), grade in sorted(grades.items()):
            if source_of(key) != source:
                raise ValueError(f"{key} of {source} is not documented under its package's name")
            graded.setdefault(query, {})[key] = grade
    write_qrels(graded, folder / QRELS, QrelsForm.BEIR)
    rows = sorted(f"{checked_id(q.id)}\t{checked_id(q.group)}" for q in federation.queries)
    write_lines(folder / QUERIES, ["query-id\tgroup", *rows])
