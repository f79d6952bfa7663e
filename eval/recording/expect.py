"""What a recording will cost, before it starts: from the traces that are there, else from briefs.

Without traces a few questions go through the real pipeline with a stand-in for every paid model: it
measures the brief and lets its stage fall back. Tokens of a text are estimated (``window.tokens``),
and everything that rests on that is printed with the word "about".
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil
from pathlib import Path

from esra.briefs import PlanBrief, RerankBrief, SelectBrief
from esra.config.catalog import load_catalog
from esra.domain.invocation import Caller
from esra.domain.usage import Usage
from esra.llm.openai.fence import fenced
from esra.llm.prompts import load_prompts
from esra.ports import House, Reply, Trouble
from eval.measures.window import tokens
from eval.record import CALLER, Question, answer
from eval.recording.answers import Brief
from eval.recording.asking import PAID
from eval.recording.bill import total
from eval.replay import Trace

SAMPLE = 5
ENOUGH = 5  # traces from which the others are expected
TOKENS_A_SECOND = 50.0  # that a hosted model writes; stated, since nothing was measured yet
PLANNED_TOKENS = 60  # of one planned query as JSON
Price = tuple[float, float] | None  # money per million tokens, in and out


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """For ``questions`` together. ``minutes`` is wall time; ``cost`` None: no price is known."""

    questions: int
    usage: Usage
    minutes: float
    basis: str

    def line(self) -> str:
        one = self.usage
        if not one.calls:
            return f"expected: {self.questions} questions, no paid call, about {self._time()}"
        cost = "no price is known" if one.cost is None else f"about {one.cost:.4g} by the price"
        return (
            f"expected: {self.questions} questions, {one.calls} calls, about {one.tokens_in:,} "
            f"tokens in and {one.tokens_out:,} out, about {self._time()}, {cost} "
            f"({self.basis})"
        )

    def _time(self) -> str:
        return f"{self.minutes:.1f} minutes" if self.minutes >= 1 else f"{60 * self.minutes:.0f} s"

    def as_json(self) -> dict[str, object]:
        return {
            "questions": self.questions,
            "calls": self.usage.calls,
            "tokens_in": self.usage.tokens_in,
            "tokens_out": self.usage.tokens_out,
            "cost": self.usage.cost,
            "minutes": self.minutes,
            "basis": self.basis,
        }


def price_of(catalog: Path) -> Price:
    """What the catalog says a million tokens cost; None where it does not."""
    block = load_catalog(catalog).model
    return None if block is None or block.price is None else (block.price[0], block.price[1])


class Guess:
    """What one asking will cost, by the size of its brief."""

    def __init__(self, price: Price) -> None:
        prompts = load_prompts()
        self._rules = {step: tokens(getattr(prompts, step).text) for step in asdict(prompts)}
        self._price = price

    def __call__(self, step: str, brief: Brief) -> Usage:
        tokens_in, tokens_out = self._rules[step] + tokens(fenced(brief)), written(brief)
        cost = None
        if self._price is not None:
            cost = (tokens_in * self._price[0] + tokens_out * self._price[1]) / 1_000_000
        return Usage(tokens_in=tokens_in, tokens_out=tokens_out, cost=cost)


def written(brief: Brief) -> int:
    """Tokens of a full answer: every source taken, the ceiling planned, every candidate scored."""
    match brief:
        case SelectBrief():
            return tokens(json.dumps({"sources": [one.id for one in brief.candidates]}))
        case PlanBrief():
            return brief.ceiling * PLANNED_TOKENS
        case RerankBrief():
            rows = [{"resultId": one.resultId, "score": 0.25} for one in brief.candidates]
            return tokens(json.dumps({"scores": rows}))


class Weighing:
    """Stands in for a paid model: everything is selected, nothing planned, nothing scored."""

    def __init__(self, identity: str, step: str, guess: Guess, weighed: list[Usage]) -> None:
        self.identity = identity
        self._step, self._guess, self._weighed = step, guess, weighed

    async def select(self, brief: SelectBrief) -> Reply:
        self._weigh(brief)
        return Reply(text=json.dumps({"sources": [one.id for one in brief.candidates]}))

    async def plan(self, brief: PlanBrief) -> Reply:
        self._weigh(brief)
        raise Trouble("only weighed")

    async def rerank(self, brief: RerankBrief) -> Reply:
        self._weigh(brief)
        raise Trouble("only weighed")

    def _weigh(self, brief: Brief) -> None:
        self._weighed.append(self._guess(self._step, brief))


async def from_sample(
    questions: Sequence[Question],
    count: int,
    exposure: str,
    house: House,
    price: Price,
    pace: "Rate",
    caller: Caller = CALLER,
) -> Expected:
    """``count`` questions, from the briefs of the first few of ``questions``; nothing is paid."""
    weighed: list[Usage] = []
    guess = Guess(price)

    def stand_in(models, step):
        return {
            form: Weighing(model.identity, step, guess, weighed) if form == PAID else model
            for form, model in models.items()
        }

    own = replace(
        house,
        selectors=stand_in(house.selectors, "select"),
        planners=stand_in(house.planners, "plan"),
        rerankers=stand_in(house.rerankers, "rerank"),
    )
    some = questions[:SAMPLE]
    began = time.perf_counter()
    for question in some:
        await answer(question, exposure, own, caller)
    took = (time.perf_counter() - began) / max(1, len(some))
    each = total(weighed)
    seconds = took + each.tokens_out / max(1, len(some)) / TOKENS_A_SECOND
    basis = f"the briefs of {len(some)} questions, {TOKENS_A_SECOND:g} tokens a second"
    return _scaled(each, len(some), count, seconds, pace, basis)


def from_traces(traces: Sequence[Trace], questions: int, pace: "Rate") -> Expected | None:
    """From what the traces that are there cost; None where these are too few."""
    if len(traces) < ENOUGH:
        return None
    usages = [
        Usage(**call["usage"])
        for trace in traces
        for call in trace["calls"]
        if call["usage"] is not None and trace["forms"][call["step"]] == PAID
    ]
    spent = total(usages)
    commands = sum(max((a["seconds"] for a in trace["answers"]), default=0.0) for trace in traces)
    seconds = (commands + spent.seconds) / len(traces)
    return _scaled(spent, len(traces), questions, seconds, pace, f"{len(traces)} earlier traces")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How many questions run at a time, and how many seconds apart they begin."""

    parallel: int = 2
    delay: float = 0.0

    def minutes(self, questions: int, seconds: float) -> float:
        """Wall time for so many questions of ``seconds`` each."""
        return max(questions * seconds / self.parallel, (questions - 1) * self.delay) / 60


def _scaled(
    spent: Usage, counted: int, questions: int, seconds: float, pace: Rate, basis: str
) -> Expected:
    share = questions / max(1, counted)
    return Expected(
        questions=questions,
        usage=Usage(
            calls=ceil(spent.calls * share),
            tokens_in=ceil(spent.tokens_in * share),
            tokens_out=ceil(spent.tokens_out * share),
            seconds=spent.seconds * share,
            cost=None if spent.cost is None else spent.cost * share,
        ),
        minutes=pace.minutes(questions, seconds) if questions else 0.0,
        basis=basis,
    )
