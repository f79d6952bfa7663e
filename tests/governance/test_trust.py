"""The [governance] block and the rules of an exposure, as a person writes them."""

import asyncio
import re
from pathlib import Path

import pytest

from esra.config.catalog import load_catalog
from esra.config.strict import ConfigError
from esra.domain.invocation import Retention
from esra.domain.outcome import Refused
from esra.domain.policy import USUAL, Access, Condition, Grant, Rule
from esra.domain.trust import ALGORITHMS, Issuer, LocalIdentity
from esra.governance.chosen import TrustUnusable, governance_of
from esra.governance.local import LocalGovernance
from esra.governance.platform import Platform, govern
from tests.governance import mint
from tests.governance.catalogs import GOOD, written
from tests.governance.claimants import principal

RULES = """
modes = ["brief", "full", "explain"]
[[exposures.allow]]
claim = "groups"
any = ["hr"]
also = [{claim = "country", any = ["CH", "LI"]}]
sources = ["s"]
modes = ["brief", "explain"]
limits = {results = 5}
[[exposures.allow]]
claim = "sub"
any = ["auditor"]
"""


def test_rules_are_read_as_they_are_written(tmp_path):
    """A block whose second condition is lost admits whoever meets the first."""
    (face,) = load_catalog(written(tmp_path, exposure=RULES)).catalog.exposures
    first, second = face.access.rules
    assert first.conditions == (
        Condition(claim="groups", any=frozenset({"hr"})),
        Condition(claim="country", any=frozenset({"CH", "LI"})),
    )
    assert first.grant.sources == {"s"}
    assert first.grant.modes == {"brief", "explain"}
    assert first.grant.limits.results == 5
    auditor = Condition(claim="sub", any=frozenset({"auditor"}))
    assert second == Rule(conditions=(auditor,), grant=Grant(modes=USUAL))
    (plain,) = load_catalog(written(tmp_path)).catalog.exposures
    assert plain.access == Access()


def test_an_issuer_needs_little_and_is_read_whole(tmp_path):
    """A default that is looser than said would accept what nobody configured."""
    trust = load_catalog(written(tmp_path)).trust
    (issuer,) = trust.issuers
    assert issuer == Issuer(
        issuer=mint.ISSUER,
        audience=mint.AUDIENCE,
        keys="file:keys.json",
        algorithms=frozenset({"RS256", "PS256", "ES256", "EdDSA", "Ed25519"}),
        types=frozenset({"at+jwt", "jwt"}),
        tenant="t",
    )
    assert (trust.leeway, trust.local) == (30.0, LocalIdentity())
    assert not {name for name in ALGORITHMS if name.startswith(("HS", "none"))}


def test_groups_stand_in_the_catalog_or_in_a_file_beside_it(tmp_path):
    """A directory that is exported every night cannot be pasted into a catalog."""
    (tmp_path / "groups.toml").write_text('interns = ["hr"]\nhr = ["staff"]\n')
    inside = 'groups_file = "groups.toml"\n[governance.groups]\nlaw = ["staff"]'
    trust = load_catalog(written(tmp_path, governance=inside)).trust
    assert dict(trust.groups) == {"law": ("staff",), "interns": ("hr",), "hr": ("staff",)}
    (tmp_path / "groups.toml").write_text('interns = "hr"')
    with pytest.raises(ConfigError, match=r"groups\.toml: not a TOML table of group"):
        load_catalog(written(tmp_path, governance=inside))


def test_what_is_kept_of_prompts_is_configured(tmp_path):
    """A house that may keep nothing would keep hashes."""
    loaded = load_catalog(written(tmp_path, governance='retention = "none"'))
    assert (loaded.retention, loaded.prompt_key) == (Retention.NONE, None)


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        ("issuer", 'keys = "file:k"', "takes one of tenant and tenant_claim"),
        ("issuer", 'keys = "file:k"\ntenant = "t"\ntenant_claim = "o"', "takes one of tenant"),
        ("issuer", 'keys = "file:k"\ntenant = "t"\ntenants = {a = "b"}', "of a tenant_claim"),
        ("issuer", 'keys = "http://id.example/keys"\ntenant = "t"', "an https address"),
        ("issuer", 'keys = "file:"\ntenant = "t"', "file:PATH"),
        ("issuer", GOOD["issuer"] + '\nalgorithms = ["HS256"]', "issuers.0.algorithms.0"),
        ("issuer", GOOD["issuer"] + '\nalgorithms = ["none"]', "issuers.0.algorithms.0"),
        ("issuer", GOOD["issuer"] + "\nalgorithms = []", "issuers.0.algorithms"),
        ("issuer", GOOD["issuer"] + '\ntypes = ["id+jwt"]', "issuers.0.types.0"),
        ("governance", "leeway = 61", "governance.leeway"),
        ("governance", "leeway = nan", "governance.leeway"),
        ("governance", 'retention = "forever"', "governance.retention"),
        ("governance", 'groups_file = "absent.toml"', "absent.toml: cannot be read"),
        ("governance", "leway = 5.0", "did you mean 'leeway'"),
        ("exposure", '[[exposures.allow]]\nclaim = "groups"', "allow.0.any"),
        ("exposure", '[[exposures.allow]]\nclaim = "g"\nany = []', "allow.0.any"),
        ("exposure", "[[exposures.allow]]", "allow.0.claim"),
        (
            "exposure",
            '[[exposures.allow]]\nclaim = "g"\nany = ["h"]\nsources = ["x"]',
            "'x' is no source of this exposure",
        ),
        (
            "exposure",
            '[[exposures.allow]]\nclaim = "g"\nany = ["h"]\nmodes = ["explain"]',
            "'explain' is not among the exposure's modes",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line(tmp_path, part, text, message):
    """A mistake in a rule that loads silently is found by whoever should not have come in."""
    with pytest.raises(ConfigError) as refused:
        load_catalog(written(tmp_path, **{part: text}))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_policy_of_the_page_loads_and_does_what_the_page_says(tmp_path):
    """A reader copies the example, and finds that it admits others than it says."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "governance.md").read_text("utf-8")
    (policy,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    mapping = "{id='m',name='M',schema='s',table='t',key='k',title='i',text='x',vector='v'}"
    sources = "".join(
        f"[[sources]]\nid='{id}'\nname='S'\nprovider='own'\nmappings=[{mapping}]\n"
        for id in ("policies", "salaries")
    )
    bindings = "bindings=[{source='policies'},{source='salaries'}]"
    file = tmp_path / "catalog.toml"
    file.write_text(
        f"[providers.own]\nengine='postgres'\nurl='embedded'\n{sources}"
        f"[[capabilities]]\nid='handbook'\nname='H'\n{bindings}\n{policy}"
    )
    loaded = load_catalog(file)
    governance = govern(loaded.catalog, loaded.trust, tmp_path, mint.Clock())

    def granted(*groups, **claims):
        who = principal(groups=groups, **claims)
        return asyncio.run(governance.authorize(who, "handbook"))

    assert granted("hr-interns").sources is None  # staff, by way of hr
    assert granted("hr-interns").modes == {"brief", "full"}
    assert granted("hr", country=("CH",)).modes == {"brief", "full", "explain"}
    with pytest.raises(Refused):
        granted("guests")


def test_the_resource_is_needed_where_tokens_are(tmp_path):
    """A door on a network that cannot say whose tokens it takes would take none, and let all in."""
    file = written(tmp_path)
    file.write_text(file.read_text().replace('resource = "https://esra.example/mcp"', ""))
    with pytest.raises(ConfigError, match="needs its resource"):
        load_catalog(file)


def test_a_trust_chooses_its_governance_and_says_what_is_missing(tmp_path):
    """Keys that are not there would be found out by the first caller, in the night."""
    loaded = load_catalog(written(tmp_path))
    with pytest.raises(TrustUnusable, match=r"file:keys\.json: No such file"):
        governance_of(loaded.catalog, loaded.trust, tmp_path, mint.Clock())
    (tmp_path / "keys.json").write_bytes(mint.keys_of_the_issuer())
    with_tokens = governance_of(loaded.catalog, loaded.trust, tmp_path, mint.Clock())
    assert isinstance(with_tokens, Platform)
    file = written(tmp_path)
    local = file.read_text().replace("[[governance.issuers]]", "[elsewhere]")
    file.write_text(local[: local.index("[elsewhere]")] + local[local.index("[model]") :])
    loaded = load_catalog(file)
    only_local = governance_of(loaded.catalog, loaded.trust, tmp_path, mint.Clock())
    assert isinstance(only_local, LocalGovernance)
