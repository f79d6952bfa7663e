"""A source speaks to the servers it was told, however its address is written."""

import asyncio
import socket
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
from psycopg import pq

from esra.config.environment import SERVER_SETTINGS, forget_server_settings
from esra.domain.codes import FailureCode
from esra.domain.hit import Hits
from esra.domain.outcome import Failed
from esra.providers.postgres import PostgresProvider
from esra.providers.postgres.address import Invalid
from esra.providers.postgres.hosts import Hosts, NotAllowed, checked
from tests.providers.queries import RELATION, query, record

REFUSED = Failed(code=FailureCode.HOST_NOT_ALLOWED)
METADATA = "169.254.169.254"
NAMES = {
    "db.internal": ["127.0.0.1"],
    "elsewhere.example": ["127.0.0.1"],
    "far.example": ["203.0.113.5"],
    "meta.example": [METADATA],
    "half.example": ["127.0.0.1", METADATA],
    "mapped.example": [f"::ffff:{METADATA}"],
    "nat.example": ["64:ff9b::a9fe:a9fe"],
    "six.example": ["2002:a9fe:a9fe::1"],
    "link.example": ["fe80::1"],
    "aws.example": ["fd00:ec2::254"],
    "zero.example": ["0.0.0.0"],
}


@pytest.fixture(autouse=True)
def resolver(monkeypatch):
    """The names above and no others; the list of what was asked."""
    asked: list[str] = []

    def getaddrinfo(host, port, *_, **__):
        asked.append(host)
        if host not in NAMES:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [
            (socket.AF_INET6 if ":" in a else socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, port))
            for a in NAMES[host]
        ]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


@contextmanager
def listening():
    """A port on this machine, and how many have knocked at it so far."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(64)
        server.setblocking(False)

        def knocks() -> int:
            count = 0
            while True:
                try:
                    server.accept()[0].close()
                except BlockingIOError:
                    return count
                count += 1

        yield server.getsockname()[1], knocks


def asked_of(url: str, hosts=None, relation=RELATION, **given):
    provider = PostgresProvider(lambda: url, hosts=hosts)

    async def go():
        try:
            return await provider.run(query(relation, optional=("word",), **given))
        finally:
            await provider.close()

    return asyncio.run(go())


def where(url_parts: dict[str, str], hosts=None) -> dict[str, str]:
    return asyncio.run(checked(url_parts, None if hosts is None else Hosts.of(hosts)))


@pytest.mark.req("E123")
@pytest.mark.parametrize(
    "address",
    [
        "postgresql://u@elsewhere.example:{port}/d",
        "postgresql://u@127.0.0.1:{port}/d",
        "postgresql://u@[::1]:{port}/d",
        "postgresql://u@db.internal:{port}/d?hostaddr=127.0.0.1",
        "postgresql://u@db.internal:{port}/d?hostaddr=" + METADATA,
        "postgresql://u@db.internal:{port},elsewhere.example:{port}/d",
        "host=db.internal,127.0.0.1 port={port} user=u dbname=d",
        "host=db.internal,far.example hostaddr=127.0.0.1,127.0.0.1 port={port} user=u",
        "hostaddr=127.0.0.1 port={port} user=u dbname=d",
        "postgresql://u@/d?host=/tmp&port={port}",
        "postgresql://u@%2Fvar%2Frun%2Fpostgresql:{port}/d",
        "host=db.internal,/tmp port={port} user=u dbname=d",
    ],
)
def test_a_server_that_is_not_listed_is_not_spoken_to(address):
    """Whoever writes the secret could turn a source to any server in the network."""
    with listening() as (port, knocks):
        assert asked_of(address.format(port=port), ["db.internal"]) == REFUSED
        assert knocks() == 0


@pytest.mark.req("E123")
@pytest.mark.parametrize("hosts", [None, [*NAMES], ["0.0.0.0/0", "::/0", *NAMES]])
@pytest.mark.parametrize("name", [*list(NAMES)[3:], METADATA, "169.254.1.1", "100.100.100.200"])
def test_where_a_cloud_keeps_credentials_is_never_spoken_to(name, hosts):
    """A name that leads there would hand a machine's credentials to a caller."""
    with listening() as (port, knocks):
        result = asked_of(f"postgresql://u@{name}:{port}/d", hosts)
        assert (result, knocks()) == (REFUSED, 0)


def test_such_an_address_can_be_named_by_who_means_it():
    """A server on a link of its own could not be reached at all."""
    parts = {"host": METADATA, "port": "1"}
    assert where(parts, ["169.254.169.0/24"])["hostaddr"] == METADATA
    with pytest.raises(NotAllowed):
        where(parts, ["169.254.1.0/24"])


@pytest.mark.req("E123")
@pytest.mark.parametrize(
    ("address", "hosts"),
    [
        ("postgresql://u@db.internal:{port}/d", None),
        ("postgresql://u@db.internal:{port}/d", ["db.internal"]),
        ("postgresql://u@db.internal:{port}/d", ["DB.internal."]),
        ("postgresql://u@elsewhere.example:{port}/d", ["127.0.0.0/8"]),
        ("postgresql://u@127.0.0.1:{port}/d", ["127.0.0.1"]),
        ("postgresql://u@far.example:{port}/d?hostaddr=127.0.0.1", ["127.0.0.1"]),
        ("hostaddr=127.0.0.1 port={port} user=u dbname=d", ["127.0.0.1"]),
        ("postgresql://u@gone.example:{port},db.internal:{port}/d", ["db.internal"]),
    ],
)
def test_a_listed_server_is_spoken_to(address, hosts):
    """A list would shut out the servers it names."""
    with listening() as (port, knocks):
        result = asked_of(address.format(port=port), hosts, seconds=0.1)
        assert isinstance(result, Failed)
        assert result.code is not FailureCode.HOST_NOT_ALLOWED
        assert knocks() >= 1


def test_a_folder_of_sockets_is_a_host(shop):
    """A socket would be a way around the list, or a local server could not be listed."""
    relation = shop.stock([record("a", "word")])
    url = shop.database.as_user("shop_reader")
    (folder,) = parse_qs(urlsplit(url).query)["host"] if "host=" in url else (None,)
    assert folder
    assert folder.startswith("/")
    for hosts in (None, [folder], [folder + "/"]):
        assert isinstance(asked_of(url, hosts, relation), Hits)
    for hosts in (["/tmp"], [folder + "/.."], ["localhost", "127.0.0.1", "::1"]):
        assert asked_of(url, hosts, relation) == REFUSED


@pytest.mark.req("E123")
def test_a_name_is_resolved_once_and_what_was_checked_is_connected_to(monkeypatch):
    """A name that leads elsewhere the second time would pass the check and miss the server."""
    answers = iter([["127.0.0.1"], [METADATA], [METADATA]])
    asked = []

    def getaddrinfo(host, port, *_, **__):
        asked.append(host)
        address = next(answers)[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with listening() as (port, knocks):
        asked_of(f"postgresql://u@db.internal:{port}/d", ["db.internal"], seconds=0.1)
        assert (asked, knocks()) == (["db.internal"], 1)


def test_the_name_stays_beside_its_addresses(monkeypatch):
    """A certificate would be compared with an address, or one of two servers would be lost."""
    monkeypatch.setitem(NAMES, "both.example", ["127.0.0.1", "203.0.113.5"])
    made = where({"host": "both.example,/run/x,gone.example", "port": "1,2,3", "user": "u"})
    assert made == {
        "host": "both.example,both.example,/run/x",
        "hostaddr": "127.0.0.1,203.0.113.5,",
        "port": "1,1,2",
        "user": "u",
    }


@pytest.mark.parametrize(
    "parts",
    [
        {"user": "u"},
        {"host": ""},
        {"host": "db.internal,"},
        {"host": "a,b", "hostaddr": "127.0.0.1"},
        {"host": "a,b,c", "port": "1,2"},
        {"host": "db.internal", "hostaddr": "127.1"},
        {"host": "db.internal", "hostaddr": "0x7f000001"},
        {"host": "db.internal", "hostaddr": "db.internal"},
    ],
)
def test_what_would_be_the_drivers_own_choice_is_refused(parts):
    """An empty place in a list would be a server that nobody named."""
    with pytest.raises(Invalid):
        where(parts)


def test_a_name_nobody_knows_is_a_server_that_is_not_there():
    """A typing error in a host would look like a forbidden one."""
    result = asked_of("postgresql://u@gone.example/d", ["gone.example"])
    assert result == Failed(code=FailureCode.CONNECTION_REFUSED)


@pytest.mark.req("E123", "E125")
def test_the_environment_adds_no_server(monkeypatch):
    """A variable of the shell would turn a source to another server."""
    with listening() as (port, knocks), listening() as (other, elsewhere):
        monkeypatch.setenv("PGHOSTADDR", "203.0.113.5")
        monkeypatch.setenv("PGPORT", str(other))
        monkeypatch.setenv("PGOPTIONS", "-c search_path=public")
        asked_of(f"postgresql://u@db.internal:{port}/d", ["db.internal"], seconds=0.1)
        assert (knocks(), elsewhere()) == (1, 0)
        monkeypatch.setenv("PGSERVICE", "other")
        result = asked_of(f"postgresql://u@db.internal:{port}/d", ["db.internal"])
        assert result == Failed(code=FailureCode.CONNECTION_TEMPLATE_INVALID)
        assert knocks() == 0
        forget_server_settings()
        asked_of(f"postgresql://u@db.internal:{port}/d", ["db.internal"], seconds=0.1)
        assert knocks() == 1


def test_every_variable_that_the_driver_reads_is_forgotten():
    """A newer driver would read a variable that stays."""
    read = {option.envvar.decode() for option in pq.Conninfo.get_defaults() if option.envvar}
    assert read <= SERVER_SETTINGS


def test_the_drivers_own_resolver_is_not_used(resolver):
    """The driver would ask again, and be told something else."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"postgresql://u@db.internal:{unused.getsockname()[1]}/d"
        asked_of(url)
        assert resolver == ["db.internal"]
        with pytest.raises(psycopg.OperationalError):
            asyncio.run(psycopg.AsyncConnection.connect(url))
        assert resolver == ["db.internal"] * 2  # so it would have been seen
