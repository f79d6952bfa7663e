"""The blocks ``[sources.retries]`` and ``[sources.breaker]``, and the records they become."""

from typing import Literal, Self

from pydantic import Field as Bound
from pydantic import model_validator

from esra.config.strict import Strict
from esra.domain.resilience import BreakerRules, Retries, Switch, Window


class RetriesBlock(Strict):
    """How often a query of a source is asked again (see ``domain/resilience``)."""

    attempts: int = Bound(default=3, ge=1, le=5)
    share: float = Bound(default=0.1, ge=0, le=1)
    reserve: int = Bound(default=3, ge=0, le=100)
    backoff: float = Bound(default=0.05, ge=0, le=5)


class BreakerBlock(Strict):
    """When a source is left alone, and for how long (see ``domain/resilience``)."""

    switch: Literal["auto", "open", "disabled"] = "auto"
    window: Literal["calls", "seconds"] = "calls"
    calls: int = Bound(default=20, ge=1, le=1_000)
    seconds: float = Bound(default=30.0, ge=1, le=3_600)
    minimum: int = Bound(default=10, ge=1, le=1_000)
    failures: float = Bound(default=0.5, gt=0, le=1)
    slow: float = Bound(default=0.8, gt=0, le=1)
    slowness: float = Bound(default=0.8, gt=0, le=1)
    rest: float = Bound(default=10.0, ge=0.1, le=600)
    longest_rest: float = Bound(default=120.0, ge=0.1, le=3_600)
    trials: int = Bound(default=2, ge=1, le=100)
    patience: float = Bound(default=10.0, ge=0.1, le=600)

    @model_validator(mode="after")
    def _can_open(self) -> Self:
        if self.window == "calls" and self.minimum > self.calls:
            raise ValueError("it could never open: `minimum` is larger than `calls`; lower it")
        if self.longest_rest < self.rest:
            raise ValueError("`longest_rest` is shorter than `rest`; raise it")
        return self


def retries(block: RetriesBlock) -> Retries:
    return Retries(**block.model_dump())


def breaker(block: BreakerBlock) -> BreakerRules:
    numbers = block.model_dump(exclude={"switch", "window"})
    return BreakerRules(switch=Switch(block.switch), window=Window(block.window), **numbers)
