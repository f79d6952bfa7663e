"""Reads the one row of ``facts.DESCRIBE`` into the house's own records. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from esra.domain.described import Column, Kind, RowSecurity, Server, Store, Table, TextKey


def server_of(row: Sequence[Any], powers: tuple[str, ...] = ()) -> Server:
    """``powers`` are the reasons why the role may not read for esra (see ``roles``)."""
    database, role, messages, encoding, language, now, languages, left_out, tables = row
    return Server(
        database=database,
        role=role,
        powers=powers,
        messages=messages,
        encoding=encoding,
        language=language,
        now=now,
        languages=frozenset((schema, name) for schema, name in languages),
        tables=tuple(_table(facts) for facts in tables),
        left_out=left_out,
    )


def _table(facts: Mapping[str, Any]) -> Table:
    rows = facts["rows"]
    return Table(
        schema=facts["schema"],
        name=facts["name"],
        kind=Kind(facts["kind"]),
        columns=tuple(_column(column) for column in facts["columns"] or ()),
        unique=tuple(facts["unique"] or ()),
        stores=tuple(_store(store) for store in facts["stores"] or ()),
        rows=None if rows is None else round(rows),
        empty=bool(facts["empty"]),
        filled=facts["filled"],
        gathered=bool(facts["gathered"]),
        reachable=facts["reachable"],
        security=RowSecurity(
            active=facts["active"],
            policies=facts["policies"],
            passed_by=tuple(facts["passed_by"] or ()),
        ),
    )


def _column(facts: Mapping[str, Any]) -> Column:
    return Column(
        name=facts["name"],
        type=facts["type"],
        readable=facts["readable"],
        made=facts["made"] or "",
    )


def _store(facts: Mapping[str, Any]) -> Store:
    return Store(name=facts["name"], keys=tuple(TextKey(**key) for key in facts["keys"] or ()))
