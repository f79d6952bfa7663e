"""Whatever is pasted into a question is answered in time, or refused with what to do."""

import os
import random

import pytest

from esra.domain.capability import PlanForm
from esra.domain.codes import ErrorCode, FailureCode, RejectReason, WarningCode
from esra.domain.outcome import Refused
from esra.governance.admission import LONGEST_PROMPT, admit
from esra.sources.left_out import left_out
from esra.sources.relation import words
from tests.house import request
from tests.providers.hostile import listed
from tests.providers.queries import record
from tests.security.pasted import KINDS, pasted
from tests.security.whole import asked, titles, whole

SIZES = (200, 4_096, 16_384, LONGEST_PROMPT)
PLANS = (PlanForm.TEMPLATE, PlanForm.LOCAL)
SECOND = 1.0
STEP = 1 if os.environ.get("ESRA_LONG") == "1" else 4  # every fourth of the listed texts


@pytest.fixture(scope="module")
def relation(ground):
    """Records that hold such texts themselves, and one with the word that every paste has."""
    texts = [record(kind, pasted(kind, 3_000)[27:], title=kind) for kind in KINDS]
    return ground.stock([*texts, record("it", "where findme is explained", title="it")])


def in_time(own, prompts, **more):
    """The answers, each within a second; what a busy machine held up is asked up to twice more."""
    answers = asked(own, prompts, **more)
    late = [prompt for prompt, (_, took) in zip(prompts, answers, strict=True) if took >= SECOND]
    for _ in range(2):
        again = asked(own, late, **more)
        late = [prompt for prompt, (_, took) in zip(late, again, strict=True) if took >= SECOND]
    assert late == []
    return answers


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_pasted_text_is_answered_within_a_second(ground, relation, plan, kind):
    """A pasted table or stack trace would crash the search, or keep a person waiting."""
    prompts = [pasted(kind, size) for size in SIZES]
    assert [len(prompt.encode()) for prompt in prompts] == list(SIZES)
    own = whole(ground.provider, relation, plan)
    for response, _ in in_time(own, prompts, limit=50):
        assert response.warnings == ()
        assert {"it", kind} <= set(titles(response))


@pytest.mark.parametrize("over", [1, 4, 100_000])
def test_above_the_doors_bound_it_is_refused_in_a_line(ground, relation, over):
    """A text would be cut without a word, or reach an engine that it stops for minutes."""
    own = whole(ground.provider, relation)
    with pytest.raises(Refused) as refused:
        admit(request("x" * LONGEST_PROMPT + "y" * over), own)
    assert refused.value.code is ErrorCode.INVALID_REQUEST
    assert "32768 bytes" in str(refused.value)
    assert "shorten" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_bytes_count_and_not_characters(ground, relation):
    """A text in another script would be let in at three times the size."""
    own = whole(ground.provider, relation)
    admit(request("売" * (LONGEST_PROMPT // 3)), own)
    with pytest.raises(Refused, match="32768 bytes"):
        admit(request("売" * (LONGEST_PROMPT // 3 + 1)), own)


PUNCTUATED = ("'", "\u2019", ":", '"', "''", "::", "\u201c", "\u00ab", "\\'", "'s", "o'", ":*", "`")


def punctuated(count: int, seed: int = 20) -> list[str]:
    """Words with apostrophes, colons and quotation marks in all the wrong places."""
    dice = random.Random(seed)
    parts = (
        *PUNCTUATED,
        " ",
        " ",
        "word",
        "it",
        "O",
        "café",
        "12:30",
        "売上",
        "!",
        "&",
        "|",
        "(",
        ")",
    )
    return ["".join(dice.choices(parts, k=dice.randint(1, 30))) for _ in range(count)]


# What is said of a text without a word in it that the index could hold.
WORDLESS = {(WarningCode.PLAN_REJECTED, RejectReason.NO_SEARCHABLE_TERM)}


def wrong(prompt: str, response) -> set[tuple]:
    """What the response warns of and should not; that it does not warn where it should."""
    said = {(warning.code, warning.detail) for warning in response.warnings}
    return said ^ (WORDLESS if left_out(words(prompt), "english") else set())


@pytest.mark.req("E119")
@pytest.mark.parametrize("plan", PLANS)
def test_two_hundred_strings_of_quotation_marks_are_no_syntax_error(ground, relation, plan):
    """`O'Brien: "it's` would end in an error of the engine."""
    prompts = [text for text in punctuated(220) if text.strip()][:200]
    assert len(prompts) == 200
    answers = asked(whole(ground.provider, relation, plan), prompts)
    said = [wrong(prompt, response) for prompt, (response, _) in zip(prompts, answers, strict=True)]
    assert [one for one in said if one] == []
    assert FailureCode.SYNTAX_ERROR not in {w.detail for r, _ in answers for w in r.warnings}


def test_every_listed_hostile_text_is_answered_or_refused_at_the_door(ground, relation, shared):
    """A text that others have collected against search boxes would break this one."""
    own = whole(ground.provider, relation)
    prompts, refused = [], 0
    for text in listed(shared)[::STEP]:
        try:
            admit(request(text), own)
        except Refused:
            refused += 1  # empty, or with a character that is no text
        else:
            prompts.append(text)
    assert len(prompts) > 900 / STEP
    assert refused < 20
    answers = in_time(own, prompts)
    said = [wrong(prompt, response) for prompt, (response, _) in zip(prompts, answers, strict=True)]
    assert [one for one in said if one] == []
