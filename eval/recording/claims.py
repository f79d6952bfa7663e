"""Who a recording asks as, where its sources show each caller something else.

A claim goes by the name that a record filter has for it: ``tenant``, ``subject`` and ``groups`` are
the caller's own, any other name is one of a token. What of the values may be kept is decided by
retention: under ``full`` the values, under ``keyed_hash`` a keyed hash of each, under ``redacted``
and ``none`` nothing but the names. The recording's key tells two callers apart under each of them,
by keyed hashes where the values may not be kept.
"""

import argparse
import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import replace

from esra.domain.invocation import Caller, Claims, Retention
from esra.domain.outcome import Refused
from esra.governance.claims import GROUPS, LONGEST, read_claims, with_groups
from eval.record import CALLER

TENANT, SUBJECT = "tenant", "subject"
OWN = (TENANT, SUBJECT)  # a caller has one of each
SHOWN = 12  # digits of a keyed hash, enough to tell callers apart in a report
FEW = 3  # values of a claim in the name of an arm; a caller may be in hundreds of groups
Kept = Mapping[str, tuple[str, ...]]  # values by the claim's name


def claim(text: str) -> tuple[str, str]:
    """An option's NAME=VALUE; a value may hold further ``=``."""
    name, equals, value = text.partition("=")
    if not (equals and name.strip() and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE, as in team=red")
    try:
        read_claims({name: value})
    except Refused as error:
        raise argparse.ArgumentTypeError(
            f"{name!r} holds a control character, or more than {LONGEST:,} characters"
        ) from error
    return name, value


def stated(pairs: Iterable[tuple[str, str]]) -> Claims:
    """The claims of all options, the same in whatever order they were given.

    ValueError where something that a caller has one of was given several values.
    """
    values: dict[str, set[str]] = {}
    for name, value in pairs:
        values.setdefault(name, set()).add(value)
    for name in OWN:
        if len(values.get(name, ())) > 1:
            raise ValueError(f"--claim {name} is given several values; a caller has one {name}")
    return read_claims({name: sorted(own) for name, own in values.items()})


def caller_of(claims: Claims) -> Caller:
    """The workbench's caller with these claims."""
    known = dict(claims)
    (tenant,) = known.pop(TENANT, (CALLER.tenant,))
    (subject,) = known.pop(SUBJECT, (CALLER.subject,))
    groups = known.get(GROUPS, ())
    own = with_groups(tuple(known.items()), groups)
    return replace(CALLER, tenant=tenant, subject=subject, groups=groups, claims=own)


def kept(claims: Claims, retention: Retention, secret: bytes) -> Kept:
    """What of the claims a run folder and a report may hold."""
    if retention is Retention.FULL:
        return dict(claims)
    if retention is Retention.KEYED_HASH:
        return {
            name: tuple(_hashed(name, one, secret)[:SHOWN] for one in own) for name, own in claims
        }
    return {name: () for name, _ in claims}


def identity(claims: Claims, retention: Retention, secret: bytes) -> tuple[str, ...]:
    """The claims as parts of the recording's key, which is a hash that others may see: without a
    key of its own it would give away a short value to whoever tries them all."""
    return tuple(
        f"claim {name}={one if retention is Retention.FULL else _hashed(name, one, secret)}"
        for name, own in claims
        for one in own
    )


def words(claims: Kept) -> tuple[str, ...]:
    """As a person reads them: ``team=blue,red``, of many values the first and how many more, and
    the bare name where no value was kept."""
    return tuple(f"{name}={_few(own)}" if own else name for name, own in claims.items())


def _few(values: tuple[str, ...]) -> str:
    more = len(values) - FEW
    return ",".join(values[:FEW]) + (f" and {more:,} more" if more > 0 else "")


def _hashed(name: str, value: str, secret: bytes) -> str:
    told = f"claim\0{name}\0{value}".encode()
    return hmac.new(secret, told, hashlib.sha256).hexdigest()
