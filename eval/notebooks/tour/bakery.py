"""A dozen documents of a small bakery, in two sources, and a house around them in memory."""

from collections.abc import Mapping

from esra.domain.capability import (
    Binding,
    Capability,
    Catalog,
    Exposure,
    Forms,
    PlanForm,
    RerankForm,
    SelectForm,
)
from esra.domain.source import Field, FieldType, Masking, Operator, Relation, Source
from esra.domain.source import Mapping as Searched
from esra.governance.audit import ListAudit
from esra.governance.clock import StillClock
from esra.llm.scripted import Scripted
from esra.ports import House, TraceSink
from esra.providers.memory import MemoryProvider, Record

QUESTION = "Why did my sourdough not rise overnight?"
NOW = 1_790_000_000.0  # a Monday in September 2026


def _recipe(key: str, title: str, text: str, level: str) -> Record:
    return Record(key=key, title=title, text=text, fields={"lvl": level})


def _entry(key: str, title: str, text: str, machine: str, phone: str = "") -> Record:
    return Record(
        key=key,
        title=title,
        text=text,
        fields={"mach": machine, "tel": phone, "eur": 100 * len(key)},
    )


DOCUMENTS: Mapping[str, tuple[Record, ...]] = {
    "recipes": (
        _recipe(
            "r1",
            "Sourdough that will not rise",
            "A cold kitchen is the usual reason. Below "
            "twenty degrees the starter sleeps: give the dough twice the time.",
            "all",
        ),
        _recipe(
            "r2",
            "Feeding a starter",
            "Equal weights of flour and water every day. One that "
            "doubles within six hours is ready to raise a dough.",
            "all",
        ),
        _recipe(
            "r3",
            "Overnight rest in the fridge",
            "Shape the loaf, cover it, and let it rest "
            "overnight at five degrees. It will rise in the oven.",
            "all",
        ),
        _recipe(
            "r4",
            "Brioche",
            "Butter goes in last, cold and in small pieces. Rise for two "
            "hours, rest overnight, bake early.",
            "advanced",
        ),
        _recipe(
            "r5",
            "Which flour for what",
            "Rye for taste, strong wheat for height. Old flour makes a flat loaf.",
            "all",
        ),
        _recipe("r6", "Salt", "Two grams for each hundred of flour. Salt slows the yeast.", "all"),
        _recipe("r7", "Baguette", "A wet dough, short kneading, much steam.", "advanced"),
    ),
    "workshop": (
        _entry(
            "w1",
            "Proving cabinet fails at night",
            "The proving cabinet lost its warmth "
            "overnight. Nothing in it did rise. Technician called.",
            "cabinet",
            "555 010 4471",
        ),
        _entry(
            "w2",
            "Flour of another mill",
            "The delivery of Thursday came from another mill. Doughs take less water.",
            "silo",
        ),
        _entry("w3", "Oven door", "The seal of the left door is worn.", "oven", "555 010 2289"),
        _entry("w4", "Mixer", "Cleaned, and the hook replaced.", "mixer"),
        _entry("w5", "Fridge two", "Too cold: four degrees below its setting.", "fridge"),
    ),
}


def house(model: Scripted, traces: TraceSink | None = None) -> House:
    """The pipeline's surroundings: both sources in memory, the model behind all three ports."""
    return House(
        catalog=_catalog(),
        providers={"memory": MemoryProvider(DOCUMENTS)},
        audit=ListAudit(),
        clock=StillClock(NOW),
        selectors={SelectForm.MODEL.value: model},
        planners={PlanForm.MODEL.value: model},
        rerankers={RerankForm.MODEL.value: model},
        traces=traces,
    )


def _catalog() -> Catalog:
    return Catalog(
        sources=(_recipes(), _workshop()),
        capabilities=(
            Capability(
                id="bakery",
                name="Bakery",
                bindings=(Binding(source="recipes"), Binding(source="workshop")),
                forms=Forms(select=SelectForm.MODEL, plan=PlanForm.MODEL, rerank=RerankForm.MODEL),
            ),
        ),
        exposures=(
            Exposure(
                slug="bakery",
                capability="bakery",
                # explain shows native scores; this audience is the person who tunes them.
                modes=frozenset({"brief", "full", "explain"}),
            ),
        ),
        version="tour",
    )


def _recipes() -> Source:
    level = Field(
        name="level",
        column="lvl",
        filterable=True,
        operators=frozenset({Operator.EQ}),
        returnable=True,
    )
    return Source(
        id="recipes",
        name="Recipes",
        provider="memory",
        description="Recipes, and what bakers know about dough.",
        usage="Questions of how and why in baking.",
        mappings=(_mapping("pages", "Pages", (level,)),),
    )


def _workshop() -> Source:
    fields = (
        Field(
            name="machine",
            column="mach",
            filterable=True,
            operators=frozenset({Operator.EQ, Operator.IN}),
            returnable=True,
        ),
        Field(name="contact", column="tel", returnable=True, masking=Masking.LAST4),
        Field(name="invoice", column="eur", type=FieldType.NUMBER, restricted=True),
    )
    return Source(
        id="workshop",
        name="Workshop log",
        provider="memory",
        description="What happened to machines and deliveries of this bakery.",
        usage="Questions of what broke, came late or changed.",
        mappings=(_mapping("log", "Log", fields),),
    )


def _mapping(id: str, name: str, fields: tuple[Field, ...]) -> Searched:
    # The engine's own names, which no model, response or audit record ever sees.
    table = {"pages": "recipes", "log": "workshop"}[id]
    relation = Relation(
        schema="oven_db", table=table, key="pk_7", title="ttl_7", text="txt_7", vector="vec_7"
    )
    return Searched(
        id=id, name=name, description=f"{name} of the bakery", relation=relation, fields=fields
    )
