"""``esra audit`` as a person runs it."""

import json

import pytest

from esra.cli import main
from esra.governance.audit import tables
from tests.audit.desk import SECRET, Desk, begin, end

TEXT = SECRET.decode()


@pytest.fixture
def run(desk, monkeypatch, capsys):
    """The exit code, stdout and stderr of a command on the desk's log."""
    monkeypatch.setenv("ESRA_HOME", str(desk.base / "home"))
    monkeypatch.setenv("ESRA_AUDIT_LOG", str(desk.log))
    monkeypatch.setenv("ESRA_AUDIT_HEAD", str(desk.head.parent))
    monkeypatch.setenv("ESRA_AUDIT_KEY", "env:AUDIT_SECRET")
    monkeypatch.setenv("AUDIT_SECRET", TEXT)

    def command(*words):
        code = main(["audit", *words])
        return code, *capsys.readouterr()

    return command


def test_a_whole_log_is_called_whole(run, desk):
    """Else nobody would believe the command when it finds something."""
    desk.fill(2)
    code, out, _ = run("verify")
    assert (code, out) == (0, "whole: 4 records, nothing changed or missing\n")


def test_tampering_is_named_with_its_place_and_an_exit_code(run, desk):
    """Else a script would go on, or a person would not know where to look."""
    desk.fill(2)
    (path,) = desk.files()
    path.write_bytes(path.read_bytes().replace(b'"i0"', b'"i9"', 1))
    code, out, _ = run("verify")
    assert code == 1
    assert f"edited, record 1, {path.name} line 1: the record was changed" in out
    code, out, err = run("verify", "--json")
    said = json.loads(out)
    assert (code, said["whole"], err) == (1, False, "")
    assert (said["findings"][0]["kind"], said["findings"][0]["first"]) == ("edited", 1)


def test_a_missing_key_is_no_verdict(run, desk, monkeypatch):
    """Else a log would be called tampered with because a variable is not set."""
    desk.fill(1)
    monkeypatch.delenv("AUDIT_SECRET")
    code, out, err = run("verify")
    assert (code, out) == (3, "")
    assert "env:AUDIT_SECRET" in err
    monkeypatch.setenv("AUDIT_SECRET", "short")
    assert run("verify")[0] == 3


def test_no_log_is_no_verdict(run):
    """Else a wrong folder would be called whole."""
    code, out, err = run("verify")
    assert (code, out) == (3, "")
    assert "there is no audit in" in err


def test_an_exported_head_is_compared(run, desk):
    """Else a cut that takes log and head alike would never be seen."""
    desk.fill(2)
    _, head, _ = run("head")
    assert run("verify", "--head", head)[0] == 0
    other = Desk(desk.base / "other")
    other.fill(2)
    assert run("verify", "--log", str(other.log), "--head", head)[0] == 1
    assert run("verify", "--head", "nonsense")[0] == 2


def test_a_call_is_shown_by_its_correlation_and_the_last_records_by_number(run, desk):
    """Else people would grep, and miss what stands in another file."""
    sink = desk.sink()
    sink.write([begin("a"), {**end("b"), "correlation": "other"}, end("a")])
    code, out, _ = run("show", "c1")
    assert (code, [json.loads(line)["sequence"] for line in out.splitlines()]) == (0, [1, 3])
    assert len(run("show", "a")[1].splitlines()) == 2
    assert run("show", "nobody")[0] == 1
    assert [json.loads(line)["sequence"] for line in run("tail", "-n", "2")[1].splitlines()] == [
        2,
        3,
    ]


def test_tables_are_made_verified_and_read(run, database, monkeypatch, request):
    """Else an audit in PostgreSQL could be written and never looked at."""
    request.getfixturevalue("admin")
    monkeypatch.setenv("ADMIN", database.url)
    monkeypatch.setenv("ESRA_AUDIT_URL", database.as_user(tables.ROLE))
    assert run("init", "--admin", "env:ADMIN")[0] == 0
    request.getfixturevalue("opened")().write([begin("a"), end("a")])
    assert run("verify")[:2] == (0, "whole: 2 records, nothing changed or missing\n")
    assert len(run("show", "c1")[1].splitlines()) == 2
    monkeypatch.setenv("ESRA_AUDIT_URL", "postgresql://u@127.0.0.1:1/d")
    assert run("verify")[0] == 4


def test_a_first_start_makes_a_key_that_only_its_owner_reads(tmp_path):
    """Else the audit would need a set-up, or its key would be everybody's."""
    from esra.governance import places
    from esra.governance.audit import settings
    from esra.governance.secrets import SecretUnresolved

    own = settings.settings(tmp_path, {})
    first = settings.key(own)
    path = places.audit_key_file(tmp_path)
    assert (len(first), path.stat().st_mode & 0o077) == (64, 0)
    assert settings.key(own) == first
    assert [file.name for file in path.parent.iterdir()] == ["audit.key"]
    # Once something was written a lost key is not made anew: the log could never be verified.
    own.head.mkdir()
    (own.head / "head").write_text("x")
    path.unlink()
    with pytest.raises(SecretUnresolved):
        settings.key(own)
