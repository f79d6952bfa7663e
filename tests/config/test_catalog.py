"""Catalogs: what a person writes is taken as meant, clamped with a word, or refused by name."""

from pathlib import Path

import pytest

from esra.config.apply import apply_tuned
from esra.config.catalog import load_catalog
from esra.config.strict import ConfigError
from esra.domain.codes import NoticeCode
from esra.domain.source import FieldType, Operator, RowRule
from eval.catalog import CatalogSource, Choices, SlugError, catalog_text, is_untouched, slug_of

SOURCES = (
    CatalogSource(
        id="news", table="news", documents=2, examples=('A "title"\x7f', "B\\"), dated=True
    ),
    CatalogSource(id="law", table="law", documents=1, examples=(), dated=False),
)


def text() -> str:
    return catalog_text("mine", "My \u2028 set", "esra_mine", "embedded", SOURCES, Choices(), "f00")


def load(tmp_path: Path, *changes: tuple[str, str]):
    path = tmp_path / "c.toml"
    content = text()
    for before, after in changes:
        assert before in content
        content = content.replace(before, after)
    path.write_text(content, "utf-8")
    return load_catalog(path)


def test_a_generated_catalog_is_read_back_and_known_as_untouched(tmp_path):
    """Else a generated file would be refused, or an edited one written over."""
    known = load(tmp_path).catalog
    assert [source.id for source in known.sources] == ["news", "law"]
    assert 'A "title"\x7f; B\\' in known.sources[0].description
    assert known.sources[0].mappings[0].relation.timestamp == "timestamp"
    assert known.capabilities[0].scoring.semantic_weight == 0.7
    assert is_untouched(text())
    assert not is_untouched(text().replace("0.7", "0.6"))


@pytest.mark.req("E059", "E060", "E061")
@pytest.mark.parametrize(("given", "held"), [(0, 1), (-3, 1), (21, 20), (10_000, 20), (7, 7)])
def test_a_ceiling_is_set_per_source_and_clamped_to_1_to_20_with_a_word(tmp_path, given, held):
    """Else a typo would let one source be asked ten thousand times."""
    block = f"[capabilities.scoring.sources.news]\nceiling = {given}\n\n[[capabilities.bindings]]"
    path = tmp_path / "c.toml"
    path.write_text(text().replace("[[capabilities.bindings]]", block, 1), "utf-8")
    loaded = load_catalog(path)
    numbers = loaded.catalog.capabilities[0].scoring
    assert (numbers.of("news").ceiling, numbers.of("law").ceiling) == (held, 3)
    assert bool(loaded.clamped) is (given != held)
    applied = apply_tuned(loaded.catalog, tmp_path / "tuned", {}).catalog
    for known in (loaded.catalog, applied):
        told = known.revision("mine").notices
        assert told == ((NoticeCode.SETTING_CLAMPED,) if given != held else ())


@pytest.mark.req("E152")
@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("semantic_weight = 0.7", "semantic_weight = -1.0", "semantic_weight"),
        ("semantic_weight = 0.7", "semantic_weight = nan", "semantic_weight"),
        ("semantic_weight = 0.7", 'semantic_weight = "0.7"', "semantic_weight"),
        ("semantic_weight = 0.7", "semantic_wieght = 0.7", "did you mean 'semantic_weight'"),
        ("semantic_weight = 0.7\nlexical_weight = 0.3",
         "semantic_weight = 0\nlexical_weight = 0.0", "both 0"),
        ('url = "embedded"', 'url = "postgresql://u:p@h/d"', "url"),
        ('source = "law"', 'source = "lore"', "no source 'lore'"),
        ('capability = "mine"', 'capability = "yours"', "no capability"),
        ('slug = "mine"', 'slug = "my_fetch"', "slug"),
        ('slug = "mine"', 'slug = "Mine!"', "slug"),
        ('provider = "main"', 'provider = "other"', "no provider"),
        ('id = "law"', 'id = "news"', "stands twice"),
        ('key = "key"', 'key = "' + "k" * 64 + '"', "63 bytes"),
        ('key = "key"', 'key = "a\\u0000b"', "control"),
        ('engine = "postgres"', 'engine = "oracle"', "engine"),
    ],
)  # fmt: skip
def test_a_mistake_is_refused_with_its_place(tmp_path, before, after, says):
    """Else a typo would be the default in disguise."""
    with pytest.raises(ConfigError, match=r"c\.toml") as refused:
        load(tmp_path, (before, after))
    assert says in str(refused.value)


@pytest.mark.parametrize("hidden", ["restricted = true", 'masking = "all"'])
@pytest.mark.parametrize("column", ["title", "text"])
def test_a_hidden_field_is_no_source_of_titles_or_fragments(tmp_path, column, hidden):
    """Else a restricted column would be in every answer, under another name (E146)."""
    field = f'[[sources.mappings.fields]]\nname = "f"\ncolumn = "{column}"\n'
    block = "\n[[capabilities]]"
    load(tmp_path, (block, f"\n{field}\n{block}"))
    with pytest.raises(ConfigError, match="restricts or masks"):
        load(tmp_path, (block, f"\n{field}{hidden}\n{block}"))


RULE = "[[sources.mappings.record_filter]]\n"


def with_rules(tmp_path: Path, *rules: str):
    block = "\n[[capabilities]]"
    return load(tmp_path, (block, "\n" + "\n".join(RULE + rule for rule in rules) + block))


def test_a_record_filter_is_read_as_groups_of_rules(tmp_path):
    """Else rows would be shown that a rule was meant to hide."""
    known = with_rules(
        tmp_path,
        'column = "tenant_id"\nclaim = "tenant"\n',
        'column = "owner"\nclaim = "subject"\neither = "mine"\noperator = "eq"\n',
        'column = "team"\nclaim = "groups"\ntype = "number"\neither = "mine"\n',
        'column = "draft"\nvalue = "false"\ntype = "boolean"\n',
    ).catalog
    news, law = known.sources
    assert (news.hides_rows, law.hides_rows) == (False, True)
    assert law.mappings[0].record_filter == (
        (RowRule(column="tenant_id", claim="tenant"),),
        (
            RowRule(column="owner", claim="subject", operator=Operator.EQ),
            RowRule(column="team", claim="groups", type=FieldType.NUMBER),
        ),
        (RowRule(column="draft", value="false", type=FieldType.BOOLEAN),),
    )


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ('column = "c"', "takes one of claim and value"),
        ('column = "c"\nclaim = "t"\nvalue = "v"', "takes one of claim and value"),
        ('column = "c"\nclaim = ""', "claim"),
        ('column = "c"\nvalue = "yes"\ntype = "boolean"', "'yes' is no boolean"),
        ('column = "c"\nvalue = "07"\ntype = "number"', "'07' is no number"),
        ('column = "c"\nclaim = "t"\ntype = "timestamp"', "type"),
        ('column = "c"\nclaim = "t"\noperator = "ne"', "operator"),
        ('column = "c"\nclaim = "t"\neither = "mine"', "either = 'mine' stands once"),
        ('column = "' + "c" * 64 + '"\nclaim = "t"', "63 bytes"),
        ('column = "c"\nclaims = "t"', "did you mean 'claim'"),
    ],
)
def test_a_mistake_in_a_record_filter_is_refused(tmp_path, rule, says):
    """Else a typo would hide all rows, or none."""
    with pytest.raises(ConfigError, match=r"c\.toml") as refused:
        with_rules(tmp_path, rule + "\n")
    assert says in str(refused.value)


@pytest.mark.req("E123")
@pytest.mark.parametrize(
    ("listed", "held"),
    [
        ("", None),
        (
            'hosts = ["db.internal", "10.0.0.0/8", "::1", "/run/postgresql"]',
            ("db.internal", "10.0.0.0/8", "::1", "/run/postgresql"),
        ),
    ],
)
def test_the_hosts_of_a_provider_are_read_as_they_stand(tmp_path, listed, held):
    """Else a list would be dropped, and every server allowed."""
    loaded = load(tmp_path, ('url = "embedded"', f'url = "embedded"\n{listed}'))
    assert loaded.hosts == (("main", held),)


@pytest.mark.parametrize(
    "entry", ["10.0.0.1/8", "10.0.0.0/33", "db internal", "*.internal", "", ":"]
)
def test_a_host_that_could_never_match_is_refused(tmp_path, entry):
    """Else a typo would shut a source, or a pattern be taken for a name."""
    with pytest.raises(ConfigError, match="no host name, address, network or folder"):
        load(tmp_path, ('url = "embedded"', f'url = "embedded"\nhosts = ["{entry}"]'))


def test_a_snapshot_is_asked_for_by_a_source(tmp_path):
    """Else two queries could see two states though the source forbids it."""
    known = load(tmp_path, ('id = "law"\n', 'id = "law"\nsnapshot = true\n')).catalog
    assert [source.snapshot for source in known.sources] == [False, True]


@pytest.mark.parametrize("content", ["[", "a = 1", "\xff\x00", ""])
def test_what_is_no_catalog_is_refused(tmp_path, content):
    """Else the command would end in a traceback."""
    path = tmp_path / "c.toml"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(ConfigError, match=r"c\.toml"):
        load_catalog(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_catalog(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Help desk", "help_desk"), ("A" * 40, "a" * 26), ("../x", "x"), ("na\u00efve 7", "na_ve_7")],
)
def test_a_slug_is_made_of_any_name(name, slug):
    """Else a name with a blank could not be a tool's."""
    assert slug_of(name) == slug


@pytest.mark.parametrize("name", ["???", "", "\u4eca\u6708", "my fetch"])
def test_a_name_without_a_slug_is_refused(name):
    """Else two tools could share a name, or one have none."""
    with pytest.raises(SlugError):
        slug_of(name)
