"""A draft is valid TOML whatever a database's names hold, and says what is missing for the rest."""

import os
import re
import tomllib
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from esra.config.blocks import CatalogFile
from esra.doctor.draft import draft, slug_of, source_ids
from esra.doctor.toml import comment, string
from esra.domain.described import Column, Kind, Server, Store, Table, TextKey

RUNS = 3_000 if os.environ.get("ESRA_LONG") else 150

HOSTILE = (
    'a"b', "a'b", "a\nb", "a\rb", "a\tb", '"""', "'''", "\\", "\\u0041", "# no", "]", "[[x]]",
    "a=1", "\x00", "\x01", "\x1b[2J", "\x7f", "\x85", "\u2028", "\u202e", "é", "日本", "😀", " ",
    "", "a" * 63, "ä" * 31 + "b", "%s", "{x}", "--", "/*", ";", "Robert'); DROP TABLE x;--",
)  # fmt: skip
# What a server's name can be: it holds no NUL, and at most 63 bytes.
names = (st.sampled_from(HOSTILE) | st.text(max_size=63)).filter(
    lambda name: "\0" not in name and 1 <= len(name.encode("utf-8", "ignore")) <= 63
)
letters = names.filter(lambda name: not any("\ud800" <= c <= "\udfff" for c in name))
types = st.sampled_from(
    ["text", "varchar", "int4", "numeric", "bool", "timestamptz", "tsvector", "jsonb"]
)
columns = st.lists(
    st.builds(Column, name=letters, type=types, readable=st.booleans(), made=letters),
    max_size=8,
    unique_by=lambda column: column.name,
)


@st.composite
def tables(draw) -> Table:
    own = tuple(draw(columns))
    more = (Column(name="words", type="tsvector"), Column(name="text", type="text"))
    own += tuple(c for c in more if draw(st.booleans()) and c.name not in {o.name for o in own})
    keys = tuple(
        TextKey(column=c.name, method=draw(st.sampled_from(["gin", "btree"])))
        for c in own
        if c.type == "tsvector" and draw(st.booleans())
    )
    name = draw(letters)
    return Table(
        schema=draw(letters),
        name=name,
        kind=draw(st.sampled_from(Kind)),
        columns=own,
        unique=tuple(c.name for c in own if draw(st.booleans())),
        stores=(Store(name=name, keys=keys),),
        rows=draw(st.none() | st.integers(0, 10**12)),
    )


servers = st.builds(
    Server,
    database=letters,
    role=letters,
    powers=st.lists(letters, max_size=2).map(tuple),
    language=letters,
    tables=st.lists(tables(), max_size=6, unique_by=lambda t: (t.schema, t.name)).map(tuple),
    left_out=st.integers(0, 5),
)


def opened(text: str) -> str:
    """The draft with its suggested fields taken in."""
    lines, inside = [], False
    for line in text.split("\n"):
        inside = inside or line == "# fields = ["
        lines.append(line.removeprefix("# ") if inside else line)
        inside = inside and line != "# ]"
    return "\n".join(lines)


@settings(max_examples=RUNS, deadline=None)
@given(server=servers)
def test_a_draft_is_a_catalog_whatever_the_names(server: Server):
    """A table's name could write a source, a provider or an address into the catalog."""
    text = draft(server, "env:MAIN_URL", None)
    assert not [c for c in text if not c.isprintable() and c != "\n"]
    for form in (text, opened(text)):
        read = tomllib.loads(form)
        file = CatalogFile.model_validate(read)
        assert {name: block.url for name, block in file.providers.items()} == {
            "main": "env:MAIN_URL"
        }
        known = {(table.schema, table.name): table for table in server.tables}
        for source in file.sources:
            [mapping] = source.mappings
            table = known[mapping.schema_, mapping.table]
            assert table.column(mapping.vector) is not None
            for name in (mapping.key, mapping.title, mapping.text):
                assert table.column(name) is not None
            for field in mapping.fields:
                assert table.column(field.column) is not None
        assert len({source.id for source in file.sources}) == len(file.sources)


@settings(max_examples=RUNS, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_a_string_reads_back_to_the_letter_and_a_comment_is_one(text: str):
    """A name would come back as another one, or end its line."""
    read = tomllib.loads(f"{comment(text)}\na = {string(text)}  {comment(text)}\n")
    assert read == {"a": text}


def test_a_slug_is_one_a_tool_may_have():
    """The draft's own exposure would be refused by the catalog."""
    for text in (*HOSTILE, "fetch", "x_fetch", "Sales 2024", "a" * 25 + "_fetch", "a_fetch_fetch"):
        slug = slug_of(text)
        assert re.fullmatch("[a-z0-9_]{1,26}", slug), text
        assert not slug.endswith("_fetch"), text


def test_ids_differ_where_names_do_not():
    """Two tables of one name in two schemas would be one source."""
    made: Sequence[Table] = [
        Table(schema=s, name=n) for s, n in [("a", "x"), ("b", "x"), ("b", "x_2"), ("c", "日")]
    ]
    assert source_ids(list(made)) == ["x", "x_2", "x_2_2", "source"]
