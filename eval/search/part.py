"""Some queries of a layout by themselves: a climb pays for no others, and cannot see them."""

from dataclasses import fields

import numpy as np

from eval.bulk import Bulk, Labels, Mask, Rows


def part(bulk: Bulk, labels: Labels, chosen: Mask) -> tuple[Bulk, Labels]:
    """The ``chosen`` [Q] queries alone, as if no other were laid out; each float stays."""
    kept, rows = chosen[bulk.query], bulk.rows
    there = kept[rows.record]
    number, query = np.cumsum(kept) - 1, np.cumsum(chosen) - 1
    fewer = {field.name: getattr(rows, field.name)[there] for field in fields(rows)}
    small = Bulk(
        queries=tuple(q for q, own in zip(bulk.queries, chosen, strict=True) if own),
        sources=bulk.sources,
        rows=Rows(**{**fewer, "record": number[rows.record[there]]}),
        ids=tuple(id for id, own in zip(bulk.ids, kept, strict=True) if own),
        query=query[bulk.query[kept]],
        source=bulk.source[kept],
        group=bulk.group[kept],
        semantic=bulk.semantic[kept],
        asked=bulk.asked[kept],
        answers=bulk.answers,
    )
    own = Labels(
        k=labels.k,
        gain=labels.gain[kept],
        ideal=labels.ideal[chosen],
        measured=labels.measured[chosen],
    )
    return small, own
