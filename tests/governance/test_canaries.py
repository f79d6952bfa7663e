"""Secrets planted in every place that may refer to one: they come out nowhere."""

import asyncio
import logging
import traceback

import pytest

from esra.cli import main
from esra.domain.invocation import Retention
from esra.domain.outcome import Refused
from esra.serve.invoke import Ask, invoke
from esra.wiring import Wishes, open_house
from tests.governance import mint
from tests.governance.catalogs import written

CANARIES = {
    "ESRA_OWN_URL": "postgresql://reader:canary-url-7f3a@127.0.0.1:1/own?connect_timeout=2",
    "ESRA_MODEL_KEY": "canary-model-7f3a",
    "ESRA_PROMPT_KEY": "canary-prompt-key-7f3a",
}
WORD = "canary"
ADMITTING = "allow_authenticated = true"


@pytest.fixture
def planted(tmp_path, monkeypatch, caplog):
    """A catalog whose references all lead to canaries, with every log open."""
    for name, value in CANARIES.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ESRA_HOME", str(tmp_path / "home"))
    (tmp_path / "keys.json").write_bytes(mint.keys_of_the_issuer())
    caplog.set_level(logging.DEBUG)
    return written(tmp_path, exposure=ADMITTING)


def told(caplog, folder):
    """Everything written down: the log with its tracebacks, and every file of the home."""
    logged = [record.getMessage() + repr(record.exc_info) for record in caplog.records]
    files = [path.read_bytes() for path in (folder / "home").rglob("*") if path.is_file()]
    assert files, "nothing was audited"
    return repr((logged, caplog.text, files))


class Traces:
    def __init__(self):
        self.written = []

    def write(self, trace):
        self.written.append(trace)


@pytest.mark.parametrize("options", [[], ["--json"], ["--explain"]])
def test_the_command_line_tells_no_secret(planted, tmp_path, capsys, caplog, options):
    """What a terminal shows is pasted into tickets, and what a job prints is kept by its runner."""
    code = main(["retrieve", "ask", "a question", "--catalog", str(planted), *options])
    shown = capsys.readouterr()
    assert code == 0
    assert "ESRA_SOURCE_FAILED" in shown.out
    assert WORD not in shown.out + shown.err + told(caplog, tmp_path)


@pytest.mark.parametrize("name", CANARIES)
def test_a_reference_that_leads_nowhere_tells_no_other_secret(
    planted, monkeypatch, capsys, caplog, name
):
    """The message about one missing secret could hold those that were there."""
    monkeypatch.delenv(name)
    main(["retrieve", "ask", "a question", "--catalog", str(planted)])
    shown = capsys.readouterr()
    assert WORD not in shown.out + shown.err + caplog.text


@pytest.mark.parametrize("retention", [None, Retention.FULL])
def test_no_secret_and_no_token_is_traced_audited_or_raised(planted, tmp_path, caplog, retention):
    """A token in a trace is a key under the mat of whoever holds it."""
    good = mint.token(claims=mint.payload(exp=4e9, nbf=..., iat=..., jti="canary-claim"))
    bad = good[:-20] + "canary-signature-AAA"
    traces, seen = Traces(), []

    async def calls():
        async with open_house(planted, tmp_path / "home", wishes) as opened:
            seen.append(repr((opened, opened.house, opened.governance)))
            for text in (good, bad, "canary", "", None):
                try:
                    asked = Ask(exposure="ask", prompt="a question", seconds=3.0)
                    seen.append(repr(await invoke(text, asked, opened.house, opened.governance)))
                except Refused as refused:
                    seen.append("".join(traceback.format_exception(refused)) + repr(refused.facts))

    wishes = Wishes(traces=traces, retention=retention)
    asyncio.run(calls())
    assert len(traces.written) == 2
    written_down = told(caplog, tmp_path)
    assert "SIGNATURE_INVALID" in written_down
    everything = repr((seen, traces.written)) + written_down
    for canary in (WORD, good, bad, good.split(".")[2]):
        assert canary not in everything
