"""The gate's governance checks, each over a planted breach that has to turn it red."""

import asyncio
import json
from dataclasses import replace

import pytest

from esra.config.strict import ConfigError
from esra.domain.capability import Presence
from esra.domain.codes import FailureCode
from esra.domain.invocation import Retention
from esra.domain.outcome import Failed, Outcome
from esra.domain.scope import ScopedSource
from esra.domain.source import Mapping as Searchable
from esra.domain.source import Operator, RowRule
from esra.governance.admission import kept_prompt
from esra.stages import select
from eval.gate.canaries import Canaries, CanaryError, read_canaries
from eval.gate.check import Status
from eval.gate.governance import recorded_checks
from eval.gate.probe import NOWHERE, Away, probe
from eval.gate.work import CODES, _prompts
from eval.runs.pairs import CannotCompare
from tests import house as build
from tests.gate.test_gate import gate, home, places
from tests.runs import made

__all__ = ["home"]

NONE = Canaries()
CARD = "4929-1234-5678-9012"
CANARIES = Canaries(texts=(CARD,))


def statuses(traces, canaries=NONE, bound=None):
    found = recorded_checks([("q", trace) for trace in traces], canaries, bound)
    return {check.name: check.status for check in found}


@pytest.mark.parametrize(
    "breach",
    [
        {"chosen": ["news", "payroll"]},
        {"plans": [{"source": "payroll", "origin": "model", "strategies": []}]},
        {"asked": [["payroll", "docs", "k"]]},
    ],
)
@pytest.mark.req("W63")
def test_a_source_that_was_not_in_scope_turns_the_check_red(breach):
    """Else a model that names a source could have it searched, and a build would not tell."""
    good = made.trace("q", 1)
    assert statuses([good])["sources in traces"] is Status.PASSED
    assert statuses([good, {**good, **breach}])["sources in traces"] is Status.FAILED
    assert statuses([good], bound=frozenset({"other"}))["sources in traces"] is Status.FAILED


@pytest.mark.req("W63")
def test_a_canary_anywhere_in_a_trace_turns_the_check_red_and_is_not_repeated():
    """Else a restricted value could sit in a recording, or be spread by the build's own log."""
    canaries = Canaries(texts=(CARD,), records=frozenset({("news", "hidden")}))
    good = made.trace("q", 1, prompt=f"who has card {CARD}?")
    assert statuses([good], canaries)["canaries in traces"] is Status.PASSED
    leak = {**good, "notices": [{"code": "x", "detail": f"row \uff14{CARD[1:]}"}]}  # a full-width 4
    (_, check) = recorded_checks([("q", leak)], canaries)
    assert check.status is Status.FAILED
    assert check.details == ("query q: canary 1",)
    rows = [{**good["answers"][0], "rows": [["docs", "hidden", 1.0, None, False, []]]}]
    (_, check) = recorded_checks([("q", {**good, "answers": rows})], canaries)
    assert check.details == ("query q: record hidden of source news",)
    assert statuses([good])["canaries in traces"] is Status.SKIPPED


@pytest.mark.parametrize(
    ("line", "says"),
    [("abc", "4 characters"), ("{", "a record is"), ('{"source": "a"}', "a record is"),
     ('{"source": "a", "key": 1}', "a record is"), ("", "holds no canary")],
)  # fmt: skip
def test_a_canary_that_is_none_is_refused_with_its_line(tmp_path, line, says):
    """Else a typo would look for nothing, and find nothing."""
    (tmp_path / "c").write_text(line)
    with pytest.raises(CanaryError, match=says):
        read_canaries(tmp_path / "c")


def test_a_canary_behind_a_byte_order_mark_is_found_like_any_other(tmp_path):
    """A spreadsheet writes the mark in front, and the first canary would match nothing for ever."""
    (tmp_path / "c").write_bytes(b"\xef\xbb\xbf" + CARD.encode() + b"\n")
    assert read_canaries(tmp_path / "c").texts == (CARD,)
    (tmp_path / "c").write_bytes(CARD.encode() + b"\xff")
    with pytest.raises(CanaryError, match="no UTF-8 text"):
        read_canaries(tmp_path / "c")


def test_what_the_gate_cannot_read_or_write_is_told_by_name(home, tmp_path):
    """A build's log would show the number of a system error, and only after all that was asked."""
    made.run(home, "one", places())
    words = ("desk", "--floor", "nDCG@10=.5")
    _, err = gate(*words, "--canaries", tmp_path / "none", code=3)
    assert err.endswith(f"gate: {tmp_path / 'none'}: No such file or directory\n")
    for option in ("--junit", "--markdown"):
        _, err = gate(*words, option, tmp_path / "none" / "gate", code=2)
        assert "its folder is not there" in err


@pytest.mark.req("W63")
def test_the_command_holds_canaries_and_quality_in_one_report(home, tmp_path):
    """Else governance would be a second gate, which somebody forgets to run."""
    made.run(home, "one", places())
    (tmp_path / "canaries").write_text(f'{CARD}\n{{"source": "news", "key": "q001/right"}}\n')
    out, _ = gate(
        "desk", "--floor", "nDCG@10=.5", "--canaries", tmp_path / "canaries", "--json",
        "--junit", tmp_path / "gate.xml", "--markdown", tmp_path / "gate.md", code=1,
    )  # fmt: skip
    failed = [check["name"] for check in json.loads(out)["checks"] if check["status"] == "failed"]
    assert failed == ["canaries in traces"]
    assert 'failures="1"' in (tmp_path / "gate.xml").read_text()
    assert CARD not in out + (tmp_path / "gate.md").read_text()


def live(house, canaries=CANARIES, prompts=("wing flutter",)):
    found = asyncio.run(probe(house, "ask", list(prompts), canaries))
    return {check.name: check for check in found}


def catalog(**more):
    sources = (build.source("news"), build.source("blog"), build.source("payroll"))
    known = build.catalog(*sources, **more)
    (capability,) = known.capabilities
    bound = tuple(one for one in capability.bindings if one.source != "payroll")
    return replace(known, capabilities=(replace(capability, bindings=bound),))


@pytest.mark.req("W63")
def test_a_live_house_in_order_passes():
    """Else the probe would turn every build red."""
    found = live(build.house(catalog(), {"news": [[build.hit("a", 1.0)]]}))
    assert {name: check.status for name, check in found.items()} == {
        "what leaves the house": Status.PASSED,
        "unknown sources": Status.PASSED,
        "record filters": Status.SKIPPED,
    }


@pytest.mark.req("W63")
def test_a_house_whose_sources_are_away_does_not_pass():
    """A build would go on with "no canary in 60 answers" that searched nothing."""
    gone = Failed(code=FailureCode.CONNECTION_REFUSED)
    with pytest.raises(Away, match=r"ESRA_SOURCE_FAILED news \(6\)"):
        live(build.house(catalog(), {"news": [gone]}))
    # What was seen in spite of it is told: it leaks, whatever else failed.
    hits = [[build.hit("a", 1.0, source="blog", fragment=f"card {CARD}")]]
    found = live(build.house(catalog(), {"news": [gone], "blog": hits}))
    assert found["what leaves the house"].status is Status.FAILED


@pytest.mark.req("W63")
def test_what_one_check_finds_is_told_whatever_another_cannot_tell():
    """A leak would go by as a source that is away, and the build be tried again until it is not."""
    gone = Failed(code=FailureCode.CONNECTION_REFUSED)
    hits = [[build.hit("a", 1.0, source="blog", fragment=f"card {CARD}")]]
    rule = RowRule(column="owner", claim="who")
    held = catalog()
    news = replace(
        held.source("news"),
        mappings=tuple(
            replace(one, record_filter=((rule,),)) for one in held.source("news").mappings
        ),
    )
    others = tuple(one for one in held.sources if one.id != "news")
    house = build.house(replace(held, sources=(news, *others)), {"news": [gone], "blog": hits})
    found = live(house)
    assert found["what leaves the house"].status is Status.FAILED
    assert found["record filters"].status is Status.SKIPPED
    assert "cannot be told" in found["record filters"].said


@pytest.mark.req("W63")
def test_what_a_recording_shows_is_told_while_the_live_house_is_away(home, monkeypatch):
    """A loss would go by as a source that is away, and its report not be written."""
    made.run(home, "one", places(1))
    (home / "queries.jsonl").write_text('{"_id": "1", "text": "wing"}\n')

    def away(*given):
        raise Away("what leaves the house", ["ESRA_SOURCE_FAILED news"])

    monkeypatch.setattr("eval.gate.work._live", away)
    monkeypatch.setattr("eval.gate.work._bound", lambda catalog, capability: None)
    live = ("--catalog", "desk", "--questions", home / "queries.jsonl")
    out, _ = gate("desk", "--floor", "nDCG@10=1", *live, code=1)
    assert "cannot be told" in out
    assert "cannot be told" in gate("desk", "--floor", "nDCG@10=.1", *live, code=4)[1]


@pytest.mark.parametrize("retention", list(Retention))
def test_a_live_house_is_asked_questions_and_never_what_stands_for_them(tmp_path, retention):
    """Under the retention of every first catalog the house was asked twenty hashes, found nothing
    for any of them, and passed.
    """
    asked = [f"what is wing {number}" for number in range(60)]
    kept = [kept_prompt(text, build.house(retention=retention)) for text in asked]
    traces = [(str(at), {"prompt": prompt}) for at, prompt in enumerate(kept)]
    if retention is Retention.FULL:
        assert _prompts(traces, None) == asked[::3]
    else:
        with pytest.raises(CannotCompare, match="--questions FILE"):
            _prompts(traces, None)
    lines = [json.dumps({"_id": str(at), "text": text}) for at, text in enumerate(asked[:5])]
    (tmp_path / "queries.jsonl").write_text("\n".join(lines))
    assert _prompts(traces, tmp_path / "queries.jsonl") == asked[:5]


def test_a_catalog_without_the_exposure_is_no_source_that_is_away():
    """A build would be tried again until the source is back."""
    assert CODES[ConfigError] == 3
    with pytest.raises(ConfigError, match="no exposure 'nobody'"):
        asyncio.run(probe(build.house(catalog(), {}), "nobody", ["x"], NONE))


@pytest.mark.req("W63")
def test_a_canary_that_leaves_a_live_house_turns_the_check_red():
    """Else a masked value could be read out of a fragment."""
    hits = {"news": [[build.hit("a", 1.0, fragment=f"card {CARD}")]]}
    check = live(build.house(catalog(), hits))["what leaves the house"]
    assert check.status is Status.FAILED
    hidden = Canaries(records=frozenset({("news", "a")}))
    assert live(build.house(catalog(), hits), hidden)["what leaves the house"].status == "failed"


@pytest.mark.req("W63")
def test_a_house_that_searches_whatever_a_model_names_turns_the_check_red(monkeypatch):
    """Else the wall between a model's words and the sources could go, and builds stay green."""

    house = build.house(catalog(), {})
    assert live(house)["unknown sources"].status is Status.PASSED

    async def all_of_them(call, scope, selectors, seconds):
        brief = select.brief_selection(call, scope.sources)
        if "model" in selectors:
            await selectors["model"].select(brief)
        chosen = tuple(
            ScopedSource(source=source, presence=Presence.OPTIONAL)
            for source in house.catalog.sources
        )
        return Outcome(value=chosen)

    monkeypatch.setattr("esra.pipeline.select_sources", all_of_them)
    check = live(house)["unknown sources"]
    assert check.status is Status.FAILED
    assert "source payroll was chosen and not in scope" in check.details
    assert any("audit" in line for line in check.details)
    assert NOWHERE not in str(check.details)


@pytest.mark.parametrize("claim", ["tenant", "department"])
@pytest.mark.req("W63")
def test_a_row_that_needs_a_claim_and_comes_without_one_turns_the_check_red(claim):
    """Else a record filter could stop working, and nobody would see it but those it should stop."""
    rule = RowRule(column="owner", claim=claim, operator=Operator.EQ)
    news = build.source("news")
    owned = tuple(
        Searchable(
            id=one.id, name=one.name, description=one.description, relation=one.relation,
            record_filter=((rule,),),
        )
        for one in news.mappings
    )  # fmt: skip
    known = build.catalog(replace(news, mappings=owned))
    blind = build.house(known, {"news": [[build.hit("a", 1.0)]]})  # an engine without the filter
    check = live(blind)["record filters"]
    assert (check.status, check.details) == (Status.FAILED, ("source news: 1 rows",))
    assert live(build.house(known, {}))["record filters"].status is Status.PASSED
