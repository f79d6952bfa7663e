"""A catalog with every place that refers to a secret, on servers that are not there."""

CATALOG = """
[governance]
resource = "https://esra.example/mcp"
{governance}
[[governance.issuers]]
issuer = "https://id.example.com"
audience = "https://esra.example.com/mcp"
{issuer}
[model]
model = "m"
timeout = 1.0
{base_url}
{key}
[providers.own]
engine = "postgres"
{url}
[[sources]]
id = "s"
name = "S"
provider = "own"
{source}
[[sources.mappings]]
id = "m"
name = "M"
schema = "s"
table = "t"
key = "k"
title = "i"
text = "x"
vector = "v"
[[capabilities]]
id = "c"
name = "C"
bindings = [{{source = "s", presence = "mandatory"}}]
{capability}
[[exposures]]
slug = "ask"
capability = "c"
{exposure}
"""
GOOD = {
    "governance": 'prompt_key = "env:ESRA_PROMPT_KEY"',
    "issuer": 'keys = "file:keys.json"\ntenant = "t"',
    "base_url": 'base_url = "http://127.0.0.1:9/v1"',
    "key": 'key = "env:ESRA_MODEL_KEY"',
    "url": 'url = "env:ESRA_OWN_URL"',
    "source": "",
    "capability": 'select = "model"\nplan = "model"\nrerank = "model"',
    "exposure": "",
}


def written(folder, **parts):
    """The catalog file in that folder, with some of its parts exchanged."""
    file = folder / "catalog.toml"
    file.write_text(CATALOG.format(**{**GOOD, **parts}))
    return file
