"""Makes tokens, honest and forged, byte by byte: no library that would refuse to make a bad one."""

import base64
import hashlib
import hmac
import json
from functools import cache

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from esra.domain.trust import Issuer, Trust
from esra.governance.keys import Keys
from esra.governance.tokens import Tokens

ISSUER = "https://id.example.com"
AUDIENCE = "https://esra.example.com/mcp"
NOW = 1_800_000_000.0


class Clock:
    """A clock that a test sets."""

    def __init__(self, now=NOW):
        self.time = now

    def now(self):
        return self.time

    def monotonic(self):
        return self.time


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value):
    return b64(value.to_bytes((value.bit_length() + 7) // 8, "big"))


@cache
def rsa_key(name="rsa", bits=2048):
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


@cache
def ec_key(name="ec", curve=ec.SECP256R1):
    return ec.generate_private_key(curve())


@cache
def ed_key(name="ed"):
    return ed25519.Ed25519PrivateKey.generate()


def jwk(private, kid, **more):
    """The public key as a row of a key set."""
    public = private.public_key()
    if isinstance(public, rsa.RSAPublicKey):
        numbers = public.public_numbers()
        row = {"kty": "RSA", "n": number(numbers.n), "e": number(numbers.e)}
    elif isinstance(public, ec.EllipticCurvePublicKey):
        numbers, size = public.public_numbers(), (public.curve.key_size + 7) // 8
        names = {"secp256r1": "P-256", "secp384r1": "P-384", "secp256k1": "secp256k1"}
        x, y = (b64(each.to_bytes(size, "big")) for each in (numbers.x, numbers.y))
        row = {"kty": "EC", "crv": names[public.curve.name], "x": x, "y": y}
    else:
        raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        row = {"kty": "OKP", "crv": "Ed25519", "x": b64(raw)}
    return {**row, "kid": kid, **more}


def key_set(*rows):
    return json.dumps({"keys": rows}).encode()


def keys_of_the_issuer():
    return key_set(jwk(rsa_key(), "r1", use="sig"), jwk(ec_key(), "e1"), jwk(ed_key(), "d1"))


def sign(data, private, algorithm="RS256"):
    if isinstance(private, rsa.RSAPrivateKey):
        return private.sign(data, padding.PKCS1v15(), hashes.SHA256())
    if isinstance(private, ec.EllipticCurvePrivateKey):
        size = (private.curve.key_size + 7) // 8
        r, s = decode_dss_signature(private.sign(data, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(size, "big") + s.to_bytes(size, "big")
    if isinstance(private, bytes):
        return hmac.new(private, data, hashlib.sha256).digest()
    return private.sign(data)


def payload(**more):
    given = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "ada",
        "exp": NOW + 300,
        "nbf": NOW - 10,
        "iat": NOW - 10,
        **more,
    }
    return {name: value for name, value in given.items() if value is not ...}


def header(**more):
    given = {"alg": "RS256", "kid": "r1", "typ": "at+jwt", **more}
    return {name: value for name, value in given.items() if value is not ...}


def token(head=None, claims=None, private=None):
    """A signed token; ``head`` and ``claims`` are objects, or the very bytes to encode."""
    parts = [
        b64(part if isinstance(part, bytes) else json.dumps(part).encode())
        for part in (head or header(), claims or payload())
    ]
    signing = ".".join(parts)
    return f"{signing}.{b64(sign(signing.encode(), private or rsa_key()))}"


def issuer(**more):
    given = {
        "issuer": ISSUER,
        "audience": AUDIENCE,
        "keys": "file:keys.json",
        "algorithms": frozenset({"RS256", "ES256", "EdDSA", "Ed25519"}),
        "types": frozenset({"at+jwt", "jwt"}),
        "tenant": "acme",
    }
    return Issuer(**{**given, **more})


def tokens(*issuers, keys=None, clock=None, **trust):
    """The verifier of one issuer, or of those given; ``keys`` is their key set, or one for each."""
    clock = clock or Clock()
    trusted = Trust(issuers=issuers or (issuer(),), **trust)
    own = keys if isinstance(keys, dict) else {}
    sets = {
        one.issuer: own.get(one.issuer) or keys or keys_of_the_issuer() for one in trusted.issuers
    }
    kept = {name: Keys(name, reading(data), clock) for name, data in sets.items()}
    return Tokens(trusted, kept, clock)


def reading(data):
    """Reads those bytes."""

    async def read():
        return data

    return read
