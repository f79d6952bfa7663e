"""Ways to look at what the stages hand on: small tables, rounded, without random ids."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass

import pandas as pd

from esra.domain.hit import Answer, Given, Ranked, Scored
from esra.domain.outcome import Failed
from esra.domain.response import Response

RANDOM = frozenset({"invocation", "correlation", "time", "prompt"})


def table(rows: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """Rows as a table without a row index of its own; floats to three places."""
    return pd.DataFrame(list(rows)).round(3)


def brief_table(brief: object) -> pd.DataFrame:
    """Every field that a brief has: all a model can see. With the first value of each."""
    return table(
        {"the model sees": path, "for example": _plain(value)}
        for path, value in _fields(brief).items()
    )


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _fields(brief: object) -> dict[str, object]:
    """The first value by path, as in ``candidates[].title``."""
    found: dict[str, object] = {}

    def walk(value: object, path: str) -> None:
        if is_dataclass(value):
            for field in fields(value):
                walk(getattr(value, field.name), f"{path}.{field.name}" if path else field.name)
        elif isinstance(value, tuple) and value and is_dataclass(value[0]):
            for one in value:
                walk(one, f"{path}[]")
        else:
            found.setdefault(path, value)

    walk(brief, "")
    return found


def answers_table(answers: Sequence[Answer]) -> pd.DataFrame:
    """One row a query: what it brought, or how it failed."""
    return table(
        {
            "source": answer.source,
            "query": answer.query,
            "strategy": answer.strategy.value,
            "rows": 0 if isinstance(answer.result, Failed) else len(answer.result),
            "failed": answer.result.code.value if isinstance(answer.result, Failed) else "",
        }
        for answer in answers
    )


def matches_table(scored: Sequence[Scored]) -> pd.DataFrame:
    """One row a hit: its native score, and what became of it."""
    return table(
        {
            "source": one.match.source,
            "query": one.match.query,
            "record": one.hit.id.key,
            "title": one.hit.title,
            "native": one.match.native,
            "normalised": one.match.normalised,
            "weighted": one.match.weighted,
        }
        for one in scored
    )


def factors_table(ranked: Sequence[Ranked]) -> pd.DataFrame:
    """One row a result: the two scores and their blend."""
    return table(
        {
            "source": one.candidate.hit.id.source,
            "title": one.candidate.hit.title,
            "found by": len(one.candidate.matches),
            "weighted": one.candidate.weighted,
            "semantic": one.semantic.value if isinstance(one.semantic, Given) else None,
            "final": one.final,
        }
        for one in ranked
    )


def results_table(response: Response) -> pd.DataFrame:
    """What the caller gets."""
    return table(
        {
            "source": result.source,
            "title": result.title,
            "score": result.score,
            "fields": ", ".join(f"{name}={value}" for name, value in result.fields),
        }
        for result in response.results
    )


def audit_table(records: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """One row a record: its event, and what stands in it beside who called and when."""
    who = RANDOM | {"event", "tenant", "subject", "identity", "exposure"}
    return table(
        {
            "event": record["event"],
            "says": ", ".join(f"{key}={value}" for key, value in record.items() if key not in who),
        }
        for record in records
    )
