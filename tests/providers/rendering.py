"""The check that a command's text does not vary with what is asked, and that values arrive."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from esra.domain.plan import Strategy
from esra.domain.source import FieldType, Operator
from esra.sealed import QueryContent
from esra.sources.relation import words
from tests.providers.queries import content, where


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A strategy with one filter."""

    strategy: Strategy
    operator: Operator
    kind: FieldType = FieldType.TEXT

    def holding(self, *texts: str, rows: int = 50) -> QueryContent:
        """The cell's content with hostile or benign texts everywhere a text can stand."""
        return content(
            strategy=self.strategy,
            required=texts,
            optional=texts[::-1],
            excluded=texts,
            phrases=texts,
            filters=where(self.kind, self.operator, *texts),
            rows=rows,
        )


def faults(
    cell: Cell,
    hostile: Iterable[str],
    text_of: Callable[[QueryContent], bytes],
    values_of: Callable[[QueryContent], dict[str, object]],
) -> list[str]:
    """What is wrong with a renderer in this cell; nothing for a good one.

    ``values_of`` gives the bound filter value under ``filter`` and the terms under their roles.
    """
    benign = text_of(cell.holding("benign"))
    found = []
    for text in hostile:
        asked = cell.holding(text)
        if text_of(asked) != benign:
            found.append(f"text varies with {text!r}")
        values = values_of(asked)
        expected = [text] if cell.operator is Operator.IN else text
        if values["filter"] != expected:
            found.append(f"the filter's value is not {text!r}")
        plain = " ".join(words(text))
        if any([" ".join(got) for got in values[role]] != [plain] for role in ROLES):
            found.append(f"the words of {text!r} are not bound")
    for some in (cell.holding(), cell.holding("a", "b", "c", rows=3)):
        if text_of(some) != benign:
            found.append("text varies with how much is asked")
    return found


ROLES = ("required", "optional", "excluded", "phrases")
CELLS = [Cell(strategy=s, operator=o) for s in Strategy for o in Operator]
