"""The two commands as processes over a real PostgreSQL: asked, cancelled, and told to stop."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from esra.cli import main
from tests.serve.doors import ERAS, run
from tests.serve.measured import LONG
from tests.serve.shelf import ROOT

ASKED = {"prompt": "wing flutter"}
BODY = {"exposure": "shelf", **ASKED}


long = pytest.mark.skipif(not LONG, reason="the long form only: ESRA_LONG=1")


@pytest.fixture(scope="module")
def served(shelf):
    with shelf.serving() as (_, url):
        yield url


def stdio(shelf, *more):
    program, *arguments = shelf.command("mcp", *more)
    return stdio_client(
        StdioServerParameters(command=program, args=arguments, env=shelf.environment, cwd=str(ROOT))
    )


WAYS = [
    pytest.param(door, era, id=f"{door}-{era}", marks=[] if usual else [long])
    for door, era, usual in (
        ("http", ERAS[0], True),
        ("http", ERAS[1], True),
        ("stdio", ERAS[0], True),
        ("stdio", ERAS[1], False),
    )
]


async def asked_then_given_up(shelf, target, era):
    """(the tools, an answer, the seconds until a call that was given up stopped searching)"""
    async with Client(target, mode=era) as client:
        tools = (await client.list_tools()).tools
        result = await client.call_tool("esra_shelf", {**ASKED, "limit": "3"})
        with shelf.locked():
            call = asyncio.create_task(client.call_tool("esra_shelf", ASKED))
            await asyncio.to_thread(shelf.settled, True, 10)
            call.cancel()
            return tools, result, await asyncio.to_thread(shelf.settled, False, 1)


@pytest.mark.req("E001")
@pytest.mark.parametrize(("door", "era"), WAYS)
def test_a_client_is_answered_and_one_that_gives_up_stops_its_search_within_a_second(
    shelf, served, door, era
):
    """What holds in memory could fail on a wire; who asks and leaves could keep a database busy."""
    target = stdio(shelf) if door == "stdio" else f"{served}/mcp"
    tools, result, seconds = run(asked_then_given_up(shelf, target, era))
    assert [tool.name for tool in tools] == ["esra_shelf"]
    answer = result.structured_content
    assert (answer["status"], len(answer["results"])) == ("complete", 3), answer
    assert seconds < 1


async def asked_over_stdio(shelf, *more):
    async with Client(stdio(shelf, *more), mode=ERAS[0]) as client:
        return (await client.call_tool("esra_shelf", ASKED)).structured_content


def test_a_local_client_leaves_traces_too(shelf, tmp_path):
    """What a desktop client asks could not be compared under another revision."""
    file = tmp_path / "traces.jsonl"
    answer = run(asked_over_stdio(shelf, "--traces", str(file)))
    (line,) = file.read_text("utf-8").splitlines()
    assert json.loads(line)["query"] == answer["invocation"]


def test_a_service_that_hangs_up_stops_its_search_within_a_second(shelf, served):
    """A timeout on the caller's side would leave the work running on ours."""

    def give_up():
        with pytest.raises(httpx2.TimeoutException):
            httpx2.post(f"{served}/v1/retrieve", json=BODY, timeout=0.7)

    with shelf.locked():
        with ThreadPoolExecutor(1) as pool:
            call = pool.submit(give_up)
            shelf.settled(True, 5)
            call.result(10)
        assert shelf.settled(False, 1) < 1


def test_sigterm_lets_a_running_call_finish_and_takes_no_other(shelf):
    """A rolling restart would cut answers off."""
    with shelf.serving() as (process, url), ThreadPoolExecutor(1) as pool:
        httpx2.post(f"{url}/v1/retrieve", json=BODY, timeout=20)
        with shelf.locked():
            call = pool.submit(httpx2.post, f"{url}/v1/retrieve", json=BODY, timeout=20)
            shelf.settled(True, 5)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            assert process.poll() is None
            with pytest.raises(httpx2.ConnectError):
                httpx2.get(f"{url}/healthz")
        answer = call.result(10)
        assert (answer.status_code, answer.json()["status"]) == (200, "complete")
        assert process.wait(10) == 0


@long
def test_sigint_is_told_from_sigterm(shelf):
    """A shell and a supervisor read it from the exit code."""
    with shelf.serving() as (process, _):
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130


@pytest.mark.parametrize("end", [pytest.param("stdin", marks=long), "sigterm"])
def test_the_server_over_stdio_ends_with_its_client(shelf, end):
    """Every closed editor would leave a process."""
    process = subprocess.Popen(
        shelf.command("mcp"),
        cwd=ROOT,
        env=shelf.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    process.stdin.flush()
    assert process.stdout.readline()
    process.stdin.close() if end == "stdin" else process.terminate()
    try:
        assert process.wait(10) == 0
        assert process.stdout.read() == b""
    finally:
        process.kill()
        process.stdin.close()
        process.stdout.close()


def serve(shelf, monkeypatch, *more: str) -> int:
    """The exit code of ``esra serve`` in this process."""
    for name, value in shelf.environment.items():
        monkeypatch.setenv(name, value)
    return main(["serve", "--catalog", str(shelf.catalog), *more])


def test_no_other_machine_is_served_without_tokens(shelf, monkeypatch, capsys):
    """One option would open every document to the network."""
    assert serve(shelf, monkeypatch, "--host", "0.0.0.0") == 3
    out, said = capsys.readouterr()
    assert out == ""
    assert "no token would be asked for" in said


def test_a_port_that_is_taken_is_said_in_one_line(shelf, monkeypatch, capsys):
    """A traceback tells nobody which program to stop."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert serve(shelf, monkeypatch, "--port", str(taken.getsockname()[1])) == 3
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_without_the_packages_it_says_what_to_install(command):
    """ "No module named mcp" sends people looking for a file of ours."""
    code = (
        "import sys; sys.modules['mcp'] = None\n"
        "from importlib import util; own = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'mcp' else own(name, *more)\n"
        f"from esra.cli import main; sys.exit(main(['{command}']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "")
    assert "pip install 'esra[serve]'" in done.stderr


def test_help_answers_at_once():
    """The doors' packages take seconds to import, and help needs none of them."""
    code = (
        "import sys\nfrom esra.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'mcp', 'starlette', 'uvicorn', 'pydantic', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"
