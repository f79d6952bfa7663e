"""The compiled form of a query: its shape apart from its values, as SQL is from its parameters.

``Shape`` holds configuration only and ``str`` of it is the text that must not vary with content;
``values`` hold all the rest. The provider runs the two and never sees the query again.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from esra.domain.plan import Strategy, Value
from esra.domain.source import FieldType, Operator, Relation
from esra.sealed import BoundFilter, QueryContent
from esra.sources.relation import words

Words = tuple[str, ...]
# A column, the type it is compared as, and how.
Test = tuple[str, FieldType, Operator]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What is asked of which relation, without a single value."""

    relation: Relation
    strategy: Strategy
    visible: tuple[tuple[Test, ...], ...]
    filters: tuple[Test, ...]
    projection: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """Terms as their words (a term without words is gone), claims, filter values, bounds."""

    required: tuple[Words, ...]
    optional: tuple[Words, ...]
    excluded: tuple[Words, ...]
    phrases: tuple[Words, ...]
    visible: tuple[tuple[tuple[Value, ...], ...], ...]
    filters: tuple[tuple[Value, ...], ...]
    rows: int
    fragment: int

    @property
    def positive(self) -> tuple[str, ...]:
        groups = (*self.required, *self.optional, *self.phrases)
        return tuple(word for group in groups for word in group)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    shape: Shape
    values: Values

    @property
    def text(self) -> str:
        return str(self.shape)


def compile_query(content: QueryContent) -> Command:
    """Pure, and total over anything a content can hold."""
    shape = Shape(
        relation=content.relation,
        strategy=content.strategy,
        visible=tuple(tuple(map(_test, group)) for group in content.visible),
        filters=tuple(map(_test, content.filters)),
        projection=tuple((field.name, field.column) for field in content.projection),
    )
    values = Values(
        required=_grouped(content.required),
        optional=_grouped(content.optional),
        excluded=_grouped(content.excluded),
        phrases=_grouped(content.phrases),
        visible=tuple(tuple(f.values for f in group) for group in content.visible),
        filters=tuple(f.values for f in content.filters),
        rows=content.rows,
        fragment=content.fragment,
    )
    return Command(shape=shape, values=values)


def comparable(value: object, kind: FieldType) -> str | Decimal | bool | float:
    """A stored or an asked value as what it is compared by; ``ValueError`` if it is none."""
    match kind:
        case FieldType.TEXT:
            return str(value)
        case FieldType.BOOLEAN if isinstance(value, bool):
            return value
        case FieldType.NUMBER if not isinstance(value, bool):
            try:
                return Decimal(str(value))
            except InvalidOperation:
                raise ValueError("not a number") from None
        case FieldType.TIMESTAMP if isinstance(value, (int, float)):
            return float(value)
        case FieldType.TIMESTAMP:
            instant = datetime.fromisoformat(str(value))
            return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp()
    raise ValueError(f"not a {kind.value}")


def _test(given: BoundFilter) -> Test:
    return given.column, FieldType(given.type), given.operator


def _grouped(texts: tuple[str, ...]) -> tuple[Words, ...]:
    return tuple(group for text in texts if (group := tuple(words(text))))
