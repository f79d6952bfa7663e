"""What goes into a request's headers, the key among it, and how long an answer's ask to wait.

The key is asked for here, goes into one header, and is in no error of ours.
"""

import re
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime

from esra.ports import Trouble

# A key is printable; anything else would be refused later, by an error that shows it.
_KEY = re.compile(r"[\x21-\x7e]+")


def request_headers(key: str | None) -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": "esra",
    }
    return headers if key is None else {**headers, "Authorization": f"Bearer {key}"}


def read_key(key: Callable[[], str] | None) -> str | None:
    """The key, asked anew; None where the endpoint needs none."""
    if key is None:
        return None
    value = ""
    try:
        value = key().strip()
    except (LookupError, OSError, ValueError):
        value = ""
    # Not inside the handler: what another resolver says may hold what it resolved.
    if not _KEY.fullmatch(value):
        raise Trouble("the endpoint's key cannot be had, or no header can carry it")
    return value


def seconds_to_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Retry-After in seconds, from either of its forms (RFC 9110, 10.2.3); None without one.

    A date counts from the answer's own ``Date`` where it has one, since two clocks differ.
    """
    written = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", written):
        return float(written)
    until = _moment(written)
    return None if until is None else max(0.0, until - (_moment(headers.get("date", "")) or now))


def _moment(written: str) -> float | None:
    try:
        return parsedate_to_datetime(written).timestamp()
    except (ValueError, OverflowError):
        return None
