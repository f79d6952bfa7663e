"""Sealed queries for tests. The only helper that stamps: the wall around the stamp covers esra/."""

from esra._stamp import stamp
from esra.domain.plan import Strategy
from esra.domain.source import Field, FieldType, Operator, Relation
from esra.providers.memory import Record
from esra.sealed import BoundFilter, QueryContent, ValidatedQuery

RELATION = Relation(
    schema="shelf",
    table="docs",
    key="id",
    title="name",
    text="body",
    vector="lexemes",
    timestamp="written",
)

COLUMNS = {
    FieldType.TEXT: "colour",
    FieldType.NUMBER: "price",
    FieldType.BOOLEAN: "sold",
    FieldType.TIMESTAMP: "seen",
}


def content(relation: Relation = RELATION, **given) -> QueryContent:
    """A content over ``RELATION`` with the rest empty; ``given`` fills in."""
    defaults = {
        "invocation": "i",
        "configuration": "c",
        "source": "shop",
        "mapping": "docs",
        "query": 0,
        "relation": relation,
        "strategy": Strategy.KEYWORD,
        "required": (),
        "optional": (),
        "excluded": (),
        "phrases": (),
        "visible": (),
        "filters": (),
        "projection": (),
        "rows": 50,
        "fragment": 200,
        "seconds": 5.0,
        "snapshot": 0,
    }
    return QueryContent(**(defaults | given))


def query(relation: Relation = RELATION, **given) -> ValidatedQuery:
    return stamp(content(relation, **given))


def where(kind: FieldType, operator: Operator, *values) -> tuple[BoundFilter, ...]:
    """One filter on the column that holds this type."""
    given = BoundFilter(column=COLUMNS[kind], type=kind.value, operator=operator, values=values)
    return (given,)


def only(kind: FieldType, *values) -> BoundFilter:
    """A rule of a record filter on the column that holds this type, as the validator binds it."""
    return where(kind, Operator.IN, *values)[0]


def field(kind: FieldType) -> Field:
    return Field(name=f"shown_{kind.value}", column=COLUMNS[kind], type=kind, returnable=True)


def record(key: str, text: str = "", *, title: str = "", at: float | None = None, **fields):
    return Record(key=key, title=title, text=text, timestamp=at, fields=fields)
