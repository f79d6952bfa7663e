"""The public keys of an issuer: read, kept for a while, and read again when one is missing.

Keys come from the configured place and from nowhere else; a token can name one, never bring one.
An unknown name makes us look again at most once a minute, so that made-up names cost the issuer
nothing. Where the place cannot be read the last good keys hold for a day.
Source: RFC 7517, and RFC 8725, 3.3 and 3.10.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, Key, OKPKey, RSAKey, import_key

from esra.domain.codes import Denial
from esra.domain.trust import ALGORITHMS
from esra.governance.refusals import unauthenticated
from esra.ports import Clock

FRESH = 600.0  # seconds until the place is asked again: how long a withdrawn key goes on
GOOD = 86_400.0  # seconds for which keys hold whose place cannot be read
PAUSE = 60.0  # seconds between two looks
IMPATIENT = 5.0  # the same while there are no keys at all
MOST = 100  # keys of a set
_BITS = range(2048, 8193)  # of an RSA key: below it is weak, above it a check costs too much

log = logging.getLogger("esra.governance")

Read = Callable[[], Awaitable[bytes]]


class KeysUnusable(ValueError):
    """No key set, or one that must not be used. The message holds no part of a key."""


class Keys:
    """The keys of one issuer, read through ``read`` (which raises ``KeysUnusable``)."""

    def __init__(self, name: str, read: Read, clock: Clock) -> None:
        self._name, self._read, self._clock = name, read, clock
        self._held: tuple[Key, ...] = ()
        self._loaded = self._tried = float("-inf")
        self._lock = asyncio.Lock()

    async def find(self, kid: str | None, algorithm: str) -> Key:
        """The one key of that name (or without one, the only key) that fits the algorithm."""
        if not self._named(kid) or self._age() >= FRESH:
            async with self._lock:
                await self._look()
        if self._age() > GOOD:
            raise unauthenticated(Denial.KEYS_UNAVAILABLE)
        named = self._named(kid)
        if not named:
            raise unauthenticated(Denial.KEY_UNKNOWN)
        fitting = [key for key in named if fits(key, algorithm)]
        if len(fitting) != 1:
            raise unauthenticated(Denial.KEY_UNSUITABLE)
        return fitting[0]

    def _named(self, kid: str | None) -> list[Key]:
        if kid is None:
            return list(self._held) if len(self._held) == 1 else []
        return [key for key in self._held if key.kid == kid]

    def _age(self) -> float:
        return self._clock.monotonic() - self._loaded

    async def _look(self) -> None:
        """Reads the place again, unless somebody just did."""
        now = self._clock.monotonic()
        if now - self._tried < (PAUSE if self._held else IMPATIENT):
            return
        self._tried = now
        try:
            self._held = read_keys(await self._read())
            self._loaded = self._clock.monotonic()
        except KeysUnusable as error:
            log.warning("the keys of %s could not be read: %s", self._name, error)


def fits(key: Key, algorithm: str) -> bool:
    """Whether a key is of the kind the algorithm needs, and meant for no other algorithm."""
    same = {"EdDSA", "Ed25519"}  # two names of one thing: RFC 8037 and RFC 9864
    meant = key.alg is None or key.alg == algorithm or {key.alg, algorithm} == same
    return meant and kind(key) == ALGORITHMS.get(algorithm)


def kind(key: Key) -> str:
    """``RSA``, or the curve's name."""
    return key.curve_name if isinstance(key, (ECKey, OKPKey)) else key.key_type


def read_keys(data: bytes) -> tuple[Key, ...]:
    """The usable signature keys of a JSON Web Key Set; what is not understood is passed over."""
    try:
        rows = json.loads(data)["keys"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise KeysUnusable("it is no JSON Web Key Set") from None
    if not isinstance(rows, list) or len(rows) > MOST:
        raise KeysUnusable(f"a key set is a list of at most {MOST} keys")
    keys = tuple(key for row in rows if isinstance(row, dict) and (key := _key(row)) is not None)
    if not keys:
        raise KeysUnusable("it holds no public signature key of an accepted kind")
    return keys


def _key(row: dict[str, object]) -> Key | None:
    if "d" in row:
        raise KeysUnusable("it holds a private key; publish the public part only")
    if row.get("use", "sig") != "sig" or "verify" not in _operations(row):
        return None
    try:
        key = import_key(row)  # type: ignore[arg-type]  # it checks every member itself
    except (JoseError, ValueError, TypeError, KeyError):
        return None
    if isinstance(key, RSAKey) and key.raw_value.key_size not in _BITS:
        return None
    # No kind of ours is a shared secret, so none ever checks a token.
    return key if kind(key) in ALGORITHMS.values() else None


def _operations(row: dict[str, object]) -> list[object]:
    given = row.get("key_ops", ["verify"])
    return given if isinstance(given, list) else []
