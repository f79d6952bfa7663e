"""docs/sources.md is true: its example is a catalog's, and it names every key there is."""

import tomllib
from pathlib import Path

import pytest

from esra.config.blocks import ProviderBlock, RowRuleBlock, SourceBlock
from esra.config.record_filter import faults, record_filter
from esra.domain.codes import AuditEvent, FailureCode

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "sources.md").read_text("utf-8")


def example() -> dict:
    return tomllib.loads(PAGE.partition("```toml\n")[2].partition("```")[0])


def test_the_example_is_taken_as_it_is_explained():
    """Whoever copies it would be refused, or show rows that he meant to hide."""
    data = example()
    ProviderBlock.model_validate(data["providers"]["main"])
    (source,) = [SourceBlock.model_validate(one) for one in data["sources"]]
    (mapping,) = source.mappings
    assert source.snapshot
    assert faults(mapping.record_filter) == []
    groups = record_filter(mapping.record_filter)
    assert [[rule.column for rule in group] for group in groups] == [
        ["tenant_id"],
        ["owner", "team"],
        ["draft"],
    ]


@pytest.mark.parametrize("key", RowRuleBlock.model_fields)
def test_every_key_of_a_rule_is_told(key):
    """A setting would be known to who reads the code alone."""
    assert f"\n| `{key}` |" in PAGE


@pytest.mark.parametrize(
    "word",
    [
        AuditEvent.CLAIM_UNUSED,
        FailureCode.HOST_NOT_ALLOWED,
        FailureCode.SNAPSHOT_ISOLATION_UNAVAILABLE,
    ],
)
def test_what_somebody_reads_in_a_log_is_found_on_the_page(word):
    """Whoever meets the word would look for it in vain."""
    assert word.value in PAGE
