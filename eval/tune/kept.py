"""What a run folder keeps of the labels: ``labels.json`` and ``about.json`` beside the traces.

A group without a name of its own is called by its question's words; here it is called by what
retention allows. What decides and what is sealed goes by the groups themselves.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path

from esra.config.catalog import load_catalog
from esra.domain.capability import Capability
from esra.domain.invocation import Retention
from eval import runfolder
from eval.recording import about
from eval.recording.as_of import NOT
from eval.recording.labelled import Set, of_folders
from eval.tune.case import Case
from eval.tune.order import Order, asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A recording: its folder and the whole key of that, who answered, and what may be kept."""

    folder: Path
    key: str
    models: dict[str, str]
    retention: Retention
    secret: bytes = field(repr=False)


def keep(case: Case, order: Order, catalog: Path, capability: Capability, made: Made) -> None:
    """Writes both files; what `record` measured of the same recording stays in them."""
    whole = replace(of_folders(order.federation), queries=tuple(asked(order)))
    labels = whole.masked(made.retention, made.secret)
    groups = {query.id: query.group for query in labels.queries}
    runfolder.write(made.folder, replace(case, groups=groups))
    about.write(made.folder, _about(labels, catalog, capability, made))


def _about(labels: Set, catalog: Path, capability: Capability, made: Made) -> about.About:
    before = about.read(made.folder)
    if before is not None and before.key == made.key:
        return replace(before, queries={**before.queries, **labels.labels})
    families = {source.id: source.family for source in load_catalog(catalog).catalog.sources}
    forms = capability.forms
    return about.About(
        arm=capability.id,
        as_of=NOT if any(query.now is not None for query in labels.questions) else "",
        forms={"select": forms.select, "plan": forms.plan, "rerank": forms.rerank},
        shortlist=capability.scoring.shortlist,
        sources={
            binding.source: about.Held(
                family=families[binding.source], documents=labels.sizes.get(binding.source)
            )
            for binding in capability.bindings
        },
        queries=labels.labels,
        key=made.key,
    )
