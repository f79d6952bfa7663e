"""What an invocation warned, noticed and wrote down: the one mutable thing of a retrieval."""

from typing import TypeVar

from esra.domain.outcome import Fact, Note, Outcome, Warn
from esra.domain.usage import Asked

T = TypeVar("T")


class Ledger:
    """Collects the words of the stages; ``take`` hands the value on."""

    def __init__(self) -> None:
        self.warnings: list[Warn] = []
        self.notices: list[Note] = []
        self.facts: list[Fact] = []
        self.asked: list[Asked] = []

    def take(self, outcome: Outcome[T]) -> T:
        self.warnings.extend(outcome.warnings)
        self.notices.extend(outcome.notices)
        self.facts.extend(outcome.facts)
        self.asked.extend(outcome.asked)
        return outcome.value
