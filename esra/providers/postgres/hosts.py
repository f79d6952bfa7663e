"""Which servers may be spoken to: every host and every address behind it, before a socket opens.

Promises: what is connected to is what was checked. A name is resolved once, here, and its addresses
go to the driver with it; the name is kept for TLS, and nobody resolves it again.

With a list, a host passes if its name is listed, or if every address of it lies in a listed
network; an address given beside a name (``hostaddr``) must lie in one, since the name does not lead
to it. A folder of Unix sockets passes if it is listed. Without a list the hosts that the address
names pass. An address where a cloud keeps its machines' credentials, or that is no single host's,
never passes unless a network inside that range is listed.
"""

import asyncio
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from psycopg import OperationalError

from esra.providers.postgres.address import Invalid

IP = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class NotAllowed(Exception):
    """A host that this source may not speak to. The message is for the log."""


# This machine by no name, its link, everybody; and where clouds answer with credentials
# (link-local on most; Azure, Alibaba, Oracle, and AWS and Google by IPv6).
NEVER: tuple[Network, ...] = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",
            "169.254.0.0/16",
            "224.0.0.0/3",
            "168.63.129.16/32",
            "100.100.100.200/32",
            "192.0.0.192/32",
            "::/128",
            "fe80::/10",
            "ff00::/8",
            "fd00:ec2::/32",
            "fd20:ce::254/128",
        ),
    )
)
# An IPv4 address in IPv6 clothes (RFC 6052); the mapped and 6to4 forms Python knows itself.
_NAT64 = IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """What a configuration lists: names, networks, folders of Unix sockets."""

    names: frozenset[str]
    networks: tuple[Network, ...]
    folders: frozenset[str]

    @classmethod
    def of(cls, entries: Iterable[str]) -> "Hosts":
        """``entries`` as a person writes them: a name, an address, a network, a folder."""
        given = tuple(entries)
        networks = {entry: network for entry in given if (network := _network(entry))}
        folders = frozenset(_folder(entry) for entry in given if entry.startswith("/"))
        names = {_name(e) for e in given if e not in networks and not e.startswith("/")}
        return cls(names=frozenset(names), networks=tuple(networks.values()), folders=folders)


async def checked(parts: Mapping[str, str], hosts: Hosts | None) -> dict[str, str]:
    """``parts`` with one checked address beside each host; ``NotAllowed``, ``Invalid``.

    A host that does not resolve is left out; psycopg's ``OperationalError`` if none does.
    """
    found: list[tuple[str, str, str]] = []
    lost: OSError | None = None
    for host, given, port in _endpoints(parts):
        if not given and host.startswith("/"):
            if hosts is not None and _folder(host) not in hosts.folders:
                raise NotAllowed(f"the folder {host} is not listed")
            found.append((host, "", port))
            continue
        try:
            addresses = [_address(given)] if given else await _resolved(host, port)
        except OSError as trouble:
            lost = trouble
            continue
        refuse(host, addresses, hosts, led=not given)
        found += [(host, str(address), port) for address in addresses]
    if not found:
        raise OperationalError(f"failed to resolve host {parts.get('host')!r}: {lost}") from lost
    names, addressed, ports = (",".join(column) for column in zip(*found, strict=True))
    return {**parts, "host": names, "hostaddr": addressed, "port": ports}


def refuse(host: str, addresses: Sequence[IP], hosts: Hosts | None, *, led: bool) -> None:
    """``NotAllowed``, or nothing. ``led``: the addresses are what the name itself leads to."""
    networks = () if hosts is None else hosts.networks
    for address in map(_bare, addresses):
        for never in NEVER:
            if address in never and not _named(address, never, networks):
                raise NotAllowed(f"{host} leads to {address}")
    if hosts is None or (led and _name(host) in hosts.names):
        return
    if not all(any(_bare(a) in network for network in networks) for a in addresses):
        raise NotAllowed(f"{host} is not listed, nor is its network")


def _endpoints(parts: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """(host, address, port) as libpq pairs them; an empty place would be libpq's own choice."""
    hosts, addresses = parts.get("host", "").split(","), parts.get("hostaddr", "").split(",")
    ports = parts.get("port", "5432").split(",")
    count = max(len(hosts), len(addresses))
    hosts = hosts if any(hosts) else [""] * count
    addresses = addresses if any(addresses) else [""] * count
    ports = ports * count if len(ports) == 1 else ports
    if not len(hosts) == len(addresses) == len(ports):
        raise Invalid("hosts, addresses and ports are lists of one length")
    if not all(host or address for host, address in zip(hosts, addresses, strict=True)):
        raise Invalid("an address names its host, or the folder of its socket")
    return list(zip(hosts, addresses, ports, strict=True))


async def _resolved(host: str, port: str) -> list[IP]:
    try:
        return [ip_address(host)]
    except ValueError:
        pass  # a name
    loop = asyncio.get_running_loop()
    answers = await loop.getaddrinfo(
        host, int(port), type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
    )
    return list(dict.fromkeys(ip_address(answer[4][0]) for answer in answers))


def _address(text: str) -> IP:
    # libpq would read 127.1 and 0x7f000001 too: one way to write an address is enough.
    try:
        return ip_address(text)
    except ValueError:
        raise Invalid("hostaddr is no IP address") from None


def _bare(address: IP) -> IP:
    """The IPv4 address inside an IPv6 one, where there is one."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _named(address: IP, never: Network, networks: Sequence[Network]) -> bool:
    """Whether a listed network inside ``never`` holds the address: a wide one names nobody."""
    return any(address in network and network.prefixlen >= never.prefixlen for network in networks)


def _network(entry: str) -> Network | None:
    try:
        return ip_network(entry)
    except ValueError:
        return None


def _name(host: str) -> str:
    return host.lower().rstrip(".")


def _folder(path: str) -> str:
    return path.rstrip("/") or "/"
