"""What `tune` writes down of missing documents is what `record` finds of the same recording."""

import psycopg
import pytest

from eval.misses import known
from tests.recording.commands import READER, run
from tests.schemas import role
from tests.tune import labelled


@pytest.mark.req("W57")
def test_a_run_of_tune_says_what_became_of_missing_documents(tmp_path, database):
    """Whoever tuned would read "match not known", and have to record all of it again to know."""
    home, folder = tmp_path, labelled.write(tmp_path / "lost")
    with psycopg.connect(database.url, autocommit=True) as owner:
        role(owner, READER)
    named = ("--name", "lost", "--data", folder, "--queries", "30")
    run(home, database.url, "record", *named, "--rerank", "none")
    catalog = home / "catalogs" / "lost.toml"
    head, mapping, rest = catalog.read_text("utf-8").partition('rank = "rarity"\n')
    catalog.write_text(f"{head}{mapping}\n[sources.limits]\nrows = 2\n{rest}", "utf-8")

    run(home, database.url, "tune", *named, "--explore", "--no-notebooks")
    (_, tuned) = sorted((home / "runs" / "lost").glob("*/"), key=lambda one: one.stat().st_mtime)
    told = known.read(tuned)
    # A right document is, by words, one of fourteen.
    assert sum(map(len, told.matched.values())) > 20
    again, _ = run(home, database.url, "record", *named)
    assert again["run"] == str(tuned)
    assert known.read(tuned) == told
