"""What to put into an AI client's configuration to connect it: one snippet for each client.

Paths are absolute, since a client starts a server from a folder and an environment of its own. A
secret stands in no snippet; where one is needed the client's own reference to it does.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

NAME = "esra"


class Client(StrEnum):
    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program the client starts and talks to over stdio.

    ``passed`` names the variables whose values it needs and no snippet may hold.
    """

    program: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    passed: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A server the client calls. ``token`` names an environment variable; "" leaves it to OAuth."""

    url: str
    token: str = ""


class NotSupported(ValueError):
    """This client's file cannot say this; the message says where it is done."""


def snippet(client: Client, server: Command | Remote) -> str:
    """(what to paste, ending in a line end); the file it goes into is ``PLACES[client]``."""
    if isinstance(server, Remote):
        return _REMOTE[client](server)
    return _LOCAL[client](server)


PLACES: Mapping[Client, str] = {
    Client.CLAUDE_DESKTOP: "claude_desktop_config.json (Settings > Developer > Edit Config)",
    Client.CLAUDE_CODE: ".mcp.json in the project's folder",
    Client.CURSOR: ".cursor/mcp.json in the project's folder, or ~/.cursor/mcp.json",
    Client.VSCODE: ".vscode/mcp.json in the workspace's folder",
    Client.CODEX: "~/.codex/config.toml",
}


def _json(key: str, entry: Mapping[str, object], **more: object) -> str:
    return json.dumps({key: {NAME: entry}, **more}, indent=2) + "\n"


def _started(command: Command, reference: str = "") -> dict[str, object]:
    """``reference`` is the client's own, with "NAME" in it; "" where it has none."""
    entry: dict[str, object] = {"command": command.program, "args": list(command.arguments)}
    passed = {name: reference.replace("NAME", name) for name in command.passed if reference}
    if command.environment or passed:
        entry["env"] = {**command.environment, **passed}
    return entry


def _typed(command: Command, reference: str) -> dict[str, object]:
    return {"type": "stdio", **_started(command, reference)}


def _vscode_started(command: Command) -> str:
    asked = [
        {"type": "promptString", "id": name, "description": f"{name} for esra", "password": True}
        for name in command.passed
    ]
    more = {"inputs": asked} if asked else {}
    return _json("servers", _typed(command, "${input:NAME}"), **more)


def _bearer(reference: str, remote: Remote) -> dict[str, object]:
    return {"headers": {"Authorization": f"Bearer {reference}"}} if remote.token else {}


def _code(remote: Remote) -> str:
    reference = "${%s}" % remote.token  # noqa: UP031 - braces are the client's own syntax
    entry = {"type": "http", "url": remote.url, **_bearer(reference, remote)}
    return _json("mcpServers", entry)


def _cursor(remote: Remote) -> str:
    return _json("mcpServers", {"url": remote.url, **_bearer(f"${{env:{remote.token}}}", remote)})


def _vscode(remote: Remote) -> str:
    entry = {"type": "http", "url": remote.url, **_bearer("${input:esra-token}", remote)}
    asked = {
        "type": "promptString",
        "id": "esra-token",
        "description": "Access token for esra",
        "password": True,
    }
    return _json("servers", entry, **({"inputs": [asked]} if remote.token else {}))


def _no_file(remote: Remote) -> str:
    raise NotSupported(
        "Claude Desktop's file starts programs only; add a remote server under "
        "Settings > Connectors > Add custom connector, with this address: " + remote.url
    )


def _toml_started(command: Command) -> str:
    lines = [
        f"[mcp_servers.{NAME}]",
        f"command = {_quoted(command.program)}",
        f"args = [{', '.join(_quoted(argument) for argument in command.arguments)}]",
    ]
    if command.environment:
        pairs = (f"{key} = {_quoted(value)}" for key, value in command.environment.items())
        lines.append(f"env = {{ {', '.join(pairs)} }}")
    if command.passed:
        lines.append(f"env_vars = [{', '.join(_quoted(name) for name in command.passed)}]")
    return "\n".join(lines) + "\n"


def _toml_remote(remote: Remote) -> str:
    lines = [f"[mcp_servers.{NAME}]", f"url = {_quoted(remote.url)}"]
    if remote.token:
        lines.append(f"bearer_token_env_var = {_quoted(remote.token)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A basic string of TOML, whose escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


_LOCAL: Mapping[Client, Callable[[Command], str]] = {
    Client.CLAUDE_DESKTOP: lambda command: _json("mcpServers", _started(command)),
    Client.CLAUDE_CODE: lambda command: _json("mcpServers", _typed(command, "${NAME}")),
    Client.CURSOR: lambda command: _json("mcpServers", _typed(command, "${env:NAME}")),
    Client.VSCODE: _vscode_started,
    Client.CODEX: _toml_started,
}
_REMOTE: Mapping[Client, Callable[[Remote], str]] = {
    Client.CLAUDE_DESKTOP: _no_file,
    Client.CLAUDE_CODE: _code,
    Client.CURSOR: _cursor,
    Client.VSCODE: _vscode,
    Client.CODEX: _toml_remote,
}
