"""On a live server: a draft changes nothing, the doctor runs on it, and it answers questions."""

import tomllib

import pytest
from psycopg import sql

from esra.cli import main
from esra.providers.postgres import fixed, run
from tests.doctor.clinic import READER, SCHEMA, SECRET, faults, told


@pytest.fixture
def shelf(clinic):
    """Three tables: one that can be searched, one without a vector, one without a key."""
    for name in ("books", "letters", "scraps"):
        clinic.run(f"DROP TABLE IF EXISTS {SCHEMA}.{name}")
    clinic.run(
        f"CREATE TABLE {SCHEMA}.books (isbn text PRIMARY KEY, title text, blurb text,"
        " price numeric, published date, search tsvector GENERATED ALWAYS AS"
        " (to_tsvector('english', title || ' ' || blurb)) STORED)"
    )
    clinic.run(f"CREATE INDEX ON {SCHEMA}.books USING gin (search)")
    clinic.run(
        f"INSERT INTO {SCHEMA}.books SELECT n::text, 'Bread ' || n, 'a sourdough that rises', n"
        " FROM generate_series(1, 40) AS n"
    )
    clinic.run(f"CREATE TABLE {SCHEMA}.letters (id int PRIMARY KEY, subject text, search int)")
    clinic.run(f"INSERT INTO {SCHEMA}.letters VALUES (1, 'about pangolins', 7)")
    clinic.run(f"CREATE TABLE {SCHEMA}.scraps (line text, words tsvector)")
    clinic.run(f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO {READER}")
    clinic.run(f"ANALYZE {SCHEMA}.books")
    return clinic


def drafted(tmp_path, *more: str, code: int = 0):
    file = tmp_path / "draft.toml"
    arguments = ["draft", f"env:{SECRET}", "--schema", SCHEMA, "-o", str(file), *more]
    assert main(arguments) == code
    return file


def sources(file) -> list[str]:
    return [source["id"] for source in tomllib.loads(file.read_text("utf-8"))["sources"]]


def test_a_draft_passes_the_doctor_and_answers(shelf, tmp_path, capsys):
    """Somebody with a database would have a page to write before the first answer."""
    file = drafted(tmp_path)
    assert "books" in sources(file)
    assert not {"letters", "scraps"} & set(sources(file))
    _, findings = told(capsys, file)
    assert [f for f in findings if "books" in f["about"]] == []
    assert main(["retrieve", "postgres", "sourdough", "--catalog", str(file), "--limit", "5"]) == 0
    assert "Bread" in capsys.readouterr().out


def test_what_is_missing_stands_in_the_draft_and_cures(shelf, tmp_path, capsys):
    """A table without a text-search column would be left to somebody who knows how."""
    lines = drafted(tmp_path).read_text("utf-8").splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"# {SCHEMA}.letters "))
    statements = [line.removeprefix("#").strip() for line in lines[start + 2 : start + 5]]
    for statement in statements:
        shelf.run(statement)
    file = drafted(tmp_path, "--force")
    assert "letters" in sources(file)
    _, findings = told(capsys, file)
    assert [f for f in findings if "letters" in f["about"]] == []
    main(["retrieve", "postgres", "pangolins", "--catalog", str(file), "--json"])
    assert '"source": "letters"' in capsys.readouterr().out
    text = file.read_text("utf-8")
    assert f"# {SCHEMA}.scraps (rows not counted yet): no column alone tells its rows apart" in text


def test_what_can_have_no_index_is_not_told_to_get_one(shelf, tmp_path):
    """Somebody would run a statement that the server refuses."""
    shelf.run(
        f"CREATE VIEW {SCHEMA}.seen AS SELECT 1 AS id, line AS body, words FROM {SCHEMA}.scraps"
    )
    shelf.run("CREATE FOREIGN DATA WRAPPER away")
    shelf.run("CREATE SERVER away FOREIGN DATA WRAPPER away")
    shelf.run(f"CREATE FOREIGN TABLE {SCHEMA}.far (id int, body text, words tsvector) SERVER away")
    shelf.run(f"GRANT SELECT ON {SCHEMA}.seen, {SCHEMA}.far TO {READER}")
    try:
        file = drafted(tmp_path)
    finally:
        shelf.run("DROP FOREIGN DATA WRAPPER away CASCADE")
        shelf.run(f"DROP VIEW {SCHEMA}.seen")
    assert {"seen", "far"} <= set(sources(file))
    text = file.read_text("utf-8")
    assert not [line for line in text.splitlines() if "INDEX" in line and "letters" not in line]
    assert "give the table below the view a GIN index" in text
    assert "see that the table there has an index" in text


def test_a_key_of_several_columns_is_joined_in_a_view(shelf, tmp_path, capsys):
    """The advice would lead nowhere: a partitioned table can have no unique column of its own."""
    shelf.run(
        f"CREATE TABLE {SCHEMA}.diary (day date, nr int, body text, words tsvector GENERATED ALWAYS"
        " AS (to_tsvector('english', body)) STORED, PRIMARY KEY (day, nr)) PARTITION BY RANGE (day)"
    )
    shelf.run(
        f"CREATE TABLE {SCHEMA}.diary_1 PARTITION OF {SCHEMA}.diary"
        " FOR VALUES FROM ('2020-01-01') TO ('2021-01-01')"
    )
    shelf.run(f"CREATE INDEX ON {SCHEMA}.diary USING gin (words)")
    shelf.run(f"INSERT INTO {SCHEMA}.diary VALUES ('2020-03-04', 7, 'saw an axolotl')")
    shelf.run(f"GRANT SELECT ON {SCHEMA}.diary TO {READER}")
    try:
        assert "map a view with one that joins" in drafted(tmp_path).read_text("utf-8")
        shelf.run(
            f"CREATE VIEW {SCHEMA}.diary_view AS"
            f" SELECT day || '/' || nr AS id, day, body, words FROM {SCHEMA}.diary"
        )
        shelf.run(f"GRANT SELECT ON {SCHEMA}.diary_view TO {READER}")
        file = drafted(tmp_path, "--force")
        main(["retrieve", "postgres", "axolotl", "--catalog", str(file), "--json"])
        assert '"source": "diary_view"' in capsys.readouterr().out
    finally:
        shelf.run(f"DROP TABLE {SCHEMA}.diary CASCADE")


def state(clinic) -> tuple:
    """Everything a write would change: rows, catalogue, and the server's count of writers."""
    names = clinic.run(
        "SELECT relname::text FROM pg_class WHERE relnamespace = %s::regnamespace"
        " AND relkind = 'r' ORDER BY relname",
        [SCHEMA],
    ).fetchall()
    rows = tuple(
        clinic.run(
            sql.SQL("SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM {}.{} AS t").format(
                sql.Identifier(SCHEMA), sql.Identifier(name)
            )
        ).fetchone()
        for (name,) in names
    )
    [catalogue] = clinic.run(
        "SELECT md5(string_agg(format('%s %s %s %s', oid, relname, relfilenode, relacl), ','"
        " ORDER BY oid)) FROM pg_class"
    ).fetchall()
    [writers] = clinic.run("SELECT pg_snapshot_xmax(pg_current_snapshot())::text").fetchall()
    return rows, catalogue, writers


def test_nothing_on_the_server_changes(shelf, tmp_path, monkeypatch):
    """A look at a database would leave something behind in it."""
    sent = []
    real = run._execute

    async def execute(connection, text, values):
        sent.append(text)
        return await real(connection, text, values)

    monkeypatch.setattr(run, "_execute", execute)
    shelf.run("ALTER SYSTEM SET autovacuum = off")
    shelf.run("SELECT pg_reload_conf()")
    before = state(shelf)
    drafted(tmp_path)
    after = state(shelf)
    shelf.run("ALTER SYSTEM RESET autovacuum")
    shelf.run("SELECT pg_reload_conf()")
    assert after == before
    told_of = [text for text in sent if isinstance(text, sql.Composed)]
    around = [fixed.BEGIN, fixed.SETTINGS, fixed.COMMIT]
    assert [text for text in sent if not isinstance(text, sql.Composed)] == [
        fixed.BEGIN, fixed.SETTINGS, fixed.ROLE, fixed.COMMIT, *around, fixed.FORGET,
    ]  # fmt: skip
    assert len(told_of) == 1
    assert told_of[0].as_string(None).startswith("WITH RECURSIVE found")


def test_a_file_is_not_written_over(shelf, tmp_path, capsys):
    """A catalog somebody edited would be lost to a second look."""
    file = drafted(tmp_path)
    file.write_text("mine", "utf-8")
    drafted(tmp_path, code=2)
    assert "--force" in capsys.readouterr().err
    assert file.read_text("utf-8") == "mine"
    assert list(tmp_path.glob(".draft*")) == []
    drafted(tmp_path, "--force")
    assert file.read_text("utf-8") != "mine"


def test_neither_address_nor_password_is_written(shelf, tmp_path, capsys):
    """A draft that is checked in would carry the way into the database."""
    url = shelf.url()
    assert main(["draft", url, "--schema", SCHEMA]) == 0
    shown = capsys.readouterr()
    host = url.partition("host=")[2].partition("&")[0]
    assert url not in shown.out + shown.err
    assert host not in shown.out + shown.err
    text = shown.out
    assert tomllib.loads(text)["providers"]["main"]["url"] == "env:ESRA_POSTGRES_URL"
    assert "export ESRA_POSTGRES_URL=" in text


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("postgresql://ann:hunter2@no-such-host.invalid/d", "CONNECTION_REFUSED"),
        ("env:WARD_NOT_SET", "SECRET_UNRESOLVED"),
        ("hunter2 is my password", "CONNECTION_TEMPLATE_INVALID"),
    ],
)
def test_a_server_that_cannot_be_asked(tmp_path, capsys, url, code):
    """A stack of the driver would show the password on the screen."""
    file = tmp_path / "draft.toml"
    assert main(["draft", url, "-o", str(file)]) == 4
    shown = capsys.readouterr()
    assert code in shown.err
    assert "hunter2" not in shown.out + shown.err
    assert not file.exists()


def test_a_schema_without_anything_is_said(shelf, tmp_path, capsys):
    """An empty draft would look like a finished one."""
    file = tmp_path / "draft.toml"
    assert main(["draft", f"env:{SECRET}", "--schema", "nowhere", "-o", str(file)]) == 1
    assert "0 of 0 relations" in capsys.readouterr().err
    code, findings = told(capsys, file)
    assert (code, faults(findings)) == (1, ["NOTHING_TO_SEARCH"])


@pytest.mark.parametrize("name", ['a"b', "a'; DROP TABLE x;--", "日本語", "x" * 63, "%s{}", "A b"])
def test_a_hostile_name_is_searched_under_that_name(shelf, tmp_path, capsys, name):
    """A table would be missing, or another one read, for its odd name."""
    quoted = sql.Identifier(name)
    where = sql.SQL("{}.{}").format(sql.Identifier(SCHEMA), quoted)
    shelf.run(
        sql.SQL(
            "CREATE TABLE {} (id int PRIMARY KEY, {} text, w tsvector GENERATED ALWAYS AS"
            " (to_tsvector('english', {})) STORED)"
        ).format(where, quoted, quoted)
    )
    try:
        shelf.run(sql.SQL("INSERT INTO {} VALUES (1, 'a rare okapi')").format(where))
        shelf.run(sql.SQL("CREATE INDEX ON {} USING gin (w)").format(where))
        shelf.run(sql.SQL("GRANT SELECT ON {} TO {}").format(where, sql.Identifier(READER)))
        file = drafted(tmp_path)
        main(["retrieve", "postgres", "okapi", "--catalog", str(file), "--json"])
        assert '"title": "a rare okapi"' in capsys.readouterr().out
    finally:
        shelf.run(sql.SQL("DROP TABLE {}").format(where))


def test_a_name_with_control_characters_is_left_out_with_a_word(shelf, tmp_path):
    """One odd table would spoil the draft of the whole database."""
    where = sql.SQL("{}.{}").format(sql.Identifier(SCHEMA), sql.Identifier('b\n[[x]]\n"""'))
    shelf.run(sql.SQL("CREATE TABLE {} (id int PRIMARY KEY, t text, w tsvector)").format(where))
    shelf.run(sql.SQL("GRANT SELECT ON {} TO {}").format(where, sql.Identifier(READER)))
    try:
        text = drafted(tmp_path).read_text("utf-8")
    finally:
        shelf.run(sql.SQL("DROP TABLE {}").format(where))
    assert '# ward.b\\u000A[[x]]\\u000A""" (' in text
    assert "control characters" in text
