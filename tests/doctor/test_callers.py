"""Who may ask: a catalog that takes tokens and then turns every one of them away is told of."""

import pytest

from esra.doctor.callers import caller_findings
from esra.doctor.finding import Fault
from esra.domain.capability import Catalog, Exposure
from esra.domain.policy import Access, Condition, Rule
from esra.domain.trust import Issuer, Trust
from tests.doctor.clinic import faults, told

ISSUER = Issuer(
    issuer="https://id.example",
    audience="https://esra.example",
    keys="file:keys.json",
    algorithms=frozenset({"ES256"}),
    types=frozenset({"at+jwt"}),
    tenant="acme",
)
RULES = Access(rules=(Rule(conditions=(Condition(claim="dept", any=frozenset({"care"})),)),))
TRUST = """
[governance]
resource = "https://esra.example/mcp"
[[governance.issuers]]
issuer = "https://id.example"
keys = "file:keys.json"
tenant = "acme"
"""


def exposure(slug: str, **told) -> Exposure:
    return Exposure(slug=slug, capability="c", **told)


@pytest.mark.parametrize(
    ("exposures", "found"),
    [
        ([exposure("a")], True),
        ([exposure("a"), exposure("b", access=RULES)], False),
        ([exposure("a", access=Access(authenticated=True))], False),
        ([exposure("a", access=RULES, published=False), exposure("b")], True),
        ([], True),
    ],
)
def test_tokens_that_no_exposure_admits(exposures, found):
    """A house would be served for weeks in which every caller reads that he is forbidden."""
    catalog = Catalog(version="1", sources=(), capabilities=(), exposures=tuple(exposures))
    said = list(caller_findings(Trust(issuers=(ISSUER,)), catalog))
    assert [finding.fault for finding in said] == [Fault.NOBODY_ADMITTED] * found
    assert list(caller_findings(Trust(), catalog)) == []


def test_the_command_tells_of_it(clinic, capsys):
    """What is judged and never shown helps nobody."""
    file = clinic.catalog(clinic.patient())
    file.write_text(file.read_text("utf-8") + TRUST, "utf-8")
    assert (told(capsys, file)[0], faults(told(capsys, file)[1])) == (1, ["NOBODY_ADMITTED"])
    file.write_text(
        file.read_text("utf-8").replace(
            'slug = "notes"', 'slug = "notes"\nallow_authenticated = true'
        )
    )
    assert told(capsys, file) == (0, [])
