"""Who may use an exposure, and with what: rules over the claims of a token."""

from dataclasses import dataclass

from esra.domain.source import Limits

USUAL = frozenset({"brief", "full"})  # explain shows native scores, so it is granted by name


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """Holds where the claim has one of these values, letter for letter."""

    claim: str
    any: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a caller gets at an exposure; ``sources`` None: all that it has."""

    sources: frozenset[str] | None = None
    modes: frozenset[str] = USUAL
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A grant for whom every condition holds; there is at least one."""

    conditions: tuple[Condition, ...]
    grant: Grant = Grant()


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """An exposure's rules, any of which admits; ``authenticated`` admits every accepted token.

    Without either no token is admitted.
    """

    rules: tuple[Rule, ...] = ()
    authenticated: bool = False
