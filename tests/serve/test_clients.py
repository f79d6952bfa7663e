"""The snippets that connect AI clients: as each client reads them, with nothing secret in them."""

import json
import os
import sys
import tomllib

import pytest

from esra.cli import main
from esra.cli.mcp import CLIENTS
from esra.cli.variables import named, unset
from esra.serve.clients import PLACES, Client, Command, NotSupported, Remote, snippet

STARTED = Command(
    program="/opt/esra/bin/python",
    arguments=("-P", "-m", "esra", "mcp", "--catalog", "/home of/esra/catalogs/a.toml"),
    environment={"ESRA_HOME": "/home of/esra"},
)
REMOTE = Remote(url="https://esra.example/mcp", token="ESRA_TOKEN")
PROGRAM = {
    "command": "/opt/esra/bin/python",
    "args": ["-P", "-m", "esra", "mcp", "--catalog", "/home of/esra/catalogs/a.toml"],
    "env": {"ESRA_HOME": "/home of/esra"},
}

LOCAL = {
    Client.CLAUDE_DESKTOP: {"mcpServers": {"esra": PROGRAM}},
    Client.CLAUDE_CODE: {"mcpServers": {"esra": {"type": "stdio", **PROGRAM}}},
    Client.CURSOR: {"mcpServers": {"esra": {"type": "stdio", **PROGRAM}}},
    Client.VSCODE: {"servers": {"esra": {"type": "stdio", **PROGRAM}}},
}
AUTHORIZED = {
    Client.CLAUDE_CODE: {
        "mcpServers": {
            "esra": {
                "type": "http",
                "url": "https://esra.example/mcp",
                "headers": {"Authorization": "Bearer ${ESRA_TOKEN}"},
            }
        }
    },
    Client.CURSOR: {
        "mcpServers": {
            "esra": {
                "url": "https://esra.example/mcp",
                "headers": {"Authorization": "Bearer ${env:ESRA_TOKEN}"},
            }
        }
    },
    Client.VSCODE: {
        "servers": {
            "esra": {
                "type": "http",
                "url": "https://esra.example/mcp",
                "headers": {"Authorization": "Bearer ${input:esra-token}"},
            }
        },
        "inputs": [
            {
                "type": "promptString",
                "id": "esra-token",
                "description": "Access token for esra",
                "password": True,
            }
        ],
    },
}


@pytest.mark.parametrize("client", list(LOCAL))
def test_a_client_is_told_how_to_start_the_server(client):
    """A snippet that a client does not read is a support call each."""
    assert json.loads(snippet(client, STARTED)) == LOCAL[client]


@pytest.mark.parametrize("client", list(AUTHORIZED))
def test_a_client_is_told_where_the_server_is(client):
    """The token itself would end in a repository."""
    assert json.loads(snippet(client, REMOTE)) == AUTHORIZED[client]


@pytest.mark.parametrize("client", list(AUTHORIZED))
def test_without_a_token_the_client_signs_in_by_itself(client):
    """A header with an empty token keeps a client from asking for a real one."""
    text = snippet(client, Remote(url="http://127.0.0.1:8765/mcp"))
    assert "Authorization" not in text
    assert "inputs" not in text


NEEDS = Command(program="/p", arguments=(), environment={}, passed=("SHOP_URL",))


@pytest.mark.parametrize(
    ("client", "reference"),
    [
        (Client.CLAUDE_CODE, "${SHOP_URL}"),
        (Client.CURSOR, "${env:SHOP_URL}"),
        (Client.VSCODE, "${input:SHOP_URL}"),
    ],
)
def test_a_client_passes_on_what_the_catalog_names_by_its_own_reference(client, reference):
    """A server without its database's address starts, and finds nothing."""
    read = json.loads(snippet(client, NEEDS))
    (servers,) = [value for key, value in read.items() if key != "inputs"]
    assert servers["esra"]["env"] == {"SHOP_URL": reference}
    asked = [(one["id"], one["password"]) for one in read.get("inputs", ())]
    assert asked == ([("SHOP_URL", True)] if client is Client.VSCODE else [])


def test_codex_passes_variables_on_by_their_names():
    """Its file has a list for them."""
    server = tomllib.loads(snippet(Client.CODEX, NEEDS))["mcp_servers"]["esra"]
    assert server["env_vars"] == ["SHOP_URL"]


def test_claude_desktop_has_no_reference_and_gets_none():
    """It would pass the reference on as the value."""
    assert "SHOP_URL" not in snippet(Client.CLAUDE_DESKTOP, NEEDS)


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (["--catalog", "nowhere.toml"], 3, "nowhere.toml"),
        (["--url", "canary-4711"], 2, "--url takes"),
        (["--url", "https://e.example/mcp", "--token-env", "eyJ.canary-4711.x"], 2, "the name of"),
    ],
)
def test_what_could_not_connect_is_not_printed(options, code, told, tmp_path, monkeypatch, capsys):
    """A snippet that does nothing is worse than none, and one with a token is worse than that."""
    monkeypatch.chdir(tmp_path)
    assert main(["mcp", "config", "--client", "codex", *options]) == code
    out, said = capsys.readouterr()
    assert out == ""
    assert told in said
    assert "canary" not in said


def test_a_variable_that_is_not_set_is_told_at_the_start(tmp_path, monkeypatch):
    """Every answer would be empty, and nobody would know of what."""
    monkeypatch.setenv("SHOP_URL", "canary-4711")
    monkeypatch.delenv("SHOP_KEY", raising=False)
    catalog = tmp_path / "my.toml"
    catalog.write_text('[a]\nb = ["env:SHOP_KEY", { c = "env:SHOP_URL" }]\nd = "env:SHOP_KEY"\n')
    assert named(catalog) == ("SHOP_KEY", "SHOP_URL")
    assert unset(catalog) == "not set, though the catalog names them: SHOP_KEY"
    monkeypatch.setenv("SHOP_KEY", "canary-4711")
    assert unset(catalog) == ""


def test_codex_reads_toml():
    """Its file is no JSON."""
    local = """[mcp_servers.esra]
command = "/opt/esra/bin/python"
args = ["-P", "-m", "esra", "mcp", "--catalog", "/home of/esra/catalogs/a.toml"]
env = { ESRA_HOME = "/home of/esra" }
"""
    assert snippet(Client.CODEX, STARTED) == local
    assert tomllib.loads(snippet(Client.CODEX, REMOTE)) == {
        "mcp_servers": {
            "esra": {
                "url": "https://esra.example/mcp",
                "bearer_token_env_var": "ESRA_TOKEN",
            }
        }
    }


def test_a_path_of_any_letters_stays_what_it_is():
    """A folder with a quote in its name would make a file that no client reads."""
    odd = 'C:\\users\\ä "b"\x7f\n'
    command = Command(program=odd, arguments=(odd,), environment={})
    assert tomllib.loads(snippet(Client.CODEX, command))["mcp_servers"]["esra"]["args"] == [odd]
    assert json.loads(snippet(Client.CURSOR, command))["mcpServers"]["esra"]["command"] == odd


def test_what_a_client_cannot_is_said_with_the_way_that_it_can():
    """A snippet that does nothing is worse than none."""
    with pytest.raises(NotSupported, match="Connectors"):
        snippet(Client.CLAUDE_DESKTOP, REMOTE)


def test_the_command_offers_every_client_and_each_has_its_place():
    """A client that is not offered is not found."""
    assert set(CLIENTS) == {client.value for client in Client} == {c.value for c in PLACES}


def test_the_command_prints_whole_paths_and_no_value_of_the_environment(
    tmp_path, monkeypatch, capsys
):
    """A client starts programs in a folder of its own, and its file is checked in."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("ESRA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ESRA_HOME", "home")
    monkeypatch.setenv("ESRA_STORE_URL", "canary-4711")
    (tmp_path / "my.toml").write_text('url = "env:SHOP_URL"\n')
    assert main(["mcp", "config", "--client", "claude-code", "--catalog", "my.toml"]) == 0
    out, said = capsys.readouterr()
    server = json.loads(out)["mcpServers"]["esra"]
    assert server["command"] == sys.executable
    assert server["args"] == ["-P", "-m", "esra", "mcp", "--catalog", str(tmp_path / "my.toml")]
    assert server["env"] == {
        "ESRA_HOME": str((tmp_path / "home").resolve()),
        "SHOP_URL": "${SHOP_URL}",
        "ESRA_STORE_URL": "${ESRA_STORE_URL}",
    }
    assert "canary" not in out + said
    assert "SHOP_URL, ESRA_STORE_URL" in said


def test_without_a_catalog_the_command_says_where_it_looked(tmp_path, monkeypatch, capsys):
    """A snippet of a file that is not there starts nothing, and the client says little."""
    monkeypatch.setenv("ESRA_HOME", str(tmp_path))
    assert main(["mcp", "config", "--client", "codex"]) == 3
    assert str(tmp_path) in capsys.readouterr().err
    (tmp_path / "catalogs").mkdir()
    for name in ("one.toml", "two.toml"):
        (tmp_path / "catalogs" / name).touch()
    assert main(["mcp", "config", "--client", "codex"]) == 3
    assert "name one with --catalog: one, two" in capsys.readouterr().err
    (tmp_path / "catalogs" / "two.toml").unlink()
    assert main(["mcp", "config", "--client", "codex"]) == 0
    assert str(tmp_path / "catalogs" / "one.toml") in capsys.readouterr().out
