"""On stdout there is the protocol and nothing else, whatever a library prints."""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from esra.serve.stdio import without_lone_surrogates
from tests.serve.measured import LONG

CALLS = 1_000 if LONG else 100
TALKER = str(Path(__file__).with_name("talker.py"))
BEGIN = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "x", "version": "1"},
}
META = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


class Talk:
    """A client that looks at every byte."""

    def __init__(self, process, log: Path):
        self.process, self.log, self.number = process, log, 0

    def ask(self, method: str, params: dict):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        return self.send(json.dumps(message).encode())

    def send(self, line: bytes):
        """The next line of stdout; fails where it is no message of the protocol."""
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        message = json.loads(self.process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return message


@contextlib.contextmanager
def talking(tmp_path):
    log = tmp_path / "stderr.txt"
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, TALKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )
    try:
        yield Talk(process, log)
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def call(arguments: dict, extra: dict) -> dict:
    return {"name": "esra_ask", "arguments": arguments, **extra}


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_thousand_calls_of_a_printing_library_leave_stdout_to_the_protocol(tmp_path, era):
    """One stray line and the client gives up on the server."""
    extra = META if era == "modern" else {}
    with talking(tmp_path) as talk:
        if era == "legacy":
            assert "result" in talk.ask("initialize", BEGIN)
        for number in range(1, CALLS + 1):
            found = talk.ask("tools/call", call({"prompt": f"wing {number}"}, extra))
            assert found["id"] == talk.number
            assert found["result"]["isError"] is False
    said = talk.log.read_text()
    assert said.count("a word at a call") >= CALLS
    assert said.count("one past Python") >= CALLS
    assert "a greeting of a C library" in said
    assert "DEBUG" in said


BAD = [
    (rb'{"prompt": "x\ud800"}', "prompt"),
    (rb'{"prompt": "\udfff\ud800"}', "prompt"),
    (rb'{"prompt": "x", "limit": 1e999}', "limit"),
    (b'{"prompt": "x", "limit": 1' + b"0" * 30 + b"}", "limit"),
    (b'{"prompt": "x", "limit": NaN}', "limit"),
    (b'"canary-4711"', "no others"),
    (b"[1]", "no others"),
    (b"7", "no others"),
]


def test_arguments_that_are_hardly_json_get_an_answer_each_and_the_next_call_too(tmp_path):
    """A line that is dropped leaves a client waiting until its user gives up."""
    meta = json.dumps(META["_meta"]).encode()
    with talking(tmp_path) as talk:
        for arguments, named in BAD:
            found = talk.send(
                b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"esra_ask",'
                b'"_meta":' + meta + b',"arguments":' + arguments + b"}}"
            )
            error = found["result"]["structuredContent"]["error"]
            assert error["code"] == "ESRA_INVALID_REQUEST", arguments
            assert named in error["message"], arguments
            assert "canary" not in json.dumps(found)
        # An object as JSON text is one of the forms that mean one thing.
        text = json.dumps(json.dumps({"prompt": "wing"})).encode()
        found = talk.send(
            b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"esra_ask",'
            b'"_meta":' + meta + b',"arguments":' + text + b"}}"
        )
        assert found["result"]["isError"] is False


def test_a_line_that_is_no_message_stands_in_no_log(tmp_path):
    """A question that a client broke off would be kept where nobody looks for it."""
    with talking(tmp_path) as talk:
        for line in (b'{"prompt": "canary-4711', b'["canary-4711"]', b'{"canary-4711": 1}'):
            talk.process.stdin.write(line + b"\n")
        found = talk.ask("tools/call", call({"prompt": "wing"}, META))
        assert found["result"]["isError"] is False
    said = talk.log.read_text()
    assert "DEBUG" in said
    assert "canary" not in said


@pytest.mark.parametrize(
    ("line", "left"),
    [
        (r'"\ud83d\ude42"', r'"\ud83d\ude42"'),
        (r'"\ud83d"', r'"\u0000"'),
        (r'"\ude42\ud83d"', r'"\u0000\u0000"'),
        (r'"\uD83D\uD83D\uDE42"', r'"\u0000\uD83D\uDE42"'),
        (r'"\\ud83d"', r'"\\ud83d"'),
        (r'"\\\ud83d"', r'"\\\u0000"'),
        ('"é🙂"', '"é🙂"'),
    ],
)
def test_only_half_pairs_are_replaced(line, left):
    """A whole character, or a backslash in a path, would be lost."""
    assert without_lone_surrogates(line) == left
