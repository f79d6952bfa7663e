"""Instructions planted in documents and prompts: data to every step, and seen by no other.

The planted texts are Microsoft's BIPIA, in the shared data.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from esra.llm.prompts import load_prompts
from tests.house import catalog, hit
from tests.llm.double import (
    HITS,
    LAW,
    MODELS,
    NEWS,
    STEPS,
    Asked,
    Line,
    Server,
    completion,
    language_model,
    tell,
)

RESULTS = 30  # the shortlist: the reranker sees them all


@pytest.fixture
def planted(shared: Path) -> list[str]:
    file = shared / "data" / "hostile" / "prompt-injection.jsonl"
    return [json.loads(line)["text"] for line in file.read_text("utf-8").splitlines()]


def script(texts: dict[int, str]) -> dict:
    """Thirty results in one source; those with these numbers hold these texts."""
    return {
        "news": (
            [
                hit(
                    f"{n:02}",
                    float(n),
                    title=texts.get(n, f"title {n}")[:200],
                    fragment=texts.get(n, f"text of {n}"),
                )
                for n in range(RESULTS)
            ],
        )
    }


def fooled(texts: set[str]):
    """A model that does what a planted text wants: the best score for it."""

    def behave(line: Line, asked: Asked) -> None:
        rows = [
            {"resultId": one["resultId"], "score": 1.0 if set(one["fragments"]) & texts else 0.5}
            for one in asked.data["candidates"]
        ]
        line.answer(completion(json.dumps({"scores": rows})))

    return behave


def searched(server: Server) -> list[bytes]:
    """What selection and planning were sent, in an order of its own: plans run side by side."""
    return sorted(asked.body for asked in server.asked if asked.step != "rerank")


def scores(told) -> dict[str, float]:
    """Result -> score; the native order makes a result's number its place among equals."""
    return {result.title: result.score for result in told.response.results}


def ask(server: Server, texts: dict[int, str]):
    server.asked.clear()
    server.behaviours["rerank"] = fooled(set(texts.values()))
    known = catalog(NEWS, LAW, forms=MODELS)
    return tell(language_model(server), known=known, script=script(texts), limit=RESULTS)


def test_a_planted_text_moves_its_own_score_and_nothing_else(server: Server, planted: list[str]):
    """Else one document could choose sources, write searches, or push others down by name."""
    honest = ask(server, {})
    plain, asked = scores(honest), searched(server)
    assert len(plain) == RESULTS
    some = RESULTS // 2
    for first in range(0, len(planted), some):
        texts = {2 * n: text for n, text in enumerate(planted[first : first + some])}
        told = ask(server, texts)
        found = scores(told)
        for n in range(RESULTS):
            title = texts.get(n, f"title {n}")[:200]
            # 0.7 of the half that a fooled model gives too much
            more = 0.35 if n in texts else 0.0
            assert found[title] == pytest.approx(plain[f"title {n}"] + more, abs=1e-12)
        assert searched(server) == asked
        assert (told.codes, told.response.ordered_by) == ([], honest.response.ordered_by)
        assert [r["event"] for r in told.audit] == [r["event"] for r in honest.audit]


def test_the_reranker_gets_a_planted_text_whole_and_as_data(server: Server, planted: list[str]):
    """Else fencing would be a matter of what was cut away, and a result would be misjudged."""
    ask(server, dict(enumerate(planted[:RESULTS])))
    (asked,) = (asked for asked in server.asked if asked.step == "rerank")
    assert {text for one in asked.data["candidates"] for text in one["fragments"]} == set(
        planted[:RESULTS]
    )
    assert [message["role"] for message in asked.document["messages"]] == ["system", "user"]


def test_a_planted_prompt_is_data_to_every_step(server: Server, planted: list[str]):
    """Else a caller, or whoever wrote what a caller pastes, could rewrite the rules of a step."""
    rules = {getattr(load_prompts(), step).text for step in STEPS}
    model = language_model(server)
    usual = tell(model)
    shapes = {asked.step: {**asked.data, "prompt": ""} for asked in server.asked}
    for text in planted:
        server.asked.clear()
        told = tell(model, text)
        assert told.titles == usual.titles
        assert {asked.rules for asked in server.asked} == rules
        assert {asked.data["prompt"] for asked in server.asked} == {text}
        for asked in server.asked:
            if asked.step == "select":
                assert {**asked.data, "prompt": ""} == shapes["select"]


def test_selecting_and_planning_know_no_document(server: Server):
    """Else what a document says could steer what is searched next."""
    tell(language_model(server), script=HITS)
    sent = b"".join(asked.body for asked in server.asked if asked.step != "rerank")
    for found in (one for answers in HITS.values() for rows in answers for one in rows):
        assert found.title.encode() not in sent
        assert found.fragment.encode() not in sent
