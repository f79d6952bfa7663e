"""Remembers which relations cannot be searched with an index, and for how long that is believed.

A refusal costs no command. It is looked at again after ``BELIEVED`` seconds, by the query that
comes then, so that an index somebody makes is used without a restart. A relation whose server
could not be asked is looked at by its first query; one that was never expected is never judged.
"""

from collections.abc import Callable, Iterable

from esra.domain.codes import FailureCode
from esra.domain.source import Relation

BELIEVED = 30.0


class NotSearchable(Exception):
    """The catalogue says that an index is missing; ``code`` says what lacks."""

    def __init__(self, code: FailureCode) -> None:
        super().__init__(code.value)
        self.code = code


class Verdicts:
    """``clock`` counts seconds and never goes back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._refused: dict[Relation, FailureCode] = {}
        self._due: dict[Relation, float] = {}

    def expect(self, relations: Iterable[Relation]) -> None:
        """These are to be judged: by their first query, if nobody does before."""
        self._due |= dict.fromkeys(relations, self._clock())

    def hold(self, relation: Relation, code: FailureCode | None) -> None:
        """What the catalogue said just now; None is final, a refusal is believed for a while."""
        self._refused.pop(relation, None)
        self._due.pop(relation, None)
        if code is not None:
            self._refused[relation] = code
            self._due[relation] = self._clock() + BELIEVED

    def put_off(self, relation: Relation) -> None:
        """The server could not be asked: what was known stays for a while."""
        self._due[relation] = self._clock() + BELIEVED

    def is_due(self, relation: Relation) -> bool:
        return relation in self._due and self._due[relation] <= self._clock()

    def refuse(self, relation: Relation) -> None:
        """Raises ``NotSearchable`` for a relation that is refused."""
        if relation in self._refused:
            raise NotSearchable(self._refused[relation])
