"""Remembers which sources a model chose, so that an equal question costs no second model call.

Promises: a remembered choice is found again only by the same tenant, exposure, configuration,
candidates and model, for a prompt that differs in no more than case, white space and Unicode form.
What a cache holds is a keyed hash and a few source ids, never a word of a prompt. A choice comes
back as a model's text would, so the stage admits it against what it offers now. Only what the
stage would admit is kept: a model's failure never is.

A tenant has a key of its own, so no two tenants share a storage key, and the value is sealed under
it: a row that was moved, edited or made up without the key is no row. Where the key lies beside
the rows (no key by reference), whoever reads both can test guesses at a prompt and forge a row.
"""

import hashlib
import hmac
import json
import secrets
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import astuple

from esra.briefs import SelectBrief
from esra.domain.capability import SelectForm
from esra.domain.invocation import Call, Retention
from esra.domain.usage import Usage
from esra.governance.store import Store
from esra.ports import Clock, Reply, SelectionCache, SelectionKey, Selector
from esra.reply import Unusable, read_rows

# A source can change its worth without a change of its description; then a choice is an hour old.
TTL = 3600.0
MOST = 10_000
SHORTEST_KEY = 16  # bytes: a shorter one is guessed

# RULINGS 18.
_KEEPING = frozenset({Retention.FULL, Retention.KEYED_HASH})
# Statistics cost no model call, and change without any word of a source changing.
_ASKING = frozenset({SelectForm.MODEL.value, SelectForm.LOCAL.value})
_TAG = 32


Admit = Callable[[str, SelectBrief], tuple[frozenset[str], tuple[str, ...]]]


def remembering(
    selectors: Mapping[str, Selector],
    cache: SelectionCache | None,
    admit: Admit,
    *,
    call: Call,
    version: str,
    retention: Retention,
) -> Mapping[str, Selector]:
    """The same selectors, asked only what ``cache`` does not know.

    Untouched, so that nothing is read or written, without a cache and where the retention class
    forbids what is derived from a prompt. ``admit`` is the stage's own.
    """
    if cache is None or retention not in _KEEPING:
        return selectors
    asking = {
        form: _Remembering(selector, cache, admit, call, version)
        for form, selector in selectors.items()
        if form in _ASKING
    }
    return {**selectors, **asking}


class _Remembering:
    def __init__(
        self, selector: Selector, cache: SelectionCache, admit: Admit, call: Call, version: str
    ) -> None:
        self.identity = selector.identity
        self._selector, self._cache, self._admit = selector, cache, admit
        self._call, self._version = call, version

    async def select(self, brief: SelectBrief) -> Reply:
        key = selection_key(self._call, self._version, brief, self.identity)
        known = await self._cache.get(key)
        offered = [candidate.id for candidate in brief.candidates]
        if known is not None and set(known) <= set(offered):
            return Reply(text=json.dumps({"sources": known}), usage=Usage(calls=0))
        reply = await self._selector.select(brief)
        try:
            picked, _ = self._admit(reply.text, brief)
        except Unusable:
            return reply  # the stage falls back, and the next caller asks again
        self._cache.put(key, tuple(id for id in offered if id in picked))
        return reply


def selection_key(call: Call, version: str, brief: SelectBrief, identity: str) -> SelectionKey:
    """The key of this call's selection. ``identity`` names the model and how it is asked."""
    candidates = [identity, *(astuple(candidate) for candidate in brief.candidates)]
    return SelectionKey(
        tenant=call.caller.tenant,
        exposure=call.exposure,
        prompt=same_prompt(brief.prompt),
        version=version,
        candidates=hashlib.sha256(_canonical(candidates)).hexdigest(),
    )


def same_prompt(prompt: str) -> str:
    """One form for all prompts that differ in case, white space or Unicode form only.

    Source: the Unicode Standard, section 3.13, D146 (compatibility caseless match).
    """
    text = unicodedata.normalize("NFD", prompt)
    for _ in range(2):
        text = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(text.split())


class MemorySelections:
    """In this process only; what was used longest ago goes first."""

    def __init__(self, clock: Clock, *, ttl: float = TTL, most: int = MOST) -> None:
        self._clock, self._ttl, self._most = clock, ttl, most
        self._secret = secrets.token_bytes(_TAG)
        self._kept: OrderedDict[bytes, tuple[float, tuple[str, ...]]] = OrderedDict()

    async def get(self, key: SelectionKey) -> tuple[str, ...] | None:
        entry = _Place(self._secret, key).entry
        until, ids = self._kept.get(entry, (0.0, ()))
        if until <= self._clock.monotonic():
            self._kept.pop(entry, None)
            return None
        self._kept.move_to_end(entry)
        return ids

    def put(self, key: SelectionKey, ids: tuple[str, ...]) -> None:
        entry = _Place(self._secret, key).entry
        self._kept[entry] = (self._clock.monotonic() + self._ttl, ids)
        self._kept.move_to_end(entry)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)


class SharedSelections:
    """In esra's own tables, for every instance that has the same store and key.

    What was written longest ago goes first. Without ``secret`` the store's own random key is used.
    A store in trouble knows nothing and keeps nothing.
    """

    def __init__(
        self, store: Store, secret: bytes = b"", *, ttl: float = TTL, most: int = MOST
    ) -> None:
        if secret and len(secret) < SHORTEST_KEY:
            raise ValueError(f"the cache's key is too short: {SHORTEST_KEY} bytes at least")
        self._store, self._secret, self._ttl, self._most = store, secret, ttl, most

    async def get(self, key: SelectionKey) -> tuple[str, ...] | None:
        self._secret = self._secret or await self._store.salt() or b""
        if not self._secret:
            return None
        place = _Place(self._secret, key)
        value = await self._store.read(place.entry, self._ttl)
        return None if value is None else place.opened(value)

    def put(self, key: SelectionKey, ids: tuple[str, ...]) -> None:
        # Without a key the store was not there when it was asked, a moment ago.
        if self._secret:
            place = _Place(self._secret, key)
            self._store.write(place.entry, place.sealed(ids), self._ttl, self._most)


class _Place:
    """Where a key's value lies and the seal on it, both under the tenant's own key."""

    def __init__(self, secret: bytes, key: SelectionKey) -> None:
        self._own = _mac(secret, b"tenant", _canonical(key.tenant))
        rest = [key.exposure, key.prompt, key.version, key.candidates]
        self.entry = _mac(self._own, b"entry", _canonical(rest))

    def sealed(self, ids: tuple[str, ...]) -> bytes:
        text = _canonical({"sources": ids})
        return _mac(self._own, b"value", self.entry + text) + text

    def opened(self, value: bytes) -> tuple[str, ...] | None:
        """The ids, if it was this place's value that was sealed."""
        tag, text = value[:_TAG], value[_TAG:]
        if not hmac.compare_digest(tag, _mac(self._own, b"value", self.entry + text)):
            return None
        try:
            rows = read_rows(text.decode("utf-8", "replace"), "sources")
        except Unusable:
            return None
        ids = tuple(id for id in rows if isinstance(id, str))
        return ids if len(ids) == len(rows) else None


def _mac(key: bytes, purpose: bytes, text: bytes) -> bytes:
    return hmac.new(key, purpose + b":" + text, hashlib.sha256).digest()


def _canonical(value: object) -> bytes:
    """One text for one value, and no two values with one text; lone surrogates are no trouble."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")
