"""A library of 60 documents in two sources, questions about them, and a house that asks a model.

Run as a program it records into a folder until it is done, or killed:
``python -m tests.recording.library URL FOLDER``.
"""

import asyncio
import sys
from pathlib import Path

from esra.domain.capability import Catalog, Forms, PlanForm, RerankForm, SelectForm
from esra.domain.invocation import Retention
from esra.domain.source import Mapping, Relation, Source
from esra.governance.audit import ListAudit
from esra.governance.clock import StillClock
from esra.llm.openai import Endpoint, LanguageModel
from esra.llm.prompts import load_prompts
from esra.ports import House
from esra.providers.memory import MemoryProvider, Record
from eval.progress import Progress
from eval.record import Question
from eval.recording.answers import Answers
from eval.recording.expect import Rate
from eval.recording.session import Wanted, expect, run
from tests.house import catalog

ASKED = "ask"  # the exposure of tests.house
ALL = Forms(select=SelectForm.MODEL, plan=PlanForm.MODEL, rerank=RerankForm.MODEL)
SECRET = b"k" * 32
TEXT = "wing flutter shock wave heat plate cone jet boundary layer panel noise"
WORDS = TEXT.split()
PARALLEL = 2
SOURCES = ("air", "heat")


def questions(count: int = 40) -> list[Question]:
    return [
        Question(id=f"q{n:02}", text=f"{WORDS[n % 12]} {WORDS[n // 3 % 12]} {n}", now=86_400.0 * n)
        for n in range(count)
    ]


def known(forms: Forms = ALL) -> Catalog:
    made = []
    for name in SOURCES:
        relation = Relation(
            schema="s", table=name, key="k", title="t", text="x", vector="v", timestamp="d"
        )
        mapping = Mapping(id="docs", name="Docs", description="papers", relation=relation)
        made.append(
            Source(id=name, name=name, provider="memory", mappings=(mapping,), description=name)
        )
    return catalog(*made, forms=forms)


def provider() -> MemoryProvider:
    return MemoryProvider(
        {
            name: [
                Record(
                    key=f"{name}-{n}",
                    title=f"{WORDS[n % 12]} of a {name}",
                    text=f"{WORDS[n * 5 % 12]} and {WORDS[n * 7 % 12]} wing",
                    timestamp=86_400.0 * n,
                )
                for n in range(30)
            ]
            for name in SOURCES
        }
    )


def house(model=None, **more) -> House:
    """``model`` has the faces selector, planner and reranker."""
    models = {"selectors": "selector", "planners": "planner", "rerankers": "reranker"}
    return House(
        catalog=more.pop("catalog", None) or known(),
        providers={"memory": provider()},
        audit=ListAudit(),
        clock=StillClock(),
        retention=more.pop("retention", Retention.FULL),
        **{kind: {"model": getattr(model, face)} for kind, face in models.items() if model},
        **more,
    )


def language_model(url: str) -> LanguageModel:
    return LanguageModel(Endpoint(base_url=url, model="small", timeout=20.0), load_prompts())


def wanted(**more) -> Wanted:
    more.setdefault("questions", questions())
    more.setdefault("rate", Rate(parallel=PARALLEL))
    return Wanted(exposure=ASKED, **more)


async def record_into(folder: Path, url: str, **more):
    model = language_model(url)
    own, asked = house(model), wanted(**more)
    answers = Answers(folder / "answers.sqlite", SECRET)
    try:
        expected = await expect(asked, own, folder)
        return await run(asked, own, folder, expected, answers, Progress(quiet=True))
    finally:
        answers.close()
        await model.close()


if __name__ == "__main__":
    asyncio.run(record_into(Path(sys.argv[2]), sys.argv[1]))
