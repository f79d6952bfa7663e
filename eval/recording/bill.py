"""What a recording has paid, and whether it may ask on."""

from dataclasses import dataclass, replace

from esra.domain.usage import Usage
from eval.record import Enough

NOTHING = Usage(calls=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Most:
    """Limits of one recording; None: no limit. Tokens are those in and out together."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


class LimitReached(Enough):
    """The next asking would go beyond a limit; the message names the limit."""


class Bill:
    """Counts askings of models. ``unknown`` are those of which nobody can say what they cost.

    An asking is reserved before it is made, so that those under way together stay within the
    limits. Limits on tokens and cost rest on the expectation of each asking: the last one may be
    dearer than expected. One of unknown cost counts against them as it was expected, or no limit
    would ever stop an endpoint that tells nothing.
    """

    def __init__(self, most: Most) -> None:
        self._most = most
        self._reserved: list[Usage] = []
        self._assumed = NOTHING
        self.paid = NOTHING
        self.kept = 0  # askings that were answered from what is kept
        self.unknown = 0

    def reserve(self, expected: Usage) -> Usage:
        """Raises ``LimitReached`` where the asking would go beyond a limit."""
        after = total([self.paid, self._assumed, *self._reserved, expected])
        tokens = after.tokens_in + after.tokens_out
        for name, limit, count in (
            ("--max-calls", self._most.calls, after.calls),
            ("--max-tokens", self._most.tokens, tokens),
            ("--max-cost", self._most.cost, after.cost or 0.0),
        ):
            if limit is not None and count > limit:
                raise LimitReached(f"{name} {limit:g} is reached")
        self._reserved.append(expected)
        return expected

    def settle(self, reserved: Usage, usage: Usage | None) -> None:
        """What the asking cost in truth; None where nobody can say, then one call.

        Nor has anybody said so where no token was counted: no question is made of none.
        """
        self._reserved.remove(reserved)
        told = Usage() if usage is None else usage
        if not (told.tokens_in or told.tokens_out):
            self.unknown += 1
            self._assumed = total([self._assumed, replace(reserved, calls=0)])
            told = replace(told, cost=None)
        self.paid = total([self.paid, told])


def total(usages: list[Usage]) -> Usage:
    """The sum; its cost is None where none of them has one."""
    priced = [usage.cost for usage in usages if usage.cost is not None]
    return Usage(
        calls=sum(usage.calls for usage in usages),
        tokens_in=sum(usage.tokens_in for usage in usages),
        tokens_out=sum(usage.tokens_out for usage in usages),
        seconds=sum(usage.seconds for usage in usages),
        cost=sum(priced) if priced else None,
    )
