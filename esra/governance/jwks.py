"""Fetches an issuer's key set: from a file, or over https, bounded in size and time.

A redirect is an answer like any other that is not 200: it is not followed. The address is the
operator's, yet a name may resolve to where it should not (RFC 8725, 3.10), so link-local and other
special addresses are refused, and the machine's own unless the address names it.
"""

import asyncio
import ipaddress
import socket
import ssl
from pathlib import Path
from urllib.parse import urlsplit

from esra.governance.keys import KeysUnusable, Read

LARGEST = 256 * 1024  # bytes
SECONDS = 5.0  # for the whole fetch, the look-up of the name included


def reader(reference: str, folder: Path, tls: ssl.SSLContext | None = None) -> Read:
    """How the keys behind ``file:PATH`` (relative to ``folder``) or an https URL are read.

    ``tls`` None trusts what the system trusts (``SSL_CERT_FILE`` adds to it).
    """
    if reference.startswith("file:"):
        path = folder / reference.removeprefix("file:")
        return lambda: asyncio.to_thread(read_file, path)
    return lambda: _fetch(reference, tls or ssl.create_default_context())


def read_file(path: Path) -> bytes:
    """A file of keys; ``KeysUnusable`` where it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise KeysUnusable(str(error.strerror)) from None
    return _bounded(data)


def _bounded(data: bytes) -> bytes:
    if len(data) > LARGEST:
        raise KeysUnusable(f"larger than {LARGEST} bytes")
    return data


async def _fetch(url: str, tls: ssl.SSLContext) -> bytes:
    try:
        async with asyncio.timeout(SECONDS):
            await _refuse_special(url)
            return await _get(url, tls)
    except TimeoutError:
        raise KeysUnusable(f"no answer within {SECONDS:g} seconds") from None


async def _get(url: str, tls: ssl.SSLContext) -> bytes:
    import httpx2  # of the extra "serve"; who reads keys from a file does without

    # trust_env off: a proxy or a netrc of the environment would have a say in whom we believe.
    client = httpx2.AsyncClient(
        verify=tls, follow_redirects=False, trust_env=False, timeout=SECONDS
    )
    headers = {"accept": "application/json", "accept-encoding": "identity"}
    try:
        async with client:
            answer = await client.send(
                client.build_request("GET", url, headers=headers), stream=True
            )
            if answer.status_code != 200:
                raise KeysUnusable(f"it answered {answer.status_code}")
            if "content-encoding" in answer.headers:
                # Unpacked, a part of it could be a thousand times what is bounded here.
                raise KeysUnusable("it answered packed, which was not asked for")
            data = b""
            async for part in answer.aiter_bytes():
                data = _bounded(data + part)
            return data
    except httpx2.HTTPError as error:
        raise KeysUnusable(type(error).__name__) from None


async def _refuse_special(url: str) -> None:
    """Raises ``KeysUnusable`` where the host resolves to an address no issuer has."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            host, parts.port or 443, type=socket.SOCK_STREAM
        )
    except OSError:
        raise KeysUnusable("its name does not resolve") from None
    addresses = {ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found}
    if any(is_special(address, own=is_own(host)) for address in addresses):
        raise KeysUnusable("its name resolves to an address that no issuer has")


def is_own(host: str) -> bool:
    """Whether a host names this machine outright."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_special(address: ipaddress.IPv4Address | ipaddress.IPv6Address, *, own: bool) -> bool:
    """Whether no issuer lives there. Private networks have issuers of their own; ``own`` allows
    this machine."""
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(
        mapped.is_link_local
        or mapped.is_multicast
        or mapped.is_unspecified
        or mapped.is_reserved
        or (mapped.is_loopback and not own)
    )
