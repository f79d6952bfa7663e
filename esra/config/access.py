"""An exposure as it stands in a catalog: what it offers, and the rules of who may use it."""

from esra.config.blocks import AllowBlock, ExposureBlock
from esra.config.shape import meant
from esra.config.strict import Fault
from esra.domain.capability import Exposure
from esra.domain.policy import Access, Condition, Grant, Rule
from esra.domain.source import Limits


def exposure(block: ExposureBlock) -> Exposure:
    return Exposure(
        slug=block.slug,
        capability=block.capability,
        sources=None if block.sources is None else frozenset(block.sources),
        published=block.published,
        tenants=None if block.tenants is None else frozenset(block.tenants),
        modes=frozenset(block.modes),
        limits=Limits(**block.limits.model_dump()),
        access=Access(
            rules=tuple(_rule(rule) for rule in block.allow),
            authenticated=block.allow_authenticated,
        ),
    )


def access_faults(exposures: list[ExposureBlock], bound: dict[str, set[str]]) -> list[Fault]:
    """What a person has to mend; ``bound`` are the sources by capability."""
    found = []
    for place, block in enumerate(exposures):
        offered = bound.get(block.capability, set())
        offered = offered if block.sources is None else offered & set(block.sources)
        modes = {*block.modes, "brief"}
        for number, rule in enumerate(block.allow):
            path = ("exposures", place, "allow", number)
            found += [
                Fault(
                    path=(*path, "sources", entry),
                    text=f"{id!r} is no source of this exposure{meant(id, offered)}",
                )
                for entry, id in enumerate(rule.sources or ())
                if id not in offered
            ]
            found += [
                Fault(path=(*path, "modes"), text=f"{mode!r} is not among the exposure's modes")
                for mode in sorted(set(rule.modes) - modes)
            ]
    return found


def _rule(block: AllowBlock) -> Rule:
    conditions = [(block.claim, block.any), *((one.claim, one.any) for one in block.also)]
    return Rule(
        conditions=tuple(Condition(claim=claim, any=frozenset(any)) for claim, any in conditions),
        grant=Grant(
            sources=None if block.sources is None else frozenset(block.sources),
            modes=frozenset(block.modes),
            limits=Limits(**block.limits.model_dump()),
        ),
    )
