"""The MCP tools over runs, through the official SDK's own client and a process of their own."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from eval.runs import tools
from tests.runs import made

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    base = tmp_path_factory.mktemp("home")
    made.run(base, "one", {"a": 1, "b": 2})
    made.run(base, "two", {"a": 2, "b": 1})
    return base


def over_stdio(home, *calls):
    """The names of the tools, and what each (name, arguments) gave, of one real server."""

    async def talk():
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "eval", "runs", "mcp"],
            env={**os.environ, "ESRA_HOME": str(home)},
            cwd=str(ROOT),
        )
        async with Client(stdio_client(command)) as client:
            listed = (await client.list_tools()).tools
            return listed, [await client.call_tool(name, given) for name, given in calls]

    return asyncio.run(talk())


@pytest.mark.req("W71")
def test_a_client_lists_compares_and_explains(home):
    """Else an assistant that helps an analyst would have to be given a shell."""
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    listed, (runs, compared, explained, refused) = over_stdio(
        home,
        ("list_runs", {"capability": "desk"}),
        ("compare_runs", {"before": "desk/one", "after": "desk/two"}),
        ("explain_result", {"run": "desk/one", "query": "b"}),
        ("explain_result", {"run": "../../etc", "query": "b"}),
    )
    assert [tool.name for tool in listed] == ["list_runs", "compare_runs", "explain_result"]
    assert all(tool.annotations.read_only_hint for tool in listed)
    assert all(tool.input_schema["additionalProperties"] is False for tool in listed)
    assert {row["run"] for row in runs.structured_content["runs"]} == {"desk/one", "desk/two"}
    assert json.loads(runs.content[0].text) == runs.structured_content
    assert compared.structured_content["tallies"][0]["wins"] == 1
    assert explained.structured_content["results"][1]["key"] == "b/right"
    assert refused.is_error
    told = "".join(one.content[0].text for one in (runs, compared, explained, refused))
    assert str(home) not in told
    # Read-only: not a byte of the home changed.
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("list_runs", {"limit": "5"}),
        ("list_runs", {"limit": 51}),
        ("list_runs", {"path": "/etc"}),
        ("list_runs", {"capability": "../x"}),
        ("compare_runs", {"before": "desk/one"}),
        ("compare_runs", {"before": "desk/one", "after": "desk/../../x"}),
        ("compare_runs", {"before": "/tmp", "after": "desk/one"}),
        ("explain_result", {"run": "desk/one", "query": ""}),
        ("explain_result", {"run": "desk/one", "query": "x" * 1025}),
        ("explain_result", {"run": "desk/one", "query": "a", "even_sealed": True}),
        ("explain_result", {"run": "desk/one\n", "query": "a"}),
        ("delete_run", {}),
    ],
)
@pytest.mark.req("W71")
def test_arguments_are_read_strictly_and_no_path_is_followed(home, name, given):
    """Else a tool for reading runs could read anything."""
    with pytest.raises(tools.ToolError) as error:
        tools.call(home, name, given)
    assert str(home) not in str(error.value)


@pytest.mark.req("W71")
def test_an_answer_is_bounded_and_says_that_it_was_cut(tmp_path):
    """Else one run with long ids would fill a client's window."""
    many = {f"{'long ' * 100}{number}": 1 + number % 3 for number in range(300)}
    made.run(tmp_path, "one", many)
    made.run(tmp_path, "two", {query: 4 - place for query, place in many.items()})
    given = {"before": "desk/one", "after": "desk/two"}
    answer = tools.call(tmp_path, "compare_runs", given)
    assert len(json.dumps(answer).encode()) <= tools.MOST_BYTES
    assert answer["queries"] == 300
    big = tools.bounded({"rows": ["x" * 1000] * 100, "name": "n"})
    assert big["truncated"] is True
    assert 0 < len(big["rows"]) < 100


@pytest.mark.req("W71")
def test_a_broken_run_is_refused_without_naming_a_file(tmp_path):
    """Else an error would tell a client where things lie on this machine."""
    made.run(tmp_path, "one", {"a": 1})
    (tmp_path / "runs" / "desk" / "one" / "labels.json").write_text("{")
    with pytest.raises(tools.ToolError) as error:
        tools.call(tmp_path, "explain_result", {"run": "desk/one", "query": "a"})
    assert "cannot be read" in str(error.value)
    assert str(tmp_path) not in str(error.value)
