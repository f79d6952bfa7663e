"""The query a provider may run: what it carries, and a constructor nobody can call.

What this stops: making one by hand, subclassing, copying, pickling, replacing a field, moving a
seal to other content, changing content after sealing. What it does not stop: code in our own
process that imports ``_stamp`` or opens a connection of its own. Against mistakes the guarantee
is structural; against hostile code in our process it is the database role.
"""

from dataclasses import dataclass
from typing import NoReturn, final

from esra.domain.plan import Strategy, Value
from esra.domain.source import Field, Operator, Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundFilter:
    """A filter whose field has been resolved from configuration."""

    column: str
    type: str
    operator: Operator
    values: tuple[Value, ...]


# The record filter: of each group one filter must let a row pass. Without groups every row passes;
# a filter without values lets none.
Visible = tuple[tuple[BoundFilter, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryContent:
    """Everything a renderer may use.

    ``visible`` holds the caller's claims; ``filters`` is what a plan asked for besides, and can
    only narrow. ``rows`` is the cap, ``fragment`` characters of text, ``seconds`` the server-side
    statement timeout. ``snapshot`` is how many queries of the invocation must see one state of
    the source, 0 where each may see its own.
    """

    invocation: str
    configuration: str
    source: str
    mapping: str
    query: int
    relation: Relation
    strategy: Strategy
    required: tuple[str, ...]
    optional: tuple[str, ...]
    excluded: tuple[str, ...]
    phrases: tuple[str, ...]
    visible: Visible
    filters: tuple[BoundFilter, ...]
    projection: tuple[Field, ...]
    rows: int
    fragment: int
    seconds: float
    snapshot: int


@final
class ValidatedQuery:
    """Sealed content. Only the validator's stamp makes one."""

    __slots__ = ("_content", "_tag")

    _content: QueryContent
    _tag: bytes

    def __new__(cls, *_: object, **__: object) -> NoReturn:
        raise TypeError("a ValidatedQuery is made by the validator and by nothing else")

    def __init_subclass__(cls, **_: object) -> NoReturn:
        raise TypeError("ValidatedQuery cannot be subclassed")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a ValidatedQuery does not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a ValidatedQuery does not change")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a ValidatedQuery cannot be copied or pickled")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a ValidatedQuery cannot be copied or pickled")

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise TypeError("a ValidatedQuery cannot be copied or pickled")

    __copy__ = __reduce__

    def __repr__(self) -> str:
        return f"<ValidatedQuery {self._content.source}#{self._content.query}>"

    @property
    def source(self) -> str:
        return self._content.source

    @property
    def query(self) -> int:
        return self._content.query

    @property
    def strategy(self) -> Strategy:
        return self._content.strategy

    @property
    def rows(self) -> int:
        return self._content.rows

    @property
    def seconds(self) -> float:
        return self._content.seconds
