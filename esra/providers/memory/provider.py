"""Runs compiled queries over lists of records, by the contract of every provider."""

import hashlib
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from esra.domain.codes import FailureCode
from esra.domain.hit import Hits, NativeHit, RecordId
from esra.domain.outcome import Failed
from esra.domain.plan import Strategy
from esra.domain.source import Operator, Relation
from esra.ports import Capabilities
from esra.providers.base import BaseProvider
from esra.providers.memory.command import Command, Test, comparable, compile_query
from esra.providers.memory.records import Entry, Index, Record
from esra.sealed import QueryContent

# Characters of a title or of a returned text field, as with every provider.
WIDEST = 2_000

_COMPARE: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQ: operator.eq,
    Operator.NE: operator.ne,
    Operator.LT: operator.lt,
    Operator.LTE: operator.le,
    Operator.GT: operator.gt,
    Operator.GTE: operator.ge,
}


class MemoryProvider(BaseProvider[Command]):
    """``relations`` are records by the name of the relation (``Relation.table``).

    They are read once, so that every query ever sees one state of them.
    """

    capabilities = Capabilities(strategies=frozenset(Strategy), snapshots=True)

    def __init__(self, relations: Mapping[str, Iterable[Record]]) -> None:
        super().__init__()
        self._indexes = {name: Index.of_records(records) for name, records in relations.items()}

    def render(self, content: QueryContent) -> Command:
        return compile_query(content)

    async def fetch(self, command: Command, content: QueryContent) -> Hits:
        index = _seen(self._indexes[command.shape.relation.table], command)
        allowed = [entry for entry in index.entries if _allowed(entry, command)]
        wanted = [entry for entry in allowed if _wanted(entry, command)]
        scored = [(_native(index, entry, command), entry) for entry in wanted]
        scored.sort(key=_place)
        rows = command.values.rows
        hits = (_hit(native, entry.record, command, content) for native, entry in scored[:rows])
        return Hits.of(hits, capped=len(scored) > rows)

    async def sample(
        self, relation: Relation, *, rows: int, widest: int, seconds: float
    ) -> tuple[str, ...] | Failed:
        """Title and text of a fixed choice of records, by a hash of the key, each as one text."""
        index = self._indexes.get(relation.table)
        if index is None:
            return Failed(code=FailureCode.RELATION_NOT_FOUND)
        records = sorted((entry.record for entry in index.entries), key=_lot)
        return tuple(f"{r.title[:widest]}\n{r.text[:widest]}" for r in records[:rows])

    def classify(self, trouble: BaseException) -> FailureCode:
        match trouble:
            case LookupError():
                return FailureCode.RELATION_NOT_FOUND
            case TimeoutError():
                return FailureCode.TIMEOUT
            case MemoryError():
                return FailureCode.RESOURCE_EXHAUSTED
            case ValueError() | TypeError() | ArithmeticError():
                return FailureCode.SYNTAX_ERROR
        return FailureCode.UNKNOWN


def _wanted(entry: Entry, command: Command) -> bool:
    values = command.values
    if any(entry.holds(term) for term in values.excluded):
        return False
    if command.shape.strategy is Strategy.RECENT and not values.positive:
        return True
    must = [entry.holds(term) for term in values.required]
    phrases = [entry.holds_in_order(phrase) for phrase in values.phrases]
    if command.shape.strategy is Strategy.PHRASE:
        must += phrases
    return all(must) if must else any(phrases) or any(map(entry.holds, values.optional))


def _native(index: Index, entry: Entry, command: Command) -> float | None:
    if command.shape.strategy is Strategy.RECENT and not command.values.positive:
        return entry.record.timestamp
    return index.score(entry, command.values.positive)


def _place(scored: tuple[float | None, Entry]) -> tuple[float, bytes]:
    """Score descending, none last; then the key's bytes."""
    native, entry = scored
    return (
        math.inf if native is None else -native,
        entry.record.key.encode("utf-8", "surrogatepass"),
    )


def _lot(record: Record) -> bytes:
    return hashlib.sha256(record.key.encode("utf-8", "surrogatepass")).digest()


def _seen(index: Index, command: Command) -> Index:
    """What the caller may see, as an index of its own: what is hidden takes no part in a score."""
    shape, values = command.shape, command.values
    if not shape.visible:
        return index
    groups = [
        list(zip(tests, asked, strict=True))
        for tests, asked in zip(shape.visible, values.visible, strict=True)
    ]
    return Index(
        entry
        for entry in index.entries
        if all(
            any(_shows(entry.record, test, asked, shape.relation) for test, asked in group)
            for group in groups
        )
    )


def _shows(record: Record, test: Test, values: tuple[object, ...], relation: Relation) -> bool:
    """Like any test; but a record that holds another type is hidden, and ends no search."""
    try:
        return _passes(record, test, values, relation)
    except ValueError:
        return False


def _allowed(entry: Entry, command: Command) -> bool:
    shape = command.shape
    return all(
        _passes(entry.record, test, asked, shape.relation)
        for test, asked in zip(shape.filters, command.values.filters, strict=True)
    )


def _passes(record: Record, test: Test, values: tuple[object, ...], relation: Relation) -> bool:
    column, kind, sign = test
    stored = _value(record, column, relation)
    asked = [comparable(value, kind) for value in values]
    if stored is None or not asked:
        return False
    held = comparable(stored, kind)
    return held in asked if sign is Operator.IN else _COMPARE[sign](held, asked[0])


def _value(record: Record, column: str, relation: Relation) -> object:
    own = {
        relation.key: record.key,
        relation.title: record.title,
        relation.text: record.text,
        relation.timestamp: record.timestamp,
    }
    return own[column] if column in own else record.fields.get(column)


def _hit(
    native: float | None, record: Record, command: Command, content: QueryContent
) -> NativeHit:
    shape, values = command.shape, command.values
    return NativeHit(
        id=RecordId(content.source, content.mapping, record.key),
        native=native,
        title=record.title[:WIDEST],
        fragment=record.text[: values.fragment],
        timestamp=record.timestamp,
        fields=tuple(
            (name, _shown(_value(record, column, shape.relation)))
            for name, column in shape.projection
        ),
    )


def _shown(value: object) -> object:
    return value[:WIDEST] if isinstance(value, str) else value
