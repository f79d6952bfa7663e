"""Decides what a principal gets at an exposure. Pure: rules and claims in, a grant or a reason out.

Nothing configured admits no token. The conditions of a rule hold together, any rule admits, and
what several rules grant adds up, as roles do: the sources and modes of all, of each limit the
largest.
"""

from collections.abc import Sequence
from dataclasses import fields

from esra.domain.capability import Exposure
from esra.domain.codes import Denial
from esra.domain.invocation import Caller, Claims, Identity, Principal
from esra.domain.policy import USUAL, Access, Condition, Grant, Rule
from esra.domain.source import Limits

# A local caller is whoever may start the program: no claim of his could be checked.
_LOCAL = Grant(modes=USUAL | {"explain"})


def decide(exposure: Exposure | None, principal: Principal) -> Grant | Denial:
    """The grant of this principal at this exposure, or the true reason why there is none.

    ``principal`` has its groups expanded.
    """
    if exposure is None:
        return Denial.EXPOSURE_UNKNOWN
    if not exposure.published:
        return Denial.EXPOSURE_UNPUBLISHED
    if exposure.tenants is not None and principal.tenant not in exposure.tenants:
        return Denial.TENANT_NOT_ADMITTED
    if principal.identity is Identity.LOCAL:
        return _LOCAL
    return _by_rules(exposure.access, principal.claims)


def caller_of(principal: Principal, grant: Grant) -> Caller:
    """The principal as the caller of the exposure that granted it."""
    return Caller(
        tenant=principal.tenant,
        subject=principal.subject,
        identity=principal.identity,
        groups=principal.groups,
        claims=principal.claims,
        sources=grant.sources,
        modes=grant.modes,
        limits=grant.limits,
    )


def _by_rules(access: Access, claims: Claims) -> Grant | Denial:
    known = {name: frozenset(values) for name, values in claims}
    grants = [rule.grant for rule in access.rules if _holds(rule, known)]
    if access.authenticated:
        grants.append(Grant())
    if grants:
        return together(grants)
    return Denial.NO_RULE_MATCHED if access.rules else Denial.NO_RULE


def _holds(rule: Rule, known: dict[str, frozenset[str]]) -> bool:
    # A rule without a condition would hold for everybody, which is another setting's to say.
    return bool(rule.conditions) and all(_met(one, known) for one in rule.conditions)


def _met(condition: Condition, known: dict[str, frozenset[str]]) -> bool:
    return not condition.any.isdisjoint(known.get(condition.claim, frozenset()))


def together(grants: Sequence[Grant]) -> Grant:
    """What several grants amount to."""
    named = [grant.sources for grant in grants if grant.sources is not None]
    return Grant(
        sources=frozenset().union(*named) if len(named) == len(grants) else None,
        modes=frozenset().union(*(grant.modes for grant in grants)),
        limits=Limits(
            **{
                field.name: max(getattr(grant.limits, field.name) for grant in grants)
                for field in fields(Limits)
            }
        ),
    )
