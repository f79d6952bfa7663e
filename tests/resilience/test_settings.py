"""What a catalog says about a source's resilience is what holds, within bounds."""

import re
from pathlib import Path

import pytest

from esra.config.catalog import load_catalog
from esra.config.resilience import BreakerBlock, RetriesBlock
from esra.config.strict import ConfigError
from esra.domain.resilience import BreakerRules, Retries, Switch, Window

CATALOG = """
[providers.main]
engine = "postgres"
url = "env:SOME_URL"

[[sources]]
id = "news"
name = "News"
provider = "main"
{more}

[[sources.mappings]]
id = "docs"
name = "Docs"
schema = "s"
table = "t"
key = "k"
title = "a"
text = "b"
vector = "v"

[[capabilities]]
id = "cap"
name = "Cap"
bindings = [{{ source = "news" }}]

[[exposures]]
slug = "ask"
capability = "cap"
"""


def load(tmp_path, more: str = ""):
    path = tmp_path / "catalog.toml"
    path.write_text(CATALOG.format(more=more))
    (source,) = load_catalog(path).catalog.sources
    return source.retries, source.breaker


def test_silence_means_the_stated_defaults(tmp_path):
    """A file's defaults and the code's would be two sets of numbers."""
    assert load(tmp_path) == (Retries(), BreakerRules())


def test_what_is_said_holds(tmp_path):
    """An operator's number would be read and not used."""
    more = """
[sources.retries]
attempts = 1
share = 0.2
[sources.breaker]
window = "seconds"
seconds = 60.0
switch = "disabled"
trials = 5
"""
    retries, breaker = load(tmp_path, more)
    assert retries == Retries(attempts=1, share=0.2)
    assert breaker == BreakerRules(
        window=Window.SECONDS, seconds=60.0, switch=Switch.DISABLED, trials=5
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("retries.attempts = 6", "sources.0.retries.attempts"),
        ("retries.share = 1.5", "sources.0.retries.share"),
        ("retries.backof = 0.1", "did you mean 'backoff'?"),
        ("breaker.failures = 0", "sources.0.breaker.failures"),
        ("breaker.failures = nan", "sources.0.breaker.failures"),
        ("breaker.trials = 0", "sources.0.breaker.trials"),
        ("breaker.minimum = 21", "it could never open: `minimum` is larger than `calls`"),
        ("breaker.rest = 200.0", "`longest_rest` is shorter than `rest`; raise it"),
    ],
)
def test_what_cannot_be_is_refused_by_name(tmp_path, line, said):
    """A typing error would switch the protection off and nobody would notice."""
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, line)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def documented() -> dict[str, tuple[str, str, str]]:
    """(default, from, to) of each setting, as the page says."""
    page = Path(__file__).parents[2] / "docs" / "resilience.md"
    rows = re.findall(r"^\| `(\w+\.\w+)` \|(.*?)\|(.*?)\|(.*?)\|", page.read_text(), re.MULTILINE)
    return {name: (default.strip(), low.strip(), high.strip()) for name, default, low, high in rows}


def test_the_page_has_every_setting_with_its_default_and_bounds():
    """Somebody would tune a number that is another one, or is refused."""
    found = {}
    for block, model in (("retries", RetriesBlock), ("breaker", BreakerBlock)):
        for name, field in model.model_fields.items():
            bound = {type(one).__name__: one for one in field.metadata}
            low = f"{bound['Ge'].ge:g}" if "Ge" in bound else ""
            low = f"above {bound['Gt'].gt:g}" if "Gt" in bound else low
            high = f"{bound['Le'].le:g}" if "Le" in bound else ""
            default = field.default if isinstance(field.default, str) else f"{field.default:g}"
            found[f"{block}.{name}"] = (default, low, high)
    assert documented() == found
