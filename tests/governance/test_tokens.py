"""The attacks on signed tokens that are known (RFC 8725 and beyond), each against the verifier."""

import asyncio
import json
import warnings

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given, settings
from hypothesis import strategies as st

from esra.domain.codes import Denial, ErrorCode
from esra.domain.outcome import Refused
from esra.governance.refusals import NOT_ACCEPTED, reason_of
from tests.governance import mint
from tests.governance.mint import b64, ec_key, ed_key, header, jwk, payload, rsa_key, token, tokens


def principal(text, verifier=None):
    return asyncio.run((verifier or tokens()).principal(text))


def denial(text, verifier=None):
    with pytest.raises(Refused) as refused:
        principal(text, verifier)
    assert refused.value.code is ErrorCode.UNAUTHENTICATED
    assert refused.value.message == NOT_ACCEPTED
    # What a chained exception holds would stand in a log with the token in it.
    assert refused.value.__cause__ is None
    return reason_of(refused.value)


@pytest.mark.parametrize(
    ("head", "key"),
    [
        (header(), rsa_key()),
        (header(alg="ES256", kid="e1"), ec_key()),
        (header(alg="EdDSA", kid="d1"), ed_key()),
        (header(alg="Ed25519", kid="d1", typ="application/AT+JWT"), ed_key()),
        (header(typ="JWT", x5t="unused"), rsa_key()),
    ],
)
def test_a_good_token_names_its_holder(head, key):
    """A door that nobody can enter is as bad as one that everybody can."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ada = principal(token(head, private=key))
    assert (ada.subject, ada.tenant) == ("https://id.example.com#ada", "acme")
    assert ada.expires == mint.NOW + 330


def pem(private):
    return private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def unsigned(head):
    return ".".join(token(head).split(".")[:2]) + "."


def flipped(text):
    """The same token with one bit of its signature turned round."""
    first, second, signature = text.split(".")
    return f"{first}.{second}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}"


def stray_bits(text):
    """Another spelling of the same bytes: the last character's unused bits set."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return text[:-1] + alphabet[alphabet.index(text[-1]) + 1]


def with_claims(text, claims):
    """Somebody else's claims under a good signature."""
    first, _, signature = text.split(".")
    return f"{first}.{b64(json.dumps(claims).encode())}.{signature}"


GOOD = token()
ATTACKS = {
    "no token": ("", "NO_TOKEN"),
    "alg none": (unsigned(header(alg="none")), "TOKEN_MALFORMED"),
    "alg none, signed": (token(header(alg="none")), "ALGORITHM_NOT_ACCEPTED"),
    "alg None": (token(header(alg="None")), "ALGORITHM_NOT_ACCEPTED"),
    "alg missing": (token(header(alg=...)), "TOKEN_MALFORMED"),
    "alg a list": (token(header(alg=["RS256"])), "TOKEN_MALFORMED"),
    "HS256 under the public key": (
        token(header(alg="HS256"), private=pem(rsa_key())),
        "ALGORITHM_NOT_ACCEPTED",
    ),
    "an algorithm nobody allowed": (token(header(alg="RS384")), "ALGORITHM_NOT_ACCEPTED"),
    "encrypted": (GOOD + ".AAAA.AAAA", "TOKEN_MALFORMED"),
    "encryption header": (token(header(enc="A256GCM")), "HEADER_NOT_ACCEPTED"),
    "compressed": (token(header(zip="DEF")), "HEADER_NOT_ACCEPTED"),
    "unsigned": (unsigned(header()), "TOKEN_MALFORMED"),
    "signature of another key": (token(private=rsa_key("other")), "SIGNATURE_INVALID"),
    "signature with one bit turned": (flipped(GOOD), "SIGNATURE_INVALID"),
    "signature cut short": (GOOD[:-6], "SIGNATURE_INVALID"),
    "claims exchanged": (with_claims(GOOD, payload(sub="eve")), "SIGNATURE_INVALID"),
    "empty ECDSA signature": (
        token(header(alg="ES256", kid="e1"), private=ec_key()).rpartition(".")[0]
        + "."
        + b64(bytes(64)),
        "SIGNATURE_INVALID",
    ),
    "one more padding": (GOOD + "=", "TOKEN_MALFORMED"),
    "another spelling of the signature": (
        stray_bits(token(header(alg="ES256", kid="e1"), private=ec_key())),
        "TOKEN_MALFORMED",
    ),
    "white space inside": (GOOD.replace(".", ".\n", 1), "TOKEN_MALFORMED"),
    "standard alphabet": ("e+/=." * 2 + "e", "TOKEN_MALFORMED"),
    "not text": ("é" * 20, "TOKEN_MALFORMED"),
    "huge": ("a" * 16_385, "TOKEN_TOO_LONG"),
    "many parts": ("a." * 8_000, "TOKEN_MALFORMED"),
    "deeply nested": (token(claims=b'{"a":' + b"[" * 9_000 + b"]" * 0), "TOKEN_MALFORMED"),
    "a number of 5,000 digits": (token(claims=b'{"a":' + b"9" * 5_000 + b"}"), "TOKEN_MALFORMED"),
    "alg twice": (
        token(b'{"alg":"RS256","kid":"r1","typ":"at+jwt","alg":"none"}'),
        "TOKEN_MALFORMED",
    ),
    "sub twice": (
        token(claims=json.dumps(payload())[:-1].encode() + b', "sub": "root"}'),
        "TOKEN_MALFORMED",
    ),
    "NaN": (token(claims=json.dumps(payload(exp=float("nan"))).encode()), "TOKEN_MALFORMED"),
    "claims are a list": (token(claims=b"[1]"), "TOKEN_MALFORMED"),
    "claims are UTF-16": (token(claims=json.dumps(payload()).encode("utf-16")), "TOKEN_MALFORMED"),
    "nested": (token(header(cty="JWT"), claims=payload()), "HEADER_NOT_ACCEPTED"),
    "a token in a token": (token(claims=GOOD.encode()), "TOKEN_MALFORMED"),
    "kid leads to a file": (token(header(kid="../../../dev/null")), "KEY_UNKNOWN"),
    "kid is SQL": (token(header(kid="x' UNION SELECT 'k")), "KEY_UNKNOWN"),
    "kid missing": (token(header(kid=...)), "KEY_UNKNOWN"),
    "kid a number": (token(header(kid=1)), "TOKEN_MALFORMED"),
    "kid very long": (token(header(kid="k" * 300)), "TOKEN_MALFORMED"),
    "jku": (token(header(jku="https://evil.example/jwks")), "HEADER_NOT_ACCEPTED"),
    "x5u": (token(header(x5u="https://evil.example/cert")), "HEADER_NOT_ACCEPTED"),
    "x5c": (token(header(x5c=["AAAA"])), "HEADER_NOT_ACCEPTED"),
    "key brought along": (
        token(header(jwk=jwk(rsa_key("eve"), "r1")), private=rsa_key("eve")),
        "HEADER_NOT_ACCEPTED",
    ),
    "crit": (token(header(crit=["exp"])), "HEADER_NOT_ACCEPTED"),
    "crit empty": (token(header(crit=[])), "HEADER_NOT_ACCEPTED"),
    "payload not encoded": (token(header(b64=False, crit=["b64"])), "HEADER_NOT_ACCEPTED"),
    "payload not encoded, not said": (token(header(b64=False)), "HEADER_NOT_ACCEPTED"),
    "key of another kind": (token(header(alg="ES256", kid="r1")), "KEY_UNSUITABLE"),
    "curve of another kind": (
        token(header(alg="ES256", kid="e2"), private=ec_key("p384", ec.SECP384R1)),
        "KEY_UNKNOWN",
    ),
    "type of another use": (token(header(typ="logout+jwt")), "TYPE_NOT_ACCEPTED"),
    "type missing": (token(header(typ=...)), "TYPE_NOT_ACCEPTED"),
    "issuer of somebody else": (token(claims=payload(iss="https://evil.example")), "ISSUER"),
    "issuer with a slash more": (token(claims=payload(iss=mint.ISSUER + "/")), "ISSUER"),
    "issuer missing": (token(claims=payload(iss=...)), "ISSUER"),
    "issuer a list": (token(claims=payload(iss=[mint.ISSUER])), "ISSUER"),
    "for somebody else": (token(claims=payload(aud="https://other.example")), "AUDIENCE_NOT_OURS"),
    "for a longer address": (token(claims=payload(aud=mint.AUDIENCE + "/x")), "AUDIENCE_NOT_OURS"),
    "for an address around ours": (
        token(claims=payload(aud=f"x {mint.AUDIENCE} x")),
        "AUDIENCE_NOT_OURS",
    ),
    "for nobody": (token(claims=payload(aud=...)), "AUDIENCE_NOT_OURS"),
    "for an object": (token(claims=payload(aud={mint.AUDIENCE: 1})), "AUDIENCE_NOT_OURS"),
    "expired": (token(claims=payload(exp=mint.NOW - 31)), "EXPIRED"),
    "expired at the leeway": (token(claims=payload(exp=mint.NOW - 30)), "EXPIRED"),
    "never expires": (token(claims=payload(exp=...)), "CLAIM_UNUSABLE"),
    "expires as text": (token(claims=payload(exp="9999999999")), "CLAIM_UNUSABLE"),
    "expires as truth": (token(claims=payload(exp=True)), "CLAIM_UNUSABLE"),
    "expires beyond all time": (
        token(claims=json.dumps(payload()).replace(str(mint.NOW + 300), "1e999").encode()),
        "CLAIM_UNUSABLE",
    ),
    "expires as a long number": (
        token(claims=json.dumps(payload(exp=10**400)).encode()),
        "CLAIM_UNUSABLE",
    ),
    "not yet": (token(claims=payload(nbf=mint.NOW + 31)), "NOT_YET_VALID"),
    "made in the future": (token(claims=payload(iat=mint.NOW + 31)), "NOT_YET_VALID"),
    "of nobody": (token(claims=payload(sub=...)), "CLAIM_UNUSABLE"),
    "of an empty name": (token(claims=payload(sub=" ")), "CLAIM_UNUSABLE"),
    "of a list": (token(claims=payload(sub=["ada"])), "CLAIM_UNUSABLE"),
    "of a number": (token(claims=payload(sub=7)), "CLAIM_UNUSABLE"),
    "of a broken letter": (token(claims=payload(sub="a\ud800")), "CLAIM_UNUSABLE"),
    "of a name with a line break": (token(claims=payload(sub="a\nroot")), "CLAIM_UNUSABLE"),
    "of a very long name": (token(claims=payload(sub="a" * 256)), "CLAIM_UNUSABLE"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused_in_one_text_and_audited_under_its_own_reason(attack):
    """Whoever can forge a token is whoever he likes; whoever learns why not forges better."""
    text, reason = ATTACKS[attack]
    assert denial(text).value.startswith(reason)


def test_a_key_that_fits_two_ways_is_used_in_neither():
    """A curve or an algorithm that the issuer did not mean for a key could be picked by a token."""
    p384 = ec_key("p384", ec.SECP384R1)
    wrong_curve = tokens(keys=mint.key_set(jwk(p384, "e1"), jwk(rsa_key(), "r1")))
    text = token(header(alg="ES256", kid="e1"), private=p384)
    assert denial(text, wrong_curve) is Denial.KEY_UNSUITABLE
    meant = tokens(keys=mint.key_set(jwk(rsa_key(), "r1", alg="RS512")))
    assert denial(GOOD, meant) is Denial.KEY_UNSUITABLE
    twice = tokens(keys=mint.key_set(jwk(rsa_key(), "r1"), jwk(rsa_key("other"), "r1")))
    assert denial(GOOD, twice) is Denial.KEY_UNSUITABLE


def test_the_only_key_needs_no_name():
    """Small issuers publish one key and name it nowhere."""
    one = tokens(keys=mint.key_set(jwk(rsa_key(), "r1")))
    assert principal(token(header(kid=...)), one).tenant == "acme"


def test_two_clocks_may_differ_by_the_leeway_and_by_no_more():
    """Without any, good callers are refused; with too much, a withdrawn token goes on."""
    for claims in (payload(exp=mint.NOW - 29), payload(nbf=mint.NOW + 30), payload(iat=...)):
        assert principal(token(claims=claims)).tenant == "acme"
    strict = tokens(leeway=0.0)
    assert denial(token(claims=payload(exp=mint.NOW)), strict) is Denial.EXPIRED


def test_a_token_of_one_issuer_is_not_checked_with_the_keys_of_another():
    """Any tenant's issuer could make tokens of every other one."""
    other = mint.issuer(issuer="https://other.example", tenant="other")
    own = {
        mint.ISSUER: mint.keys_of_the_issuer(),
        other.issuer: mint.key_set(jwk(rsa_key("other"), "r1")),
    }
    both = tokens(mint.issuer(), other, keys=own)
    assert principal(GOOD, both).tenant == "acme"
    text = token(claims=payload(iss=other.issuer))
    assert denial(text, both) is Denial.SIGNATURE_INVALID


@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda raw: b64(raw)))
@settings(max_examples=300, deadline=None)
def test_no_text_at_all_is_more_than_refused(text):
    """A text that makes the check itself fail would be an answer of another kind."""
    for odd in (text, f"{text}.{text}.{text}", GOOD[:40] + text + GOOD[40 + len(text) :]):
        if odd != GOOD:
            denial(odd)


@given(st.integers(0, len(GOOD) - 1), st.characters(codec="ascii"))
@settings(max_examples=300, deadline=None)
def test_a_token_with_any_character_changed_is_no_token(place, character):
    """A token that can be changed and still passes is a second token nobody issued."""
    changed = GOOD[:place] + character + GOOD[place + 1 :]
    if changed != GOOD:
        denial(changed)
