"""An issuer's keys: where they may come from, and how often somebody looks."""

import asyncio
import datetime
import gzip
import ipaddress
import json
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from esra.domain.codes import Denial
from esra.domain.outcome import Refused
from esra.governance import jwks
from esra.governance.jwks import is_special, reader
from esra.governance.keys import FRESH, GOOD, Keys, KeysUnusable, read_keys
from esra.governance.refusals import reason_of
from tests.governance import mint
from tests.governance.mint import Clock, ec_key, jwk, key_set, rsa_key


class Place:
    """Where keys are read: hands out what it holds, counts, and fails on demand."""

    def __init__(self, *rows):
        self.rows, self.reads, self.down = rows, 0, False

    async def read(self):
        self.reads += 1
        await asyncio.sleep(0)
        if self.down:
            raise KeysUnusable("down")
        return key_set(*self.rows)


def find(keys, kid="r1", algorithm="RS256"):
    return asyncio.run(keys.find(kid, algorithm))


def denied(keys, kid="r1"):
    with pytest.raises(Refused) as refused:
        find(keys, kid)
    return reason_of(refused.value)


def test_an_unknown_key_makes_us_look_again_once_a_minute():
    """Made-up names would make us knock at the issuer once for every call of an attacker."""
    place, clock = Place(jwk(rsa_key(), "r1")), Clock()
    keys = Keys("i", place.read, clock)
    find(keys)
    assert place.reads == 1
    place.rows = (*place.rows, jwk(rsa_key("new"), "r2"))
    assert [denied(keys, f"made up {n}") for n in range(50)] == [Denial.KEY_UNKNOWN] * 50
    assert place.reads == 1
    clock.time += 60
    assert find(keys, "r2").kid == "r2"
    assert [denied(keys, "r9") for _ in range(50)] == [Denial.KEY_UNKNOWN] * 50
    assert place.reads == 2


def test_callers_who_come_together_look_once():
    """A thousand callers after a start would be a thousand requests to the issuer."""
    place = Place(jwk(rsa_key(), "r1"))
    keys = Keys("i", place.read, Clock())

    async def together():
        return await asyncio.gather(*(keys.find("r1", "RS256") for _ in range(100)))

    assert len(asyncio.run(together())) == 100
    assert place.reads == 1


def test_a_withdrawn_key_goes_with_the_next_look():
    """A stolen key that the issuer withdrew would open our door for ever."""
    place, clock = Place(jwk(rsa_key(), "r1")), Clock()
    keys = Keys("i", place.read, clock)
    find(keys)
    place.rows = (jwk(rsa_key("new"), "r2"),)
    clock.time += FRESH
    assert denied(keys) is Denial.KEY_UNKNOWN


def test_good_keys_hold_for_a_day_without_their_place():
    """An issuer's bad hour would be everybody's; an issuer gone for good would never be noticed."""
    place, clock = Place(jwk(rsa_key(), "r1")), Clock()
    keys = Keys("i", place.read, clock)
    find(keys)
    place.down = True
    for hours in (1, 23):
        clock.time = mint.NOW + hours * 3_600
        assert find(keys).kid == "r1"
    clock.time = mint.NOW + GOOD + 1
    assert denied(keys) is Denial.KEYS_UNAVAILABLE
    place.down = False
    clock.time += 60
    assert find(keys).kid == "r1"


@pytest.mark.filterwarnings("ignore:Key size should be")  # the weak key, said twice
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"keys": 7}',
        b'{"keys": []}',
        b'{"keys": ' + b"[" * 100_000,
        key_set({"kty": "oct", "k": "AAAA", "kid": "h1"}),
        key_set(jwk(rsa_key(bits=1024, name="weak"), "r1")),
        key_set(jwk(ec_key("k1", ec.SECP256K1), "e1")),
        key_set(jwk(rsa_key(), "r1", use="enc")),
        key_set(jwk(rsa_key(), "r1", key_ops=["sign"])),
        key_set({**jwk(ec_key(), "e1"), "x": "AAAA"}),
        key_set({**jwk(ec_key(), "e1"), "d": "AAAA"}, jwk(rsa_key(), "r1")),
        key_set(*[jwk(ec_key(), f"e{n}") for n in range(101)]),
    ],
)
def test_a_set_without_a_safe_public_key_is_no_set(data):
    """A shared secret, a weak key or one for another use would check tokens it must not."""
    with pytest.raises(KeysUnusable) as refused:
        read_keys(data)
    assert "AAAA" not in str(refused.value)


def test_what_is_not_understood_is_passed_over():
    """A new kind of key in an issuer's set would lock everybody out (RFC 7517, 5)."""
    data = key_set({"kty": "AKP", "kid": "pq"}, "odd", jwk(ec_key(), "e1"))
    assert [key.kid for key in read_keys(data)] == ["e1"]


def test_keys_in_a_file_are_read_and_bounded(tmp_path):
    """A file that grew to the size of a disk would take the process with it."""
    (tmp_path / "keys.json").write_bytes(mint.keys_of_the_issuer())
    assert len(read_keys(asyncio.run(reader("file:keys.json", tmp_path)()))) == 3
    (tmp_path / "big.json").write_bytes(b" " * (jwks.LARGEST + 1))
    for name in ("big.json", "missing.json"):
        with pytest.raises(KeysUnusable):
            asyncio.run(reader(f"file:{name}", tmp_path)())


class Issuer(BaseHTTPRequestHandler):
    """An https server with good keys, a redirect, an endless answer and a slow one."""

    def do_GET(self):
        self.server.asked.append((self.path, dict(self.headers)))
        if self.path == "/keys":
            self._say(200, mint.keys_of_the_issuer())
        elif self.path == "/elsewhere":
            self.send_response(302)
            self.send_header("Location", "/keys")
            self.end_headers()
        elif self.path == "/endless":
            self._say(200, b" " * (jwks.LARGEST * 4))
        elif self.path == "/packed":
            self._say(200, gzip.compress(b" " * 50_000_000), {"Content-Encoding": "gzip"})
        elif self.path == "/slow":
            self.server.released.wait(5)
            self._say(200, mint.keys_of_the_issuer())
        else:
            self._say(500, b"")

    def _say(self, status, body, more=None):
        self.send_response(status)
        for name, value in (more or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@contextmanager
def served(folder):
    """The server's address, what it was asked, and the TLS context that trusts it."""
    certificate = self_signed(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Issuer)
    server.handle_error = lambda *args: None  # a client that hangs up is what some tests want
    server.asked, server.released = [], threading.Event()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        trusting = ssl.create_default_context(cafile=str(certificate))
        yield f"https://127.0.0.1:{server.server_address[1]}", server.asked, trusting
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def self_signed(folder):
    private = ec_key("tls")
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    today = datetime.datetime.now(datetime.UTC)
    own = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(1)
        .not_valid_before(today - datetime.timedelta(days=1))
        .not_valid_after(today + datetime.timedelta(days=1))
        .add_extension(own, critical=False)
        .sign(private, hashes.SHA256())
    )
    path = folder / "tls.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


def test_keys_come_over_https_and_nothing_else_does(tmp_path, monkeypatch):
    """An answer that is moved, endless, packed or slow would decide whom we believe, or stop us."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    with served(tmp_path) as (address, asked, trusting):
        good = asyncio.run(reader(f"{address}/keys", tmp_path, trusting)())
        assert json.loads(good) == json.loads(mint.keys_of_the_issuer())
        assert not {"authorization", "cookie"} & {name.lower() for name in asked[0][1]}
        for path, trouble in [
            ("/elsewhere", "it answered 302"),
            ("/endless", "larger than"),
            ("/packed", "answered packed"),
            ("/slow", "no answer within"),
            ("/broken", "it answered 500"),
        ]:
            # Only what is slow by itself may meet the limit, not what a busy machine delays.
            monkeypatch.setattr(jwks, "SECONDS", 1.0 if path == "/slow" else 30.0)
            with pytest.raises(KeysUnusable, match=trouble):
                asyncio.run(reader(f"{address}{path}", tmp_path, trusting)())
        assert [path for path, _ in asked].count("/keys") == 1
        with pytest.raises(KeysUnusable, match="ConnectError"):
            asyncio.run(reader(f"{address}/keys", tmp_path)())


@pytest.mark.parametrize(
    ("address", "special"),
    [
        ("169.254.169.254", True),
        ("::ffff:169.254.169.254", True),
        ("fe80::1", True),
        ("0.0.0.0", True),
        ("224.0.0.1", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("10.1.2.3", False),
        ("::ffff:10.1.2.3", False),
        ("93.184.216.34", False),
        ("2606:2800:220:1::1", False),
    ],
)
def test_an_address_that_no_issuer_has_is_not_asked(address, special):
    """A name that resolves to a cloud's metadata service would make us read its secrets."""
    assert is_special(ipaddress.ip_address(address), own=False) is special


def test_a_name_that_leads_to_this_machine_is_not_followed(monkeypatch, tmp_path):
    """A public name that resolves to loopback reaches services that trust whoever is inside."""

    async def resolve(self, *args, **more):
        return [(None, None, None, "", ("127.0.0.1", 443))]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", resolve)
    with pytest.raises(KeysUnusable, match="no issuer has"):
        asyncio.run(reader("https://id.example.com/keys", tmp_path)())
