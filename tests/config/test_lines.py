"""Where something stands in a TOML file: every place that tomllib reads, and on its own line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from esra.config.lines import lines_of, nearest_line

ROOT = Path(__file__).resolve().parents[2]

HARD = '''\
# [not.a.table]
top = 1 # x = 2
"quoted key" = "a # b = [c]"
'lit.eral'.inner = 'C:\\'

[one]
dotted.deep.key = 1.5
when = 1979-05-27 07:32:00
text = """
[fake]
fake = "\\"""
still"""
raw = \'\'\'
a = 'b\'\'\'\'

[[two]]
id = "a"
list = [ # a comment ]
    1,
    [2, 3],
    { x = { y = "}" }, z = [] },
]
[two.sub]
n = -1e3
[[two.sub.deep]]
k = true
[[two]]
id = "b"
[[two.sub.deep]]
k = false
[[two.sub.deep]]
k = false
[two.sub.deep.more]
m = 07:32:00.5
'''


def places(data: object, path: tuple = ()):
    """Every key and list entry of parsed TOML."""
    entries = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in entries:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def test_each_place_of_a_hard_file_has_its_line():
    """An error would point at an innocent line."""
    lines = lines_of(HARD)
    assert set(lines) == set(places(tomllib.loads(HARD)))
    expected = {
        ("top",): 2,
        ("quoted key",): 3,
        ("lit.eral", "inner"): 4,
        ("one",): 6,
        ("one", "dotted", "deep", "key"): 7,
        ("one", "raw"): 13,
        ("two",): 16,
        ("two", 0, "list", 1, 1): 20,
        ("two", 0, "list", 2, "x", "y"): 21,
        ("two", 0, "sub", "deep", 0, "k"): 26,
        ("two", 1): 27,
        ("two", 1, "sub", "deep", 1, "k"): 32,
        ("two", 1, "sub", "deep", 1, "more", "m"): 34,
    }
    assert {path: lines[path] for path in expected} == expected


@pytest.mark.parametrize("text", ["", "\n\n", "a = 1", "a=[\n]\r\nb={}\r\n", "# only"])
def test_short_files_are_read_to_their_end(text):
    """A file without a last line break would end in a traceback."""
    assert set(lines_of(text)) == set(places(tomllib.loads(text)))


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=8)
SCALARS = TEXTS | st.booleans() | st.integers(-99, 99) | st.floats(allow_nan=False)
DATA = st.dictionaries(
    TEXTS,
    st.recursive(
        SCALARS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
        max_leaves=12,
    ),
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(DATA)
def test_whatever_another_writer_writes_is_found_whole(data):
    """Some way to write a file would leave its errors without a line."""
    text = tomlkit.dumps(data)
    assert set(lines_of(text)) == set(places(tomllib.loads(text)))


def test_the_files_of_this_checkout_are_found_whole():
    """pyproject.toml is as long a TOML file as people write."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    lines = lines_of(text)
    assert set(lines) == set(places(tomllib.loads(text)))
    name = text.splitlines()[lines["project", "name"] - 1]
    assert name.startswith("name = ")


def test_what_has_no_line_has_that_of_what_is_around_it():
    """A missing key stands nowhere, its table does."""
    lines = {("a",): 1, ("a", 0): 3}
    assert nearest_line(lines, ("a", 0, "id")) == 3
    assert nearest_line(lines, ("b",)) is None
