"""Where a language model answers, and on which terms. Holds no secret, only a way to get one."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An OpenAI-compatible endpoint and one of its models.

    ``base_url`` is what OpenAI's own clients take: ``/chat/completions`` is added to it, and
    ``/v1`` before that where it has no path. ``key`` is asked anew for each request, so that a
    changed secret is taken up. ``timeout`` bounds one question in seconds, repeats and waiting
    included; ``concurrency`` the requests under way. ``seed`` None sends none. ``price`` is money
    per million tokens (in, out). ``max_tokens`` bounds one answer. Without ``proxy`` there is none,
    whatever the environment says. ``ValueError`` names the setting that cannot be.
    """

    base_url: str
    model: str
    key: Callable[[], str] | None = field(default=None, repr=False)
    timeout: float = 20.0
    concurrency: int = 8
    seed: int | None = 0
    price: tuple[float, float] | None = None
    max_tokens: int = 8192
    proxy: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        _check_address(self.base_url, keyed=self.key is not None)
        if self.proxy is not None:
            _split("proxy", self.proxy)
        if not self.model.strip():
            raise ValueError("model names the model to ask for")
        if not 0 < self.timeout <= 600:
            raise ValueError("timeout is a number of seconds above 0, at most 600")
        if self.concurrency < 1 or self.max_tokens < 1:
            raise ValueError("concurrency and max_tokens are at least 1")
        if self.price is not None and not all(0 <= each < MILLION for each in self.price):
            raise ValueError("price is money per million tokens, in and out, each 0 or more")

    @property
    def url(self) -> str:
        """Where the questions go."""
        base = self.base_url.rstrip("/")
        return base + ("/chat/completions" if urlsplit(base).path else "/v1/chat/completions")

    @property
    def identity(self) -> str:
        """Which model this is: its name, whose it is (as a hash) and how it is made to repeat."""
        # One name may be another model elsewhere; the host itself must not stand in a trace.
        place = hashlib.sha256(self.url.encode()).hexdigest()[:8]
        return f"{self.model}@{place};temperature 0;seed {self.seed}"

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Money for so many tokens; None where no price is set."""
        if self.price is None:
            return None
        each_in, each_out = self.price
        return (tokens_in * each_in + tokens_out * each_out) / MILLION


def _check_address(base_url: str, *, keyed: bool) -> None:
    parts = _split("base_url", base_url)
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("base_url holds no user, no question mark and no #: a key goes into key")
    if keyed and parts.scheme == "http" and not _is_here(parts.hostname or ""):
        raise ValueError("a key is sent over https, or over http to this machine, and not else")


def _split(setting: str, address: str) -> SplitResult:
    # No message repeats the address, nor chains one that does: people put keys into addresses.
    try:
        parts = urlsplit(address)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if not whole:
        raise ValueError(f"{setting} starts with https:// or http:// and names a host")
    return parts


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
