"""What asking a model cost, step by step."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one answer cost: calls, tokens in and out, wall seconds, money where a price is set."""

    calls: int = 1
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One asking: the step, its source, who was asked; ``usage`` None: nobody can say."""

    step: str
    identity: str
    source: str | None = None
    usage: Usage | None = None
