"""The canonical form is RFC 8785's, so that a hash can be found again in any language."""

import json
import math
import random
import shutil
import struct
import subprocess

import pytest

from esra.config.canonical import NotCanonical, canonical, number, parsed

# RFC 8785, appendix B: the bits of a double and its text.
APPENDIX_B = """
0000000000000000 0
8000000000000000 0
0000000000000001 5e-324
8000000000000001 -5e-324
7fefffffffffffff 1.7976931348623157e+308
ffefffffffffffff -1.7976931348623157e+308
4340000000000000 9007199254740992
c340000000000000 -9007199254740992
4430000000000000 295147905179352830000
44b52d02c7e14af5 9.999999999999997e+22
44b52d02c7e14af6 1e+23
44b52d02c7e14af7 1.0000000000000001e+23
444b1ae4d6e2ef4e 999999999999999700000
444b1ae4d6e2ef4f 999999999999999900000
444b1ae4d6e2ef50 1e+21
3eb0c6f7a0b5ed8c 9.999999999999997e-7
3eb0c6f7a0b5ed8d 0.000001
41b3de4355555553 333333333.3333332
41b3de4355555554 333333333.33333325
41b3de4355555555 333333333.3333333
41b3de4355555556 333333333.3333334
41b3de4355555557 333333333.33333343
becbf647612f3696 -0.0000033333333333333333
43143ff3c1cb0959 1424953923781206.2
"""
ROWS = [line.split() for line in APPENDIX_B.strip().splitlines()]


def double(bits: str) -> float:
    return struct.unpack(">d", bytes.fromhex(bits))[0]


@pytest.mark.parametrize(("bits", "text"), ROWS)
def test_numbers_are_written_as_the_rfc_shows(bits, text):
    """Another language would find another hash for the same file."""
    assert number(double(bits)) == text


@pytest.mark.skipif(shutil.which("node") is None, reason="no node to ask what ECMAScript writes")
def test_ecmascript_writes_the_same_numbers():
    """A layout that the RFC's table does not show could be wrong."""
    dice = random.Random(1)
    values = [struct.unpack(">d", dice.randbytes(8))[0] for _ in range(5_000)]
    values += [dice.random() * 10.0 ** dice.randint(-12, 25) for _ in range(5_000)]
    values = [value for value in values if math.isfinite(value)]
    script = (
        "for (const h of require('fs').readFileSync(0, 'utf8').trim().split('\\n'))"
        "console.log(JSON.stringify(Buffer.from(h, 'hex').readDoubleBE(0)))"
    )
    given = "\n".join(struct.pack(">d", value).hex() for value in values)
    done = subprocess.run(["node", "-e", script], input=given, capture_output=True, text=True)
    assert [number(value) for value in values] == done.stdout.split()


def test_names_are_sorted_by_utf16_and_text_is_written_plainly():
    """The RFC's own example (3.2.3) would be another order by code point."""
    names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    assert list(json.loads(canonical(dict.fromkeys(names, 0)))) == [
        "\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"
    ]  # fmt: skip
    text = '\u20ac$\u000f\nA\'B"\\\\"/'
    assert canonical([text]) == '["€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"]'.encode()
    assert canonical({"b": [True, None, 1.0, 1], "a": {}}) == b'{"a":{},"b":[true,null,1,1]}'


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        2**53,
        "\ud800",
        {"\ud800": 1},
        {1: 2},
        {1},
        b"x",
        json.loads("[" * 17 + "]" * 17),
    ],
)
def test_what_has_no_canonical_form_is_refused(value):
    """Two values could share a hash, or a hash could end the process."""
    with pytest.raises(NotCanonical):
        canonical({"value": value})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b'{"a":1,"a":1}', "twice"),
        (b'{"a":NaN}', "NaN"),
        (b"[]", "not an object"),
        (b"\xff", "utf-8"),
        (b"{} {}", "Extra data"),
    ],
)
def test_only_one_strict_object_is_read(text, why):
    """What is read would not be what was hashed."""
    with pytest.raises(ValueError, match=why):
        parsed(text)
