"""The three read-only tools over recorded runs: strict arguments, bounded answers, no path.

A tool is a plain function of esra's home and its arguments; the server puts a protocol around it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eval.runs import beside, explain
from eval.runs.figures import Glances
from eval.runs.folders import NoSuchRun, all_runs, find_run
from eval.runs.pairs import CannotCompare
from eval.runs.work import listed

MOST_BYTES = 32 * 1024
LISTED = 20
# What these say names runs, queries and counts, and no file.
SPEAKABLE = (NoSuchRun, CannotCompare, explain.NotExplained)

RunId = Annotated[str, Field(min_length=1, max_length=130, pattern=r"^[a-z0-9_]+(/[a-z0-9_]+)?$")]


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ListRuns(Arguments):
    capability: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,64}$")] | None = None
    limit: Annotated[int, Field(ge=1, le=50)] = LISTED


class CompareRuns(Arguments):
    before: RunId
    after: RunId


class ExplainResult(Arguments):
    run: RunId
    query: Annotated[str, Field(min_length=1, max_length=1024)]
    results: Annotated[int, Field(ge=1, le=20)] = 10


class ToolError(Exception):
    """What a caller is told; it names no file of this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    name: str
    says: str
    arguments: type[Arguments]
    work: Callable[[Path, Any], dict[str, object]]


def call(base: Path, name: str, given: Mapping[str, object]) -> dict[str, object]:
    """The answer of one tool, at most 32 KiB as JSON. ToolError says what is wrong."""
    tool = TOOLS.get(name)
    if tool is None:
        raise ToolError(f"there is no such tool; there are {', '.join(TOOLS)}")
    try:
        arguments = tool.arguments.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:80]
        raise ToolError(f"{where or 'arguments'}: {first['msg']}") from None
    try:
        return bounded(tool.work(base, arguments))
    except SPEAKABLE as error:
        raise ToolError(str(error)) from None
    except (ValueError, OSError, KeyError, TypeError):
        # Its text may name a file.
        raise ToolError(
            "the run's files cannot be read; `./workbench runs show` says why"
        ) from None


def bounded(answer: dict[str, object]) -> dict[str, object]:
    """The answer, its longest list cut by half until it fits; ``truncated`` says so."""
    while _size(answer) > MOST_BYTES:
        lists = {name: value for name, value in answer.items() if isinstance(value, list) and value}
        if not lists:
            raise ToolError("the answer is too large to give; look at it with `./workbench runs`")
        name = max(lists, key=lambda name: _size(lists[name]))
        kept = lists[name][: len(lists[name]) // 2]
        answer = {**answer, name: kept, "truncated": True}
    return answer


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _list(base: Path, given: ListRuns) -> dict[str, object]:
    found = [one for one in all_runs(base) if given.capability in (None, one.capability)]
    glances = Glances()
    return {"runs": [listed(one, glances) for one in found[: given.limit]], "all": len(found)}


def _compare(base: Path, given: CompareRuns) -> dict[str, object]:
    runs = [find_run(base, name) for name in (given.before, given.after)]
    before, after = beside.as_json(beside.beside(runs), LISTED)
    against = after.pop("against_the_first")
    before.pop("against_the_first")
    return {"before": before, "after": after, **(against if isinstance(against, dict) else {})}


def _explain(base: Path, given: ExplainResult) -> dict[str, object]:
    return explain.explain(find_run(base, given.run), given.query, shown=given.results)


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            name="list_runs",
            says="Lists the recorded runs of the workbench, the latest first, with their figures.",
            arguments=ListRuns,
            work=_list,
        ),
        Tool(
            name="compare_runs",
            says="Compares two runs over the same labelled queries: the difference with its "
            "interval, won, tied and lost by segment, and the queries that moved most.",
            arguments=CompareRuns,
            work=_compare,
        ),
        Tool(
            name="explain_result",
            says="Explains the order of one query's results in a run: every factor of each "
            "result, and why a right document is not shown. Sealed queries are refused.",
            arguments=ExplainResult,
            work=_explain,
        ),
    )
}
