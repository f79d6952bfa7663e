"""The catalog of a capability that is made of labelled folders; an edited one is kept."""

from collections.abc import Sequence
from pathlib import Path

from esra.governance import places
from eval import catalog as writing
from eval.dataset import Federation
from eval.load import Loaded
from eval.progress import Progress
from eval.tune.order import Order

EXAMPLES = 3  # titles that stand in a generated description
MOST_SHORTLIST = 200


def write_catalog(
    order: Order,
    slug: str,
    federation: Federation,
    loaded: Loaded,
    reference: str,
    base: Path,
    progress: Progress,
) -> Path:
    """Its path. ``reference``: under which the catalog finds the reader's URL."""
    path = places.catalog_file(base, slug)
    tables = {table.source: table.table for table in loaded.tables}
    sources = tuple(
        writing.CatalogSource(
            id=source.name,
            table=tables[source.name],
            documents=len(source.documents),
            examples=_examples(source.documents),
            dated=any(document.date for document in source.documents),
        )
        for source in federation.sources
    )
    text = writing.catalog_text(
        slug,
        order.name,
        loaded.schema,
        reference,
        sources,
        writing.Choices(
            select=order.select, rerank=order.rerank, shortlist=shortlist_for(len(sources))
        ),
        federation.fingerprint,
    )
    if writing.keep_or_write(path, text):
        progress.say(f"{slug}: catalog {path}")
    else:
        progress.say(f"{slug}: keeping your edited catalog {path}; its own forms hold")
    return path


def shortlist_for(sources: int) -> int:
    """How many candidates a generated capability reranks: enough of each source, within bounds."""
    return min(MOST_SHORTLIST, max(30, 20 * sources))


def _examples(documents: Sequence) -> tuple[str, ...]:
    titles = [" ".join(d.title.split())[:80] for d in documents if d.title.strip()]
    step = max(1, len(titles) // EXAMPLES)
    return tuple(titles[::step][:EXAMPLES])
