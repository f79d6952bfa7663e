"""The breaker beside a second one, written apart from it, under whatever may happen to them."""

import os
from fractions import Fraction
from random import Random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from esra.domain.resilience import BreakerRules, Switch, Window
from esra.providers.resilience.breaker import Breaker

RUNS = 2_000 if os.environ.get("ESRA_LONG") == "1" else 200
SECONDS = 5.0


class Reference:
    """Keeps every call it ever saw, and looks through all of them each time."""

    def __init__(self, rules, dice):
        self.rules, self.dice = rules, dice
        self.tickets, self.results = {}, []  # ticket -> (era, since); (era, at, failed, slow)
        self.state, self.era, self.doubled, self.wakes = "closed", 0, 0, 0.0

    def go(self, state, now):
        if state == "open":
            self.doubled = self.doubled + 1 if self.state == "half_open" else self.doubled
            rest = min(self.rules.longest_rest, self.rules.rest * 2**self.doubled)
            self.wakes = now + rest * self.dice.uniform(0.8, 1.2)
        elif state != "half_open":
            self.doubled = 0
        self.state, self.era = state, self.era + 1

    def admit(self, ticket, now):
        out = [since for era, since in self.tickets.values() if era == self.era]
        if self.state == "open" and now >= self.wakes:
            self.go("half_open", now)
            out = []
        elif self.state == "half_open" and out and now - min(out) >= max(self.rules.patience, 10.0):
            self.go("open", now)
        back = sum(era == self.era for era, *_ in self.results)
        full = self.state == "half_open" and len(out) + back >= self.rules.trials
        if self.state in ("open", "forced_open") or full:
            return False
        self.tickets[ticket] = (self.era, now)
        return True

    def record(self, ticket, failed, took, now):
        era, _ = self.tickets.pop(ticket)
        if era != self.era or self.state == "disabled":
            return
        self.results.append((era, now, failed, took >= self.rules.slowness * SECONDS))
        mine = [result for result in self.results if result[0] == self.era]
        if self.state == "closed" and self.rules.window is Window.CALLS:
            mine = mine[-self.rules.calls :]
        elif self.state == "closed":
            mine = [result for result in mine if now - result[1] < self.rules.seconds]
        of = self.rules.trials if self.state == "half_open" else max(len(mine), self.rules.minimum)
        judged = self.state == "half_open" or len(mine) >= self.rules.minimum
        shares = [Fraction(sum(result[n] for result in mine), of) for n in (2, 3)]
        limits = [Fraction(str(self.rules.failures)), Fraction(str(self.rules.slow))]
        if judged and any(share >= limit for share, limit in zip(shares, limits, strict=True)):
            self.go("open", now)
        elif self.state == "half_open" and len(mine) == self.rules.trials:
            self.go("closed", now)


RULES = st.builds(
    BreakerRules,
    window=st.sampled_from(Window),
    calls=st.integers(3, 8),
    seconds=st.sampled_from([5.0, 30.0]),
    minimum=st.integers(1, 3),
    failures=st.sampled_from([0.2, 0.5, 1.0]),
    slow=st.sampled_from([0.3, 0.8, 1.0]),
    rest=st.sampled_from([1.0, 10.0]),
    longest_rest=st.sampled_from([10.0, 120.0]),
    trials=st.integers(1, 4),
    patience=st.sampled_from([1.0, 20.0]),
)


class Beside(RuleBasedStateMachine):
    """Both see the same calls, at the same times, with the same dice."""

    held = Bundle("held")

    @initialize(rules=RULES, seed=st.integers(0, 99))
    def begin(self, rules, seed):
        self.now, self.permits = 0.0, {}
        self.model = Reference(rules, Random(seed))
        self.real = Breaker(rules, seconds=SECONDS, monotonic=lambda: self.now, dice=Random(seed))

    @rule(target=held)
    def call(self):
        ticket = object()
        permit = self.real.admit()
        assert (permit is not None) == self.model.admit(ticket, self.now)
        if permit is not None:
            self.permits[ticket] = permit
        return ticket

    @rule(ticket=held, failed=st.booleans(), took=st.sampled_from([0.0, 3.9, 4.0, 9.0]))
    def comes_back(self, ticket, failed, took):
        if permit := self.permits.pop(ticket, None):
            self.real.record(permit, failed=failed, took=took)
            self.model.record(ticket, failed, took, self.now)

    @rule(failed=st.booleans(), took=st.sampled_from([0.0, 5.0]))
    def call_at_once(self, failed, took):
        self.comes_back(self.call(), failed, took)

    @rule(ticket=held)
    def is_given_back(self, ticket):
        if permit := self.permits.pop(ticket, None):
            self.real.give_back(permit)
            self.model.tickets.pop(ticket)

    @rule(seconds=st.sampled_from([0.5, 1.0, 4.0, 7.5, 12.0, 45.0, 150.0]))
    def time_passes(self, seconds):
        self.now += seconds

    @rule()
    def the_server_is_back(self):
        self.real.reachable()
        if self.model.state == "open":
            self.model.go("half_open", self.now)

    @rule(to=st.sampled_from([Switch.AUTO, Switch.AUTO, Switch.OPEN, Switch.DISABLED]))
    def is_switched(self, to):
        self.real.switch(to)
        states = {"auto": "closed", "open": "forced_open", "disabled": "disabled"}
        self.model.go(states[to.value], self.now)

    @invariant()
    def same_state(self):
        if hasattr(self, "model"):
            assert self.real.state.value == self.model.state


Beside.TestCase.settings = settings(
    max_examples=RUNS,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


class TestBesideTheReference(Beside.TestCase):
    """If they ever part, one of them does not do what both were written from."""
