"""A recording asks as the caller it was told, and no two callers meet in one recording."""

import json
from pathlib import Path

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from esra.domain.invocation import Retention
from eval import record
from eval.record import CALLER
from eval.recording import claims as room
from tests.recording.commands import READER, run, said
from tests.schemas import role

OWNERS = {"permit": "red", "fine": "blue", "garage": "green", "meter": "red"}
CLAIM = ("--claim", "team=red")


@pytest.fixture(scope="module")
def place(tmp_path_factory, database):
    """(home, URL, folder of labels, a catalog whose rows are seen by their team alone)."""
    home = tmp_path_factory.mktemp("home")
    folder = home / "claimed"
    folder.mkdir()
    corpus = [{"_id": key, "title": f"parking {key}", "text": own} for key, own in OWNERS.items()]
    queries = [{"_id": "q1", "text": "parking", "date": "2021-05-01"}]
    for name, rows in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    marks = "\n".join(f"q1\t{key}\t1" for key in OWNERS)
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{marks}\n", "utf-8")
    with psycopg.connect(database.url, autocommit=True) as owner:
        role(owner, READER)
    run(home, database.url, "record", "--name", "claimed", "--data", folder, "--rerank", "none")
    text = (home / "catalogs" / "claimed.toml").read_text("utf-8")
    head, mapping, rest = text.partition('rank = "rarity"\n')
    for name, claim in (("team", "team"), ("tenant", "tenant"), ("groups", "groups")):
        rule = f'\n[[sources.mappings.record_filter]]\ncolumn = "text"\nclaim = "{claim}"\n'
        (home / f"{name}.toml").write_text(head + mapping + rule + rest, "utf-8")
    slug = 'slug = "claimed"\n'
    tenants = rest.replace(slug, f'{slug}tenants = ["acme"]\n')
    (home / "kept.toml").write_text(head + mapping + tenants, "utf-8")
    return home, database.url, folder


def over(place, *words, catalog="team", code=0):
    home, url, folder = place
    given = ("--catalog", home / f"{catalog}.toml", "--data", folder, "--rerank", "none")
    return run(home, url, "record", *given, *words, code=code)


def seen(made):
    """The keys that a recording's traces hold."""
    traces = record.lines(Path(made["run"]) / "traces.jsonl")
    return {row[1] for _, trace in traces for own in trace["answers"] for row in own["rows"]}


def hidden(place, made):
    (arm,) = run(place[0], place[1], "measure", made["run"])[0]["arms"]
    rows = arm["misses"]["causes"]
    return {
        key for r in rows if r["cause"] == "hidden from this caller" for _, (_, key) in r["first"]
    }


def test_each_caller_records_what_he_may_see(place):
    """A source with a record filter would be measured as one that finds nothing at all."""
    red, _ = over(place, *CLAIM)
    blue, _ = over(place, "--claim", "team=blue")
    both, _ = over(place, "--claim", "team=blue", *CLAIM, "--as-of", "--retention", "full")
    nobody, _ = over(place)
    assert len({made["run"] for made in (red, blue, both, nobody)}) == 4
    for made, wanted in (
        (red, {"permit", "meter"}),
        (blue, {"fine"}),
        (both, {"permit", "meter", "fine"}),
        (nobody, set()),
    ):
        assert seen(made) == wanted
        assert hidden(place, made) == OWNERS.keys() - wanted
        assert made["known"]["hidden"] == 4 - len(wanted)
    assert both["claims"] == {"team": ["blue", "red"]}
    assert (both["arm"], nobody["claims"]) == ("claimed rerank=none team=blue,red", {})
    again, _ = over(place, *CLAIM, "--claim", "team=blue", "--as-of", "--retention", "full")
    assert again["run"] == both["run"]


def test_tenant_and_groups_are_the_callers_own(place):
    """A filter by tenant, the commonest of all, would take no notice of what was stated."""
    tenant, _ = over(place, "--claim", "tenant=blue", catalog="tenant")
    groups, _ = over(place, "--claim", "groups=red", "--claim", "groups=green", catalog="groups")
    assert seen(tenant) == {"fine"}
    assert seen(groups) == {"permit", "meter", "garage"}
    refused, _ = over(place, catalog="kept", code=4)
    assert refused["error"]["message"].startswith("ESRA_FORBIDDEN")
    assert seen(over(place, "--claim", "tenant=acme", catalog="kept")[0]) == OWNERS.keys()


def test_repeats_ask_as_the_same_caller(place, tmp_path):
    """The noise floor would be that between two people."""
    over(place, *CLAIM, "--repeat", "2", "--out", tmp_path / "run")
    first, second = (
        [
            (own["source"], own["rows"])
            for _, trace in record.lines(path)
            for own in trace["answers"]
        ]
        for path in sorted((tmp_path / "run").rglob("traces.jsonl"))
    )
    assert first == second
    assert len(first[0][1]) == 2


def test_a_recording_of_one_caller_is_not_gone_on_with_as_another(place, tmp_path):
    """What one of them saw would count as the other's."""
    out = ("--out", tmp_path / "run")
    over(place, *CLAIM, *out)
    before = (tmp_path / "run" / "traces.jsonl").read_bytes()
    for other in (("--claim", "team=blue"), ("--claim", "team=blue", *CLAIM), ()):
        told, _ = over(place, *other, *out, code=3)
        assert "name another folder with --out" in told["error"]["message"]
    over(place, *CLAIM, *out)
    assert (tmp_path / "run" / "traces.jsonl").read_bytes() == before


def test_no_value_stands_where_retention_forbids_it(place, tmp_path):
    """Whose rows were looked at would lie in a folder that everybody copies around."""
    value, runs = "dr-anna-keller", []
    for retention in ("full", "keyed_hash", "redacted", "none"):
        made, _ = over(place, "--claim", f"team={value}", "--retention", retention)
        files = [file.read_text("utf-8") for file in Path(made["run"]).rglob("*") if file.is_file()]
        held = any(value in text for text in (*files, json.dumps(made)))
        assert held is (retention == "full")
        assert [len(own) for own in made["claims"].values()] == [
            retention in ("full", "keyed_hash")
        ]
        other, _ = over(place, "--claim", "team=other", "--retention", retention)
        runs += [made["run"], other["run"]]
    assert len(set(runs)) == 8


def test_of_many_groups_an_arm_names_a_few():
    """Each table of a report would be as wide as the list of groups its caller is in."""
    groups = room.stated(("groups", f"team {number:03}") for number in range(400))
    told = room.words(room.kept(groups, Retention.FULL, b""))
    assert told == ("groups=team 000,team 001,team 002 and 397 more",)
    assert room.words({"team": ("blue", "red"), "tenant": ()}) == ("team=blue,red", "tenant")


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("--claim", "team"), "argument --claim: 'team' is not NAME=VALUE"),
        (("--claim", "=red"), "argument --claim: '=red' is not NAME=VALUE"),
        (("--claim", "team="), "argument --claim: 'team=' is not NAME=VALUE"),
        (("--claim", "team=a\nb"), "argument --claim: 'team' holds a control character"),
        (("--claim", "tenant=a", "--claim", "tenant=b"), "--claim tenant is given several values"),
    ],
)
def test_a_bad_claim_is_bad_usage(place, words, wanted):
    """A recording of hours would turn out to be one of nobody."""
    home, url, folder = place
    given = ("--catalog", home / "team.toml", "--data", folder)
    _, err = said(home, url, "record", *given, *words, code=2)
    assert wanted in err.replace("record: ", "")


NAMES = st.sampled_from(["team", "tenant", "groups", "a.b"])
PAIRS = st.lists(st.tuples(NAMES, st.text("ab=,", min_size=1, max_size=3)), max_size=5)


@given(pairs=PAIRS, others=PAIRS, retention=st.sampled_from(list(Retention)))
def test_two_callers_have_one_identity_where_they_are_one(pairs, others, retention):
    """Two callers would meet in one folder, or one be recorded, and paid for, twice."""
    try:
        first, second = room.stated(pairs), room.stated(others)
    except ValueError:
        return
    told = [room.identity(one, retention, b"k" * 32) for one in (first, second)]
    assert (told[0] == told[1]) == (set(pairs) == set(others))
    assert room.stated(reversed(pairs)) == first
    assert (room.caller_of(first) == CALLER) == (not pairs)


@pytest.mark.parametrize("retention", [one for one in Retention if one is not Retention.FULL])
def test_a_recordings_key_gives_no_value_away(retention):
    """The name of a folder is seen by many: whoever tries all short values would find the one."""
    claims = room.stated([("team", "red")])
    (one,), (other,) = (room.identity(claims, retention, key * 32) for key in (b"k", b"l"))
    assert one != other
    assert "red" not in one
